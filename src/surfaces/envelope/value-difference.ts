import { defined } from '../../protocol/defined.ts';
import { equalJson, isJsonObject, type Json } from '../../protocol/json.ts';
import { fit } from '../terminal/text-width.ts';

/** One place at which two values differ; absent on the side that has nothing there. */
export interface ValueDifference {
  /** Dotted, behind the name of the value: `.entries.2.access`; empty for the value itself. */
  readonly path: string;
  readonly from?: Json;
  readonly to?: Json;
}

/** All places at which two values differ, so that a small change in a large value can be seen. */
export function valueDifferences(from: Json | undefined, to: Json | undefined, path = ''): readonly ValueDifference[] {
  if (from !== undefined && to !== undefined && equalJson(from, to)) return [];
  if (hasMembers(from) && hasMembers(to) && Array.isArray(from) === Array.isArray(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => valueDifferences(memberOf(from, name), memberOf(to, name), `${path}.${name}`));
  }
  return [{ path, ...defined({ from, to }) }];
}

/** A list of words is read as one value, and so is a text that is kept as its size and digest. */
function hasMembers(value: Json | undefined): value is object & Json {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object');
  return isJsonObject(value) && value['digest'] === undefined;
}

function memberOf(value: object, name: string): Json | undefined {
  return (value as Readonly<Record<string, Json | undefined>>)[name];
}

const before = 10;

/** Both texts in so many columns, cut so that the first difference is in what is left. */
export function cutAtDifference(from: string, to: string, width: number): readonly [string, string] {
  if (from.length <= width && to.length <= width) return [from, to];
  let same = 0;
  while (same < from.length && from[same] === to[same]) same++;
  // The start says what it is about, as long as the difference is in it.
  const start = same < width - before ? 0 : same - before;
  const part = (text: string): string => fit(`${start === 0 ? '' : '…'}${text.slice(start)}`, width);
  return [part(from), part(to)];
}
