import { hex, sha1 } from './sha1.ts';

/** Name space under which other programs derive ids for answers that are missing in a file. */
const nameSpace = '90d38d3e-6a5b-4d52-bfe2-2f1e634bfac4';

/** An id that depends only on the item it belongs to: `<prefix>_<UUID version 5>`. */
export function stableItemId(prefix: string, source: string): string {
  const name = new TextEncoder().encode(`${prefix}:${source}`);
  const space = Uint8Array.from(nameSpace.replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const input = new Uint8Array(space.length + name.length);
  input.set(space);
  input.set(name, space.length);
  const digest = sha1(input).slice(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const text = hex(digest);
  const groups = [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)];
  return `${prefix}_${groups.join('-')}`;
}
