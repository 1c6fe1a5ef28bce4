import { hmac } from '@noble/hashes/hmac.js';
import { sha1 as nobleSha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** HMAC-SHA256. Node's crypto loads slowly, and every start needs some of these. */
export const keyedTextHash = (key: Uint8Array, text: string): Buffer => asBuffer(hmac(sha256, key, Buffer.from(text)));

/** Unkeyed hash, as hexadecimal digits of its first bytes; distinguishes texts, also an attacker's. */
export function textHash(text: string, bytes = 32): string {
  return keyedTextHash(new Uint8Array(), text).toString('hex', 0, bytes);
}

export const sha1 = (bytes: Uint8Array): Buffer => asBuffer(nobleSha1(bytes));

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Not collision-resistant. The newest result is cached: instructions are digested twice at every start. */
export function shortTextHash(text: string): string {
  // A short text must not evict a long one, which is requested again and again.
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
