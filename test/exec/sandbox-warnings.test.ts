import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const isLinux = process.platform === 'linux';

test.runIf(isLinux)('a machine that forbids namespaces is reported once, with the command that helps', async () => {
  const folder = mkdtempSync('/var/tmp/capstan-no-namespaces-');
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin/bwrap');
  writeFileSync(program, '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n');
  chmodSync(program, 0o755);
  const { place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: 'echo one' }), callTool('exec_command', { cmd: 'echo two' })] }),
    answer({ items: [say('Done.')] }),
  ]);
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  const { code, stderr } = await place.runWith({ env }, 'exec', 'Say one and two');
  expect(code).toBe(0);
  // Where Capstan has unpacked a copy, that one serves instead.
  const reports = stderr
    .split('\n')
    .filter((line) => /cannot build a sandbox on this system|copy that it unpacked/.test(line));
  expect(reports).toHaveLength(stderr.includes('copy that it unpacked') ? 1 : reports.length);
  expect(stderr).toMatch(/copy that it unpacked|kernel\.apparmor_restrict_unprivileged_userns/);
});

test.runIf(isLinux)(
  'a copy of bubblewrap that Capstan unpacked is reported once, to programs in every run',
  async () => {
    const { place } = await scene(({ index }) =>
      index % 2 === 0
        ? answer({ items: [callTool('exec_command', { cmd: 'echo one' })] })
        : answer({ items: [say('Done.')] }),
    );
    // Serves where the package has no copy of its own.
    const folder = join(place.home, 'capstan/bubblewrap/usr/bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const env = { PATH: '/nonexistent', CAPSTAN_BWRAP: '' };
    const reports: boolean[] = [];
    for (const more of [['--ephemeral'], [], [], ['--json'], ['--json']]) {
      const { code, stderr, stdout } = await place.runWith({ env }, 'exec', ...more, 'Say one');
      expect(code).toBe(0);
      reports.push(`${stderr}${stdout}`.includes('the copy that it unpacked'));
    }
    expect(reports).toEqual([true, true, false, true, true]);
  },
);
