import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { InstructionPlaces } from './find-instruction-files.ts';
import { InstructionFiles, loadInstructionDocument } from './instruction-document.ts';

let folder: string;
let home: string;
let repo: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-instructions-')));
  home = join(folder, 'home');
  repo = join(folder, 'repo');
  mkdirSync(home);
  mkdirSync(join(repo, '.git'), { recursive: true });
  writeFileSync(join(repo, '.git', 'HEAD'), 'ref: refs/heads/main\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Config = InstructionPlaces['config'];

const defaults: Config = {
  projectDocMaxBytes: 32_768,
  projectDocFallbackFilenames: [],
  projectRootMarkers: ['.git'],
  trust: 'unknown',
};

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

async function load(cwd: string, config: Partial<Config> = {}) {
  return loadInstructionDocument({ home, cwd: join(folder, cwd), config: { ...defaults, ...config } });
}

test('no file, no text', async () => {
  expect(await load('repo')).toEqual({ document: {}, problems: [] });
});

test('from the root of the project down to the working folder, and never above', async () => {
  write('AGENTS.md', 'above');
  write('repo/AGENTS.md', 'root');
  write('repo/a/other.txt', '');
  write('repo/a/b/AGENTS.md', 'b');
  write('repo/a/b/c/AGENTS.md', 'below');
  expect(await load('repo/a/b')).toEqual({
    document: { directory: join(repo, 'a/b'), text: 'root\n\nb' },
    problems: [],
  });
});

test('without a marker only the working folder counts; with none configured too', async () => {
  write('loose/AGENTS.md', 'parent');
  write('loose/sub/AGENTS.md', 'here');
  expect((await load('loose/sub')).document.text).toBe('here');
  write('repo/AGENTS.md', 'root');
  write('repo/sub/AGENTS.md', 'sub');
  expect((await load('repo/sub', { projectRootMarkers: [] })).document.text).toBe('sub');
  expect((await load('repo/sub', { projectRootMarkers: [''] })).document.text).toBe('sub');
});

test('other markers, and the nearest one wins', async () => {
  write('repo/AGENTS.md', 'root');
  write('repo/package/go.mod', '');
  write('repo/package/AGENTS.md', 'package');
  write('repo/package/deep/AGENTS.md', 'deep');
  const { document } = await load('repo/package/deep', { projectRootMarkers: ['go.mod', '.git'] });
  expect(document.text).toBe('package\n\ndeep');
});

test('an override hides the file beside it, even a blank one; a folder of that name does not', async () => {
  write('repo/AGENTS.md', 'plain');
  write('repo/AGENTS.override.md', 'override');
  mkdirSync(join(repo, 'sub/AGENTS.override.md'), { recursive: true });
  write('repo/sub/AGENTS.md', 'sub');
  expect((await load('repo/sub')).document.text).toBe('override\n\nsub');
  write('repo/AGENTS.override.md', '\n');
  expect((await load('repo/sub')).document.text).toBe('sub');
});

test('fallback names serve where the usual ones are missing', async () => {
  mkdirSync(join(repo, 'AGENTS.md'));
  write('repo/CLAUDE.md', 'fallback');
  write('repo/sub/AGENTS.md', 'usual');
  write('repo/sub/CLAUDE.md', 'not this');
  const config = { projectDocFallbackFilenames: ['', 'CLAUDE.md', 'CLAUDE.md'] };
  expect((await load('repo/sub', config)).document.text).toBe('fallback\n\nusual');
});

test('the personal file: override first, a blank one falls through, text is trimmed', async () => {
  write('home/AGENTS.md', '\nplain\n');
  expect(await load('repo')).toEqual({ document: { text: 'plain' }, problems: [] });
  write('home/AGENTS.override.md', ' \n');
  expect((await load('repo')).document.text).toBe('plain');
  write('home/AGENTS.override.md', 'override');
  write('repo/AGENTS.md', 'project');
  expect(await load('repo')).toEqual({
    document: { directory: repo, text: 'override\n\n--- project-doc ---\n\nproject' },
    problems: [],
  });
});

test('broken UTF-8 is read with replacement characters', async () => {
  writeFileSync(join(home, 'AGENTS.md'), Buffer.from([0x61, 0xff, 0x62]));
  expect((await load('repo')).document.text).toBe('a\uFFFDb');
});

test('in the user folder the personal file is not told twice', async () => {
  write('home/AGENTS.md', 'mine');
  expect((await load('home')).document).toEqual({ text: 'mine' });
});

test('the limit holds for all project files together, and 0 turns them off', async () => {
  write('repo/AGENTS.md', 'root');
  write('repo/sub/AGENTS.md', 'abcdef');
  write('home/AGENTS.md', 'personal');
  const cut = await load('repo/sub', { projectDocMaxBytes: 7 });
  expect(cut.document.text).toMatch(
    /^personal\n\n--- project-doc ---\n\nroot\n\nabc\n\n\[Cut here to 7 bytes\. Left out: 3 bytes of .*\]$/,
  );
  expect(cut.problems).toMatchObject([{ code: 'instructions-cut' }]);
  expect(await load('repo/sub', { projectDocMaxBytes: 0 })).toEqual({ document: { text: 'personal' }, problems: [] });
});

test('an untrusted project says nothing; the personal file stays', async () => {
  write('repo/AGENTS.md', 'root');
  write('home/AGENTS.md', 'personal');
  expect(await load('repo', { trust: 'untrusted' })).toEqual({ document: { text: 'personal' }, problems: [] });
  expect((await load('repo', { trust: 'trusted' })).document.text).toBe('personal\n\n--- project-doc ---\n\nroot');
});

test('the cut splits no character', async () => {
  write('repo/AGENTS.md', 'aé€😀');
  for (const [limit, expected] of [
    [2, 'a'],
    [3, 'aé'],
    [5, 'aé'],
    [6, 'aé€'],
    [9, 'aé€'],
    [10, 'aé€😀'],
  ] as const) {
    const { document } = await load('repo', { projectDocMaxBytes: limit });
    expect(document.text?.split('\n\n[Cut')[0]).toBe(expected);
  }
});

test('a linked working folder keeps the parents of its own spelling', async () => {
  write('real/AGENTS.md', 'parent of the target');
  write('real/inner/AGENTS.md', 'inner');
  write('repo/AGENTS.md', 'root');
  symlinkSync(join(folder, 'real/inner'), join(repo, 'link'));
  expect(await load('repo/link')).toEqual({
    document: { directory: join(repo, 'link'), text: 'root\n\ninner' },
    problems: [],
  });
});

test('a link to a file is followed, one that leads nowhere is not there', async () => {
  write('shared.md', 'shared');
  symlinkSync(join(folder, 'shared.md'), join(repo, 'AGENTS.md'));
  symlinkSync(join(folder, 'gone.md'), join(repo, 'AGENTS.override.md'));
  expect(await load('repo')).toEqual({ document: { directory: repo, text: 'shared' }, problems: [] });
});

test('a circle of links is a problem, and the rest still counts', async () => {
  symlinkSync(join(repo, 'AGENTS.md'), join(repo, 'AGENTS.md'));
  write('repo/sub/AGENTS.md', 'sub');
  expect(await load('repo/sub')).toEqual({
    document: { directory: join(repo, 'sub'), text: 'sub' },
    problems: [
      {
        code: 'instructions-unreadable',
        message: `The instructions in ${join(repo, 'AGENTS.md')} cannot be read: its links lead in a circle`,
        next: 'Make the file readable, or remove it.',
      },
    ],
  });
});

test.skipIf(process.getuid?.() === 0)('a file or a folder that may not be read is a problem', async () => {
  write('repo/AGENTS.md', 'root');
  write('repo/sub/AGENTS.md', 'sub');
  chmodSync(join(repo, 'AGENTS.md'), 0);
  const { document, problems } = await load('repo/sub');
  expect(document.text).toBe('sub');
  expect(problems).toMatchObject([{ code: 'instructions-unreadable', message: expect.stringContaining('denied') }]);
});

function watched(cwd: string) {
  const clock = { now: () => Date.now(), sleep: async () => {} };
  return new InstructionFiles({ home, cwd: join(folder, cwd), config: defaults, clock });
}

test('every change is noticed by the next call', async () => {
  const files = watched('repo/sub');
  const text = async () => (await files.load()).document.text;
  expect(await text()).toBeUndefined();
  write('repo/AGENTS.md', 'one');
  expect(await text()).toBe('one');
  write('repo/AGENTS.md', 'two');
  expect(await text()).toBe('two');
  write('repo/sub/AGENTS.md', 'sub');
  expect(await text()).toBe('two\n\nsub');
  write('repo/AGENTS.override.md', 'override');
  expect(await text()).toBe('override\n\nsub');
  unlinkSync(join(repo, 'AGENTS.override.md'));
  unlinkSync(join(repo, 'sub/AGENTS.md'));
  expect(await text()).toBe('two');
  write('repo/sub/.git', 'a new project');
  expect(await text()).toBeUndefined();
});

test('a hundred edits of the same length in a row are all seen', async () => {
  const files = watched('repo');
  for (let edit = 100; edit < 200; edit++) {
    write('repo/AGENTS.md', String(edit));
    expect((await files.load()).document.text).toBe(String(edit));
  }
});

test('nothing is read again while nothing changes', async () => {
  write('repo/AGENTS.md', 'root');
  // Time stamps of status changes cannot be set back, so the clock runs ahead instead.
  const clock = { now: () => Date.now() + 60_000, sleep: async () => {} };
  const files = new InstructionFiles({ home, cwd: repo, config: defaults, clock });
  const first = await files.load();
  expect(await files.load()).toBe(first);
  write('repo/AGENTS.md', 'new!');
  expect((await files.load()).document.text).toBe('new!');
});
