import { type AfterPlace, type PlaceCursor, readAfter } from '../../engine/live/place-cursor.ts';
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
function parseThreadUri(uri: string): NamedPartOfThread | undefined {
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

/** What a client follows: a part of a thread, and the place behind which it wants the events, if it was there before. */
export interface FollowedPart {
  readonly part: NamedPartOfThread;
  readonly after?: AfterPlace;
}

/** Undefined for what is no URI of this server, or has no place of a thread in it. */
export function parseFollowedUri(uri: string): FollowedPart | undefined {
  const [path = '', query, ...more] = uri.split('?');
  const part = parseThreadUri(path);
  if (part === undefined || more.length > 0) return undefined;
  if (query === undefined) return { part };
  const given = new URLSearchParams(query).get('after') ?? '';
  const place = given === '-1' ? -1 : readAfter(given)?.place;
  if (place === undefined) return undefined;
  return { part, after: given.includes('@') ? (given as PlaceCursor) : (place as AfterPlace) };
}
