import type { KeyKind } from './key-kind.ts';
import { keyTable } from './key-table.ts';

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
    case 'choice-map':
    case 'unsupported':
    case 'retired':
      return [];
    default:
      return [path.join('.')];
  }
}
