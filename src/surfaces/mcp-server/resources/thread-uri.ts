import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';

/** What of a thread a URI names. */
export type NamedPartOfThread =
  | { readonly kind: 'thread' | 'context' | 'envelope'; readonly id: ThreadId }
  | { readonly kind: 'request'; readonly id: ThreadId; readonly number: number };

const prefix = 'capstan://threads/';

export function threadUri(id: string): string {
  return `${prefix}${id}`;
}

/** Undefined for what is no URI of this server. */
export function parseThreadUri(uri: string): NamedPartOfThread | undefined {
  if (!uri.startsWith(prefix)) return undefined;
  const [name = '', part, number, ...more] = uri.slice(prefix.length).split('/');
  const id = parseThreadId(name);
  if (id === undefined || more.length > 0) return undefined;
  if (part === undefined) return { kind: 'thread', id };
  if (part === 'requests' && number !== undefined && /^[1-9]\d{0,8}$/.test(number)) {
    return { kind: 'request', id, number: Number(number) };
  }
  if (number !== undefined || (part !== 'context' && part !== 'envelope')) return undefined;
  return { kind: part, id };
}
