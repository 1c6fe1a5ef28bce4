import { hex, sha1 } from '../../protocol/sha1.ts';
import type { Fragment } from './define.ts';

const domain = 'codex-world-state-fragment-v1\0';

/** A digest of role and text that other programs compute in the same way, line ends aside. */
export function fingerprint({ role, text }: Pick<Fragment, 'role' | 'text'>): string {
  const encoder = new TextEncoder();
  const parts = [role, text.replaceAll('\r\n', '\n')].map((part) => encoder.encode(part));
  const bytes = [encoder.encode(domain), ...parts.flatMap((part) => [length(part), part])];
  return hex(sha1(concatenate(bytes)));
}

function length(part: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(part.length));
  return bytes;
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
