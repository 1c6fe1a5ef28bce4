import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { identifyProcess, leftoverProcessEnder, readProcessList, watchdogScript } from './leftover-processes.ts';
import { systemPrograms } from './find-programs.ts';

async function sleeper(mark: string): Promise<{ readonly pid: number; readonly ended: Promise<unknown> }> {
  const child = spawn('bash', ['-c', 'sleep 60 & echo up; wait'], {
    detached: true,
    env: { PATH: process.env['PATH'], CAPSTAN_COMMAND: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // The output ends when the whole group has.
  const ended = once(child, 'close');
  await once(child.stdout, 'data');
  return { pid: child.pid as number, ended };
}

describe.runIf(process.platform === 'linux')('a process that a dead program left', () => {
  test('is ended with its group', async () => {
    const { pid, ended } = await sleeper('a.1');
    const known = { pid, startedAt: (await identifyProcess(pid)) ?? '', mark: 'a.1' };
    expect(await leftoverProcessEnder.end(known)).toBe('ended');
    await ended;
    expect(await leftoverProcessEnder.end(known)).toBe('gone');
  });

  test('is found by its mark when the first of the group is gone', async () => {
    const { pid, ended } = await sleeper('a.2');
    const known = { pid, startedAt: (await identifyProcess(pid)) ?? '', mark: 'a.2' };
    process.kill(pid, 'SIGKILL');
    expect(await leftoverProcessEnder.end(known)).toBe('ended');
    await ended;
  });

  test('is left alone when its number and its mark are those of another one', async () => {
    const { pid, ended } = await sleeper('a.3');
    const startedAt = (await identifyProcess(pid)) ?? '';
    expect(await leftoverProcessEnder.end({ pid, startedAt: `${startedAt}0`, mark: 'a.30' })).toBe('gone');
    expect(await identifyProcess(pid)).toBe(startedAt);
    expect(await leftoverProcessEnder.end({ pid, startedAt, mark: 'a.3' })).toBe('ended');
    await ended;
  });
});

test('the list of processes of other systems is read', async () => {
  expect(readProcessList('Ss   Sun Nov 15 05:50:33 2026\n')).toBe('Sun Nov 15 05:50:33 2026');
  expect(readProcessList('Z+   Sun Nov 15 05:50:33 2026\n')).toBeUndefined();
  expect(readProcessList('')).toBeUndefined();
  expect(await identifyProcess(process.pid, 'darwin')).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
});

test.each(['linux', 'darwin'])('the script of the warden can be read by any shell: %s', (platform) => {
  const { status, stderr } = spawnSync('sh', ['-n', '-c', watchdogScript(platform, systemPrograms)], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(watchdogScript(platform, systemPrograms)).toContain(
    platform === 'linux' ? '/proc/[0-9]*/environ' : "ps' -axww -E",
  );
});
