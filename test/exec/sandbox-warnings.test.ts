import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const isLinux = process.platform === 'linux';

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** A program in a folder that commands cannot write. */
function program(text: string): string {
  const folder = mkdtempSync('/var/tmp/capstan-no-namespaces-');
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'bwrap'), text, { mode: 0o755 });
  return folder;
}

const forbidden = '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n';

/** Any number of runs, each with one command. */
const runs = ({ index }: { readonly index: number }) =>
  index % 2 === 0
    ? answer({ items: [callTool('exec_command', { cmd: 'echo one' })] })
    : answer({ items: [say('Done.')] });

test.runIf(isLinux)('a bwrap that cannot create namespaces is reported as that', async () => {
  const { place } = await scene(runs);
  // Serves where the package has no copy of its own.
  const folder = join(place.home, 'capstan/bubblewrap/usr/bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const path = program(forbidden);
  const env = { PATH: path, CAPSTAN_BWRAP: '' };
  const { code, stderr } = await place.runWith({ env }, 'exec', 'Say one');
  expect(code).toBe(0);
  expect(oneLine(stderr)).toContain(
    `"${path}/bwrap" cannot create the namespaces of a sandbox on this system (bwrap: setting up uid map: Permission denied). Capstan runs commands in the copy that it unpacked: `,
  );
  expect(stderr).not.toContain('not on the PATH');
});

test.runIf(isLinux)('a command that no sandbox can hold is reported once, with its reason', async () => {
  const { place } = await scene(runs);
  // A refusal of what the user named ends the search.
  writeFileSync(join(place.workspace, 'bwrap'), '', { mode: 0o755 });
  const env = { PATH: '/nonexistent', CAPSTAN_BWRAP: join(place.workspace, 'bwrap') };
  const why = 'which is in a folder where commands can write';
  const plain = await place.runWith({ env }, 'exec', 'Say one');
  expect([plain.code, oneLine(plain.stderr).split(why).length - 1]).toEqual([0, 1]);
  expect(plain.stderr).toMatch(/^\$ echo one\n {2}CAPSTAN_BWRAP is [^]*\n {2}\[refused\]\nDone\.$/m);
  const json = await place.runWith({ env }, 'exec', '--json', 'Say one');
  expect([json.stderr.includes(why), json.stdout.split(why).length - 1]).toEqual([false, 1]);
});

test.runIf(isLinux)(
  'a copy of bubblewrap that Capstan unpacked is reported once in a home, and never as an event',
  async () => {
    const { place } = await scene(runs);
    const folder = join(place.home, 'capstan/bubblewrap/usr/bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const env = { PATH: '/nonexistent', CAPSTAN_BWRAP: '' };
    const run = async (...words: readonly string[]) => {
      const { code, stderr, stdout } = await place.runWith({ env }, 'exec', ...words, 'Say one');
      return [code, ...[stderr, stdout].map((text) => text.includes('the copy that it unpacked'))];
    };
    // A run that keeps nothing keeps not even this.
    for (const words of [['--ephemeral'], ['--ephemeral', '--json'], ['--json']])
      expect(await run(...words)).toEqual([0, true, false]);
    for (const words of [['--json'], [], ['--ephemeral']]) expect(await run(...words)).toEqual([0, false, false]);
  },
);

test('a start in the home folder says once what commands reach there', async () => {
  const { place } = await scene(() => answer({ items: [say('Done.')] }));
  const env = { HOME: place.workspace };
  const start = async (...options: readonly string[]) => {
    const { stderr } = await place.runWith({ env }, 'exec', ...options, 'Say it');
    return oneLine(stderr).match(/Capstan works in .*? instead\./g);
  };
  const next = 'Start Capstan in the folder of a project instead.';
  const here = 'Capstan works in your home folder.';
  expect(await start('--sandbox', 'workspace-write')).toEqual([
    `${here} Commands can read and change your own files there, except what the sandbox protects (\`capstan sandbox explain -P :workspace\` lists it). ${next}`,
  ]);
  expect(await start('--sandbox', 'read-only')).toEqual([
    `${here} Commands can read your own files there, and change none. ${next}`,
  ]);
  expect(await start('--sandbox', 'danger-full-access')).toEqual([
    `${here} There is no sandbox: commands can read and change all your files. ${next}`,
  ]);
  env.HOME = join(place.workspace, 'users', 'me');
  expect(await start('--sandbox', 'read-only')).toEqual([
    `Capstan works in "${place.workspace}", which holds your home folder. Commands can read your own files there, and change none. ${next}`,
  ]);
  env.HOME = place.root;
  expect(await start()).toBeNull();
});
