import { createHash, createHmac } from 'node:crypto';

/** HMAC-SHA256 of a text: only the holder of the key can make it. */
export function keyedDigest(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Without a key, as hexadecimal digits of its first bytes: it tells texts apart, also those of an attacker. */
export function plainDigest(text: string, bytes = 32): string {
  return keyedDigest(new Uint8Array(), text).toString('hex', 0, bytes);
}

/** SHA-1 of the bytes: it names content, and protects nothing. */
export function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest();
}
