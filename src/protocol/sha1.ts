/**
 * SHA-1 of the bytes. Written out because loading Node's crypto module costs 6 ms of every start, and snapshots and
 * stable item ids need only this one digest. It names content; it protects nothing.
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  const bitLength = bytes.length * 8;
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bitLength / 0x100000000));
  view.setUint32(padded.length - 4, bitLength >>> 0);

  const hash = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Int32Array(80);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4);
    for (let i = 16; i < 80; i++) {
      const word = words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!;
      words[i] = (word << 1) | (word >>> 31);
    }
    let a = hash[0]!;
    let b = hash[1]!;
    let c = hash[2]!;
    let d = hash[3]!;
    let e = hash[4]!;
    // Without calls and destructuring: this runs a few times per start, before any compiler cares for it.
    for (let i = 0; i < 80; i++) {
      let next = ((a << 5) | (a >>> 27)) + e + words[i]!;
      if (i < 20) next += ((b & c) | (~b & d)) + 0x5a827999;
      else if (i < 40) next += (b ^ c ^ d) + 0x6ed9eba1;
      else if (i < 60) next += ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
      else next += (b ^ c ^ d) + 0xca62c1d6;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next | 0;
    }
    hash[0]! += a;
    hash[1]! += b;
    hash[2]! += c;
    hash[3]! += d;
    hash[4]! += e;
  }
  const digest = new Uint8Array(20);
  const out = new DataView(digest.buffer);
  hash.forEach((word, i) => out.setInt32(i * 4, word));
  return digest;
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
