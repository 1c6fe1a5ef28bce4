import { hmac } from '@noble/hashes/hmac.js';
import { sha1 as nobleSha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** HMAC-SHA256 of a text: only the holder of the key can make it. Each start makes some; Node's crypto loads slowly. */
export function keyedDigest(key: Uint8Array, text: string): Buffer {
  return asBuffer(hmac(sha256, key, Buffer.from(text)));
}

/** Without a key, as hexadecimal digits of its first bytes: it tells texts apart, also those of an attacker. */
export function plainDigest(text: string, bytes = 32): string {
  return keyedDigest(new Uint8Array(), text).toString('hex', 0, bytes);
}

/** SHA-1 of the bytes: it names content, and protects nothing. */
export function sha1(bytes: Uint8Array): Buffer {
  return asBuffer(nobleSha1(bytes));
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
