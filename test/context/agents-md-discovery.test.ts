import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { anyTurn, InstructionFolders } from '../harness/instruction-folders.ts';

afterEach(() => vi.restoreAllMocks());
const folders = new InstructionFolders();
const write: InstructionFolders['write'] = (path, content) => folders.write(path, content);
const load: InstructionFolders['load'] = (cwd, more) => folders.load(cwd, more);

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
    document: { directory: join(folders.repo, 'a/b'), text: 'root\n\nb' },
    problems: [],
  });
});

test('without a marker only the working folder counts; with none configured too', async () => {
  write('loose/AGENTS.md', 'parent');
  write('loose/sub/AGENTS.md', 'here');
  expect((await load('loose/sub')).document.text).toBe('here');
  write('repo/AGENTS.md', 'root');
  write('repo/sub/AGENTS.md', 'sub');
  expect((await load('repo/sub', { rootMarkers: [] })).document.text).toBe('sub');
  expect((await load('repo/sub', { rootMarkers: [''] })).document.text).toBe('sub');
});

test('other markers, and the nearest one wins', async () => {
  write('repo/AGENTS.md', 'root');
  write('repo/package/go.mod', '');
  write('repo/package/AGENTS.md', 'package');
  write('repo/package/deep/AGENTS.md', 'deep');
  const { document } = await load('repo/package/deep', { rootMarkers: ['go.mod', '.git'] });
  expect(document.text).toBe('package\n\ndeep');
});

test('an override hides the file beside it, even a blank one; a folder of that name does not', async () => {
  write('repo/AGENTS.md', 'plain');
  write('repo/AGENTS.override.md', 'override');
  mkdirSync(join(folders.repo, 'sub/AGENTS.override.md'), { recursive: true });
  write('repo/sub/AGENTS.md', 'sub');
  expect((await load('repo/sub')).document.text).toBe('override\n\nsub');
  write('repo/AGENTS.override.md', '\n');
  expect((await load('repo/sub')).document.text).toBe('sub');
});

test('fallback names serve where the usual ones are missing', async () => {
  mkdirSync(join(folders.repo, 'AGENTS.md'));
  write('repo/CLAUDE.md', 'fallback');
  write('repo/sub/AGENTS.md', 'usual');
  write('repo/sub/CLAUDE.md', 'not this');
  const config = { fallbackFilenames: ['', 'CLAUDE.md', 'CLAUDE.md'] };
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
    document: { directory: folders.repo, text: 'override\n\n--- project-doc ---\n\nproject' },
    problems: [],
  });
});

test('in the user folder the personal file is not told twice', async () => {
  write('home/AGENTS.md', 'mine');
  expect((await load('home')).document).toEqual({ text: 'mine' });
  symlinkSync('home', join(folders.root, 'link'));
  expect((await load('link')).document).toEqual({ text: 'mine' });
});

test('the limit holds for all project files together, and 0 turns them off', async () => {
  write('repo/AGENTS.md', 'root');
  write('repo/sub/AGENTS.md', 'abcdef');
  write('home/AGENTS.md', 'personal');
  const cut = await load('repo/sub', { maxBytes: 7 });
  expect(cut.document.text).toMatch(
    /^personal\n\n--- project-doc ---\n\nroot\n\nabc\n\n\[Cut here to 7 bytes\. Left out: 3 bytes of .*\]$/,
  );
  expect(cut.problems).toMatchObject([{ code: 'instructions-cut' }]);
  expect(await load('repo/sub', { maxBytes: 0 })).toEqual({ document: { text: 'personal' }, problems: [] });
});

test('an untrusted project says nothing; the personal file stays', async () => {
  write('repo/AGENTS.md', 'root');
  write('home/AGENTS.md', 'personal');
  expect(await load('repo', { trusted: 'untrusted' })).toEqual({ document: { text: 'personal' }, problems: [] });
  expect((await load('repo', { trusted: 'trusted' })).document.text).toBe('personal\n\n--- project-doc ---\n\nroot');
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
    const { document } = await load('repo', { maxBytes: limit });
    expect(document.text?.split('\n\n[Cut')[0]).toBe(expected);
  }
});

