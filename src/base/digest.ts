import { hmac } from '@noble/hashes/hmac.js';
import { sha1 as nobleSha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** HMAC-SHA256 of a text: only the holder of the key can make it. Each start makes some; Node's crypto loads slowly. */
export function keyedTextHash(key: Uint8Array, text: string): Buffer {
  return asBuffer(hmac(sha256, key, Buffer.from(text)));
}

/** Without a key, as hexadecimal digits of its first bytes: it tells texts apart, also those of an attacker. */
export function textHash(text: string, bytes = 32): string {
  return keyedTextHash(new Uint8Array(), text).toString('hex', 0, bytes);
}

/** SHA-1 of the bytes: it names content, and protects nothing. */
export function sha1(bytes: Uint8Array): Buffer {
  return asBuffer(nobleSha1(bytes));
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * Sixteen hexadecimal digits that distinguish texts; no proof against an attacker who wants two texts to have one
 * digest. It is remembered for the newest text: the instructions of a model are digested for its section of the world
 * and for the stored envelope, at every start, in code that is cold.
 */
export function shortTextHash(text: string): string {
  // A short text must not push out a long one, which is asked for again and again.
  if (text.length < shortTextLength) return computeShortHash(text);
  if (text !== newestHashed.text) newestHashed = { text, digest: computeShortHash(text) };
  return newestHashed.digest;
}

const shortTextLength = 1000;

let newestHashed = { text: '', digest: computeShortHash('') };

function computeShortHash(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9dc5811c];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000197) + i;
  }
  return [one, other].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
