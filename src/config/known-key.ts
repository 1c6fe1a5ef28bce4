import type { KeyKind } from './key-kind.ts';
import { keyTable } from './key-table.ts';
import { nearestKey } from './nearest-key.ts';

/** What this version makes of a key. */
export type KeyStatus =
  | { readonly kind: 'used' }
  /** Right to write, without an effect yet. */
  | { readonly kind: 'unused' }
  | { readonly kind: 'unknown'; readonly nearest?: readonly string[] };

export function keyStatus(path: readonly string[]): KeyStatus {
  return statusIn(keyTable, path, []);
}

function statusIn(kind: KeyKind, path: readonly string[], before: readonly string[]): KeyStatus {
  const [key, ...rest] = path;
  if (key === undefined) {
    return { kind: kind.type === 'unsupported' || kind.type === 'retired' ? 'unused' : 'used' };
  }
  const here = [...before, key];
  switch (kind.type) {
    case 'table': {
      const next = Object.hasOwn(kind.keys, key) ? kind.keys[key] : undefined;
      if (next !== undefined) return statusIn(next, rest, here);
      if (kind.unused.includes(key)) return { kind: 'unused' };
      const nearest = nearestKey(key, [...Object.keys(kind.keys), ...kind.unused]);
      return { kind: 'unknown', ...(nearest === undefined ? {} : { nearest: [...before, nearest] }) };
    }
    case 'named-tables':
      // Behind a name that the user makes up there is a table of fixed keys again.
      return statusIn({ ...kind, type: 'table', unknown: 'warning' }, rest, here);
    case 'string-map':
    case 'choice-map':
      return { kind: rest.length === 0 ? 'used' : 'unknown' };
    case 'toggles': {
      if (kind.names.includes(key)) return { kind: 'used' };
      const nearest = nearestKey(key, kind.names);
      return { kind: 'unknown', ...(nearest === undefined ? {} : { nearest: [...before, nearest] }) };
    }
    case 'unsupported':
    case 'retired':
      return { kind: 'unused' };
    default:
      return { kind: 'unknown' };
  }
}
