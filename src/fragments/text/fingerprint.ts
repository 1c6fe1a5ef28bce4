import { hex, sha1 } from '../../protocol/sha1.ts';
import type { Fragment } from './define.ts';

const domain = 'codex-world-state-fragment-v1\0';

/** A digest of role and text that other programs compute in the same way, line ends aside. */
export function fingerprint({ role, text }: Pick<Fragment, 'role' | 'text'>): string {
  const parts = [role, text.replaceAll('\r\n', '\n')].map((part) => Buffer.from(part));
  return hex(sha1(Buffer.concat([Buffer.from(domain), ...parts.flatMap((part) => [length(part), part])])));
}

function length(part: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(part.length));
  return bytes;
}
