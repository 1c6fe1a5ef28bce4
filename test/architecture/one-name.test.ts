import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const sources = join(import.meta.dirname, '../../src');

/** The entry of a command, which the table of commands loads by this name. */
const shared = new Set(['run']);

test('a name that a file exports means one thing in the whole house', () => {
  const places = new Map<string, string[]>();
  for (const path of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
    for (const name of exportedNames(readFileSync(join(sources, path), 'utf8'))) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  expect(places.size).toBeGreaterThan(1000);
  expect([...places].filter(([name, paths]) => paths.length > 1 && !shared.has(name))).toEqual([]);
});

test('the reader of exports sees every form of declaration', () => {
  const source = `
export const one = 1;
export async function two() {}
export function* three() {}
export abstract class Four {}
export interface Five {}
export type Six = 6;
export { seven } from './elsewhere.ts';
const eight = 8;`;
  expect(exportedNames(source)).toEqual(['one', 'two', 'three', 'Four', 'Five', 'Six']);
});

/** Names that a file declares and exports. Overloads of a function count once; what is passed on from elsewhere does not. */
function exportedNames(source: string): readonly string[] {
  const declaration = /^export (?:abstract |async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  return [...new Set([...source.matchAll(declaration)].map((found) => found[1] ?? ''))];
}
