import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from './architecture/imports.ts';

/** Folders of `src/`: each imports only those to its left. */
const levels = ['base', 'protocol', 'ports', 'core', 'adapters', 'engine', 'testing', 'surfaces'];
const core = [
  'policy',
  'config',
  'envelope',
  'fragments',
  'world',
  'planes',
  'history',
  'compaction',
  'state',
  'replay',
];

interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** All imports between files of `src/`. Tests may look anywhere; `bin.ts` and `index.ts` import any folder. */
function arrowsOf(sources: ReadonlyMap<string, string>): readonly Arrow[] {
  return [...sources].flatMap(([from, source]) =>
    importsOf(source)
      .filter(({ specifier = '' }) => specifier.startsWith('.'))
      .map(({ specifier = '' }) => ({ from, to: posix.join(posix.dirname(from), specifier) })),
  );
}

const folderOf = (path: string): string => path.split('/')[0] ?? '';
const roomOf = (path: string): string => path.split('/')[1] ?? '';

const sentences: Readonly<Record<string, (arrow: Arrow) => boolean>> = {
  'a folder imports only folders to its left': ({ from, to }) =>
    levels.indexOf(folderOf(to)) >= 0 && levels.indexOf(folderOf(to)) <= levels.indexOf(folderOf(from)),
  'a room of core/ imports only rooms to its left': ({ from, to }) =>
    folderOf(from) !== 'core' || folderOf(to) !== 'core' || core.indexOf(roomOf(to)) <= core.indexOf(roomOf(from)),
  'adapters know each other only as disk/': ({ from, to }) =>
    folderOf(from) !== 'adapters' || folderOf(to) !== 'adapters' || [roomOf(from), 'disk'].includes(roomOf(to)),
  'surfaces import nothing from adapters/': ({ from, to }) =>
    folderOf(from) !== 'surfaces' || folderOf(to) !== 'adapters',
};

function broken(arrows: readonly Arrow[], isRight: (arrow: Arrow) => boolean): readonly string[] {
  return arrows.filter((arrow) => !isRight(arrow)).map(({ from, to }) => `${from} imports ${to}`);
}

const root = join(import.meta.dirname, '../src');
const arrows = arrowsOf(
  new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts') && path.includes('/') && !path.endsWith('.test.ts'))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  ),
);

describe('the tree is the architecture', () => {
  it.each(Object.entries(sentences))('%s', (_, isRight) => {
    expect(arrows.length).toBeGreaterThan(1000);
    expect(broken(arrows, isRight)).toEqual([]);
  });

  it.each([
    ['a folder imports only folders to its left', 'ports/a.ts', '../core/policy/b.ts'],
    ['a folder imports only folders to its left', 'surfaces/a.ts', '../web/b.ts'],
    ['a room of core/ imports only rooms to its left', 'core/policy/a.ts', '../state/b.ts'],
    ['adapters know each other only as disk/', 'adapters/exec/a.ts', '../model/b.ts'],
    ['surfaces import nothing from adapters/', 'surfaces/tui/a.ts', '../../adapters/disk/b.ts'],
  ])('%s: %s must not import %s', (sentence, from, specifier) => {
    const found = broken(arrowsOf(new Map([[from, `import type { B } from '${specifier}';`]])), sentences[sentence]!);
    expect(found).toEqual([`${from} imports ${posix.join(posix.dirname(from), specifier)}`]);
  });
});
