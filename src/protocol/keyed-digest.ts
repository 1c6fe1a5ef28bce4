import { hex } from './sha1.ts';

/**
 * HMAC-SHA256 of a text: only the holder of the key can make it. Written out because it stands on the path of every
 * start, where loading Node's crypto would cost several milliseconds; a test holds it against that.
 */
export function keyedDigest(key: Uint8Array, text: string): Uint8Array {
  const message = new TextEncoder().encode(text);
  return sha256(joined(pad(key, 0x5c), sha256(joined(pad(key, 0x36), message))));
}

/** Without a key, as hexadecimal digits of its first bytes: it tells texts apart, also those of an attacker. */
export function plainDigest(text: string, bytes = 32): string {
  return hex(keyedDigest(new Uint8Array(), text).subarray(0, bytes));
}

const blockBytes = 64;

function pad(key: Uint8Array, value: number): Uint8Array {
  const short = key.length > blockBytes ? sha256(key) : key;
  const padded = new Uint8Array(blockBytes).fill(value);
  for (let i = 0; i < short.length; i++) padded[i] = short[i]! ^ value;
  return padded;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function sha256(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 9) / blockBytes);
  const padded = new Uint8Array(blocks * blockBytes);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x20000000));
  view.setUint32(padded.length - 4, message.length << 3);
  const state = Int32Array.from(initial);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += blockBytes) mix(state, words, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) digest.setInt32(4 * i, state[i]!);
  return new Uint8Array(digest.buffer);
}

/** One block into the state, as FIPS 180-4 has it. Plain on purpose: it runs a dozen times, and never warm. */
function mix(state: Int32Array, w: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  const mixed = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) state[i] = state[i]! + mixed[i]!;
}

/** The first 64 primes give the constants, the first 8 of them the state to begin with. To find them takes half a millisecond. */
const primes = [
  2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
  113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239,
  241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311,
];
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

/** The first 32 bits after the point. */
function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
}
