import { expect, test } from 'vitest';
import { isWithin } from '../paths/absolute-paths.ts';
import { isUntamperedProgram } from './tamper-state.ts';
import type { PathInspection } from '../paths/walk-path.ts';

const folder: PathInspection = { kind: 'folder' };
const link = (target: string): PathInspection => ({ kind: 'link', target });
const disk: Readonly<Record<string, PathInspection>> = {
  '/usr': folder,
  '/usr/bin': folder,
  '/usr/bin/git': { kind: 'file' },
  '/usr/bin/linked': link('/ws/tool'),
  '/usr/bin/editor': link('git'),
  '/usr/bin/round': link('round'),
  '/proc': folder,
  '/proc/self': link('1'),
  '/proc/1': folder,
  '/proc/1/cwd': link('/usr/bin'),
  '/srv': folder,
  '/srv/bin': link('/ws/bin'),
  '/ws': folder,
  '/ws/bin': folder,
  '/ws/bin/git': { kind: 'file' },
  '/ws/tool': { kind: 'file' },
  '/ws/a': folder,
  '/ws/a/b': folder,
  '/ws/link': link('a/b'),
  '/ws/out': link('/usr/bin'),
};

function isSettled(word: string, path: string | undefined = '/usr/bin'): boolean {
  const isWritable = (at: string) => isWithin(at, '/ws');
  return isUntamperedProgram(word, { look: (at) => disk[at] ?? { kind: 'missing' }, isWritable, cwd: '/ws', path });
}

test.each(['git', 'editor', 'echo', '/usr/bin/git', '/usr/../usr//bin/git'])('%j is settled', (word) => {
  expect(isSettled(word)).toBe(true);
});

test.each([
  '',
  'linked',
  'round',
  './tool',
  'bin/git',
  '/ws/bin/git',
  '/ws/out/git',
  '/ws/../usr/bin/git',
  'link/../../../usr/bin/git',
  '/proc/self/cwd/git',
  '/usr/bin/git\0',
])('%j is not', (word) => {
  expect(isSettled(word)).toBe(false);
});

test.each(['/ws/bin:/usr/bin', '/usr/bin:/ws/bin', '/ws/none:/usr/bin', '/srv/bin', '/usr/bin:', '.', 'bin:/usr/bin'])(
  'no name is settled in the path %j',
  (path) => {
    expect(isSettled('git', path)).toBe(false);
  },
);

test('no name is settled in a path that is not known', () => {
  const ground = { look: () => folder, isWritable: () => false, cwd: '/ws', path: undefined };
  expect(isUntamperedProgram('git', ground)).toBe(false);
});
