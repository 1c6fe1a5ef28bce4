import { sha1 } from '../base/digest.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };
/** One conversation. A UUID; Capstan makes version 7. */
export type ThreadId = Branded<'ThreadId'>;
/** One unit of agent work inside a thread. A UUID. */
export type TurnId = Branded<'TurnId'>;
/** Position of a line in a thread, counted from 0 without gaps by one writer. */
export type Ordinal = number & { readonly [brand]: 'Ordinal' };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Undefined unless the text is a UUID in canonical form. */
export function parseThreadId(text: string): ThreadId | undefined {
  const lower = text.toLowerCase();
  return uuid.test(lower) ? (lower as ThreadId) : undefined;
}

/** The UUID name space in which other programs derive ids for answers that are missing in a file. */
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
