import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceExport, writeNewExport } from './export-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a file is written once, and replaced when that is asked for', async () => {
  const path = join(folder, 'talk.md');
  expect(writeNewExport(path, 'one')).toBeUndefined();
  expect(writeNewExport(path, 'two')).toMatchObject({ code: 'export-exists' });
  expect(await replaceExport(path, 'three', [folder])).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('three');
});

it('a pipe or a device is not replaced, and nothing waits for its reader', async () => {
  const pipe = join(folder, 'talk.md');
  execFileSync('mkfifo', [pipe]);
  const refused = (path: string, what: string) => ({
    code: 'export-unwritten',
    message: `${path} cannot be written: it is ${what}, and Capstan replaces only files.`,
    next: 'Give another name.',
  });
  expect(writeNewExport(pipe, 'text')).toEqual(refused(pipe, 'a pipe'));
  expect(await replaceExport(pipe, 'text', [folder])).toEqual(refused(pipe, 'a pipe'));
  expect(writeNewExport('/dev/null', 'text')).toEqual(refused('/dev/null', 'a device'));
  expect(await replaceExport('/dev/null', 'text', [])).toEqual(refused('/dev/null', 'a device'));
});
