import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { profilePathProblems } from './profile-folder-problems.ts';

let base = '';
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-files-')));
  mkdirSync(join(base, 'folder'));
  writeFileSync(join(base, 'file'), '');
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** `@` stands for the folder that has `file` and `folder` in it. */
function problemsOf(entry: string) {
  const text = `[permissions.dev]\n${entry.replaceAll('@', base)}\n`;
  const values = parse(text) as JsonObject;
  const layer = { name: 'user', source: '/etc/user.toml', values, text } as const;
  return profilePathProblems(values['permissions']!, [layer], { osHome: base, cwd: base }).map(
    ({ message, severity }) => [severity, message.replaceAll(base, '@')],
  );
}

test.each([
  ['workspace_roots."@/file" = true', 'workspace_roots."@/file" is a file, and a folder is needed here.'],
  ['workspace_roots.file = true', 'workspace_roots.file is a file, and a folder is needed here.'],
  ['filesystem."@/file/**" = "read"', 'filesystem."@/file/**" is a file, and a folder is needed here.'],
  ['filesystem."@/file".x = "write"', 'filesystem."@/file" is a file, and a folder is needed here.'],
  ['filesystem."~/file/x" = "read"', 'filesystem."~/file/x" cannot exist: @/file is a file, not a folder.'],
  [
    'filesystem.":workspace_roots"."file/x" = "write"',
    'filesystem.":workspace_roots"."file/x" cannot exist: @/file is a file, not a folder.',
  ],
])('%s is refused with file, line and reason', (entry, reason) => {
  expect(problemsOf(entry)).toEqual([['error', `/etc/user.toml:2: permissions.dev.${reason}`]]);
});

test.each([
  'workspace_roots."@/folder" = true',
  'workspace_roots."@/file" = false',
  'workspace_roots."@/missing" = true',
  'filesystem."@/file" = "write"',
  'filesystem."@/folder/**" = "read"',
  'filesystem."@/missing/x" = "read"',
  'filesystem."@/file/x" = "deny"',
])('%s is fine', (entry) => {
  expect(problemsOf(entry)).toEqual([]);
});
