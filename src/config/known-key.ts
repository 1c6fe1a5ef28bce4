import { defined } from '../protocol/defined.ts';
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
    return { kind: kind.type === 'retired' ? 'unused' : 'used' };
  }
  const here = [...before, key];
  switch (kind.type) {
    case 'table': {
      const next = Object.hasOwn(kind.keys, key) ? kind.keys[key] : undefined;
      if (next !== undefined) return statusIn(next, rest, here);
      if (kind.unused.includes(key)) return { kind: 'unused' };
      return unknownKey(key, before, [...Object.keys(kind.keys), ...kind.unused]);
    }
    case 'named-tables':
      // Behind a name that the user makes up there is a table of fixed keys again.
      return statusIn({ ...kind, type: 'table', unknown: 'warning' }, rest, here);
    case 'string-map':
    case 'variable-map':
    case 'choice-map':
      return { kind: rest.length === 0 ? 'used' : 'unknown' };
    case 'toggles':
      return kind.names.includes(key) ? { kind: 'used' } : unknownKey(key, before, kind.names);
    case 'free':
      return { kind: 'used' };
    case 'retired':
      return { kind: 'unused' };
    default:
      return { kind: 'unknown' };
  }
}

function unknownKey(key: string, before: readonly string[], known: readonly string[]): KeyStatus {
  const nearest = nearestKey(key, known);
  return { kind: 'unknown', ...defined({ nearest: nearest === undefined ? undefined : [...before, nearest] }) };
}

/** Every key that has one name and takes one value, as it is written on a command line: `window.effective_percent`. */
export function keyNames(): readonly string[] {
  return namesIn(keyTable, []);
}

function namesIn(kind: KeyKind, path: readonly string[]): readonly string[] {
  switch (kind.type) {
    case 'table':
      return Object.entries(kind.keys).flatMap(([key, below]) => namesIn(below, [...path, key]));
    case 'toggles':
      return kind.names.map((name) => [...path, name].join('.'));
    case 'named-tables':
    case 'string-map':
    case 'variable-map':
    case 'choice-map':
    case 'free':
    case 'retired':
      return [];
    default:
      return [path.join('.')];
  }
}