test('a linked working folder keeps the parents of its own spelling', async () => {
  write('real/AGENTS.md', 'parent of the target');
  write('real/inner/AGENTS.md', 'inner');
  write('repo/AGENTS.md', 'root');
  symlinkSync(join(folders.root, 'real/inner'), join(folders.repo, 'link'));
  expect(await load('repo/link')).toEqual({
    document: { directory: join(folders.repo, 'link'), text: 'root\n\ninner' },
    problems: [],
  });
});

test('every change of files and of rules is noticed by the next call', async () => {
  const files = folders.files();
  const text = async (cwd = 'repo/sub', more = {}) =>
    (await files.load(folders.rules(cwd, more), anyTurn)).document.text;
  expect(await text()).toBeUndefined();
  write('repo/AGENTS.md', 'one');
  expect(await text()).toBe('one');
  write('repo/AGENTS.md', 'two');
  expect(await text()).toBe('two');
  write('repo/sub/AGENTS.md', 'sub');
  expect(await text()).toBe('two\n\nsub');
  expect(await text('repo')).toBe('two');
  expect(await text('repo/sub', { trusted: 'untrusted' })).toBeUndefined();
  expect(await text('repo/sub', { maxBytes: 2 })).toMatch(/^tw\n\n\[Cut/);
  expect(await text('repo/sub', { rootMarkers: [] })).toBe('sub');
  expect(await text()).toBe('two\n\nsub');
  write('repo/AGENTS.override.md', 'override');
  expect(await text()).toBe('override\n\nsub');
  unlinkSync(join(folders.repo, 'AGENTS.override.md'));
  unlinkSync(join(folders.repo, 'sub/AGENTS.md'));
  expect(await text()).toBe('two');
  write('repo/sub/.git', 'a new project');
  expect(await text()).toBeUndefined();
});

test('with nothing changed but the rules, what is told follows the rules', async () => {
  write('repo/AGENTS.md', 'root');
  write('repo/sub/other.txt', '');
  const files = folders.files(60_000);
  const document = async (cwd: string, more = {}) => (await files.load(folders.rules(cwd, more), anyTurn)).document;
  expect(await document('repo')).toEqual({ directory: folders.repo, text: 'root' });
  expect(await document('repo/sub')).toEqual({ directory: join(folders.repo, 'sub'), text: 'root' });
  expect((await document('repo/sub', { maxBytes: 3 })).text).toMatch(/^roo\n\n\[Cut here to 3 bytes/);
});

test('a hundred edits of the same length in a row are all seen', async () => {
  const files = folders.files();
  for (let edit = 100; edit < 200; edit++) {
    write('repo/AGENTS.md', String(edit));
    expect((await files.load(folders.rules('repo'), anyTurn)).document.text).toBe(String(edit));
  }
});

test('nothing is opened again while nothing changes', async () => {
  write('home/AGENTS.md', 'personal');
  write('repo/AGENTS.md', 'root');
  write('repo/sub/AGENTS.md/not-a-file', '');
  const files = folders.files(60_000);
  const open = vi.spyOn(process.getBuiltinModule('node:fs'), 'openSync');
  const first = await files.load(folders.rules('repo/sub'), anyTurn);
  expect(open).toHaveBeenCalledTimes(2);
  expect(await files.load(folders.rules('repo/sub'), anyTurn)).toBe(first);
  expect(open).toHaveBeenCalledTimes(2);
  write('repo/AGENTS.md', 'new!');
  expect((await files.load(folders.rules('repo/sub'), anyTurn)).document.text).toMatch(/new!$/);
});

test('a file that was written a moment ago is read again, since its next edit may bear the same time', async () => {
  write('repo/AGENTS.md', 'root');
  const files = folders.files();
  const open = vi.spyOn(process.getBuiltinModule('node:fs'), 'openSync');
  const first = await files.load(folders.rules('repo'), anyTurn);
  expect(await files.load(folders.rules('repo'), anyTurn)).toEqual(first);
  expect(open).toHaveBeenCalledTimes(2);
});
