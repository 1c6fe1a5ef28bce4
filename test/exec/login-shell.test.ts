import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf, withoutSandbox } from '../harness/scene.ts';
import type { Place } from '../harness/run-capstan.ts';

/** A user whose start-up file says that it runs, and then waits until the test lets it go on. */
function userWithSlowShell(place: Place) {
  const osHome = join(place.root, 'user');
  mkdirSync(osHome);
  execFileSync('mkfifo', [join(osHome, 'door')]);
  writeFileSync(
    join(osHome, '.bash_profile'),
    'exec 9<> ~/door\ntouch ~/started\nread -r _ <&9\nexec 9<&-\nexport FROM_PROFILE=yes\n',
  );
  return {
    env: { HOME: osHome, SHELL: '/bin/bash' },
    hasStarted: () => existsSync(join(osHome, 'started')),
    /** Throws when the shell is gone. */
    release: () => {
      const door = openSync(join(osHome, 'door'), constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(door, 'go\n');
      closeSync(door);
    },
  };
}

it('a turn without commands starts no login shell: it answers and ends', async () => {
  const { place } = await scene([answer({ items: [say('Hello.')] })]);
  const user = userWithSlowShell(place);
  const run = await place.start(['exec', 'say hello'], { env: user.env }).finished;
  expect([run.code, run.stdout, user.hasStarted()]).toEqual([0, 'Hello.\n', false]);
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a command that waits for the login shell, which finishes by itself and serves the next run',
  async (signal) => {
    const command = answer({ items: [callTool('exec_command', { cmd: 'echo "[$FROM_PROFILE]"' })] });
    const { model, place } = await scene([command, command, answer({ items: [say('Done.')] })], withoutSandbox);
    const user = userWithSlowShell(place);
    const running = place.start(['exec', '--json', 'go'], { env: user.env });
    await vi.waitUntil(user.hasStarted, { timeout: 30_000, interval: 5 });
    running.child.kill(signal);
    expect((await running.finished).signal).toBe(signal);
    user.release();
    const kept = join(place.home, 'capstan/shell');
    await vi.waitUntil(() => readdirSync(kept).join(' ').endsWith('.json'), { timeout: 30_000, interval: 5 });
    await place.start(['exec', '--json', 'go'], { env: user.env }).finished;
    expect(textsOf(inputOf(model, 2)).at(-1)).toContain('[yes]');
  },
);

it('a command finds what the caller activated before what the start-up files offer', async () => {
  const command = callTool('exec_command', { cmd: 'tool; other; echo "[$VIRTUAL_ENV]"' });
  const script = [command, say('Done.')].map((item) => answer({ items: [item] }));
  const { model, place } = await scene(script, withoutSandbox);
  const program = (folder: string, name: string): void => {
    mkdirSync(join(place.root, folder), { recursive: true });
    writeFileSync(join(place.root, folder, name), `#!/bin/sh\necho ${name} of ${folder}\n`);
    chmodSync(join(place.root, folder, name), 0o755);
  };
  program('venv', 'tool');
  program('login', 'tool');
  program('login', 'other');
  const osHome = join(place.root, 'user');
  mkdirSync(osHome);
  writeFileSync(join(osHome, '.bash_profile'), `export VIRTUAL_ENV=none PATH="${join(place.root, 'login')}:$PATH"\n`);
  const PATH = `${join(place.root, 'venv')}:${process.env['PATH']}`;
  await place.start(['exec', 'go'], { env: { HOME: osHome, SHELL: '/bin/bash', PATH, VIRTUAL_ENV: 'venv' } }).finished;
  expect(textsOf(inputOf(model, 1)).at(-1)).toContain('tool of venv\nother of login\n[venv]\n');
});
