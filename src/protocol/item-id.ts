import { sha1 } from '../base/digest.ts';

/** Name space under which other programs derive ids for answers that are missing in a file. */
const nameSpace = '90d38d3e-6a5b-4d52-bfe2-2f1e634bfac4';

/** An id that depends only on the item it belongs to: `<prefix>_<UUID version 5>`. */
export function stableItemId(prefix: string, source: string): string {
  const space = Buffer.from(nameSpace.replaceAll('-', ''), 'hex');
  const digest = sha1(Buffer.concat([space, Buffer.from(`${prefix}:${source}`)]));
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const text = digest.toString('hex', 0, 16);
  return `${prefix}_${text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}
