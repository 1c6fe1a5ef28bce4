import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openInBrowser } from '../../src/engine/home/logins.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** A program that writes down where it started. */
function locator(folder: string, name: string): { readonly program: string; readonly place: () => string } {
  mkdirSync(folder, { recursive: true });
  const [program, noted] = [join(folder, name), join(folder, `${name}.noted`)];
  writeFileSync(program, `#!/bin/sh\npwd > '${noted}.new'; mv '${noted}.new' '${noted}'; echo key\n`);
  chmodSync(program, 0o755);
  return { program, place: () => readFileSync(noted, 'utf8').trim() };
}

// Tests the folder in which programs start: in that of Capstan, a repository could bring code that they load.

test('a command that prints a key starts where no command can write', async () => {
  const live = await LiveThread.in([answer({ items: [say('ok')] })]);
  const { home, workspace, root } = live.place;
  const { program, place } = locator(join(root, 'tools'), 'token');
  const config = readFileSync(`${home}/config.toml`, 'utf8');
  writeFileSync(`${home}/config.toml`, config.replace(/^env_key.*\n/m, ''));
  appendFileSync(`${home}/config.toml`, `\n[model_providers.scripted.auth]\ncommand = "${program}"\n`);
  await live.open({ cwd: workspace });
  await live.turn('go');
  // The home of tests is in /tmp, which commands may write.
  expect(place()).toBe('/');
});

test('so does the browser', async () => {
  const live = await LiveThread.in([]);
  const { program, place } = locator(join(live.place.root, 'tools'), 'xdg-open');
  const options = { env: { DISPLAY: ':0', PATH: process.env['PATH'] }, cwd: live.place.workspace };
  const parts = {
    programs: { find: () => program, searchPath: () => '/usr/bin:/bin' },
    programFolder: () => '/',
    options,
  };
  expect(openInBrowser('http://127.0.0.1/', parts as never, 'linux')).toBe(true);
  await vi.waitFor(() => expect(place()).toBe('/'), { timeout: 20_000 });
});
