import { existsSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findHome } from './home.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-home-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('without variables it is .capstan in the home folder, and nothing is made', () => {
  expect(findHome({ CAPSTAN_HOME: ' ', CODEX_HOME: '' }, folder)).toEqual({
    path: join(folder, '.capstan'),
    origin: 'default',
  });
  expect(existsSync(join(folder, '.capstan'))).toBe(false);
});

test('CAPSTAN_HOME wins and is made, for its owner alone', () => {
  const path = join(folder, 'a', 'b');
  expect(findHome({ CAPSTAN_HOME: path, CODEX_HOME: folder }, '/nowhere')).toEqual({ path, origin: 'CAPSTAN_HOME' });
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('CODEX_HOME is taken by its real path', () => {
  const link = join(folder, 'link');
  symlinkSync(folder, link);
  expect(findHome({ CODEX_HOME: link }, '/nowhere')).toEqual({ path: folder, origin: 'CODEX_HOME' });
});

test('CODEX_HOME that does not exist is a problem with a next step', () => {
  expect(findHome({ CODEX_HOME: join(folder, 'missing') }, '/nowhere')).toEqual({
    code: 'home-missing',
    message: `CODEX_HOME points to a folder that does not exist: ${join(folder, 'missing')}`,
    next: 'Create the folder, or unset CODEX_HOME.',
  });
});

test.each(['CAPSTAN_HOME', 'CODEX_HOME'])('%s that is a file is a problem', (name) => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  expect(findHome({ [name]: path }, '/nowhere')).toMatchObject({ code: 'home-not-a-folder' });
});

test('CAPSTAN_HOME below a file cannot be made', () => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  expect(findHome({ CAPSTAN_HOME: join(path, 'below') }, '/nowhere')).toMatchObject({ code: 'home-unusable' });
});

test.runIf(process.platform === 'linux')('a CAPSTAN_HOME below /proc is refused at once', () => {
  expect(findHome({ CAPSTAN_HOME: '/proc/none/home' }, '/nowhere')).toMatchObject({ code: 'home-unusable' });
});
