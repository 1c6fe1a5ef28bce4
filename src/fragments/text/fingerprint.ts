import { sha1 } from '../../base/digest.ts';
import type { Fragment } from './define.ts';

const domain = 'codex-world-state-fragment-v1\0';

/** The newest, because permissions have it twice if nothing was granted, and code that is cold takes half a millisecond. */
let newest = { role: '', text: '', digest: '' };

/** A digest of role and text that other programs compute in the same way, line ends aside. */
export function fingerprint({ role, text }: Pick<Fragment, 'role' | 'text'>): string {
  if (newest.role !== role || newest.text !== text) newest = { role, text, digest: digestOf(role, text) };
  return newest.digest;
}

function digestOf(role: string, text: string): string {
  const parts = [role, text.replaceAll('\r\n', '\n')].map((part) => Buffer.from(part));
  return sha1(Buffer.concat([Buffer.from(domain), ...parts.flatMap((part) => [length(part), part])])).toString('hex');
}

function length(part: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(part.length));
  return bytes;
}
