import { describe, expect, test } from 'vitest';
import type { RunnableCommand } from '../../ports/sandbox.ts';
import type { CommandSpawner } from '../../ports/commands.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import { processTable } from '../exec/leftover-processes.ts';
import { createSandbox } from './sandbox.ts';

const command = { argv: ['ls'], cwd: '/', env: { A: '1' } };
const restricted: ResolvedPolicy = {
  enforcement: 'managed',
  files: {
    kind: 'restricted',
    rules: [{ path: '/', access: 'read', ifMissing: 'skip' }],
    denyGlobs: [],
    platformDefaults: false,
  },
  network: 'restricted',
};

const unused: Pick<CommandSpawner, 'run'> = {
  run: () => {
    throw new Error('nothing should run');
  },
};

/** A machine that has no program but the one that the user names. */
const parts = {
  mountRegistries: () => [],
  programFiles: {
    place: (path: string) => path,
    program: (path: string) => (path === '/opt/bwrap' ? path : undefined),
    isWritableByOthers: () => false,
  },
  processes: processTable,
};

function sandboxOn(platform: string) {
  return createSandbox({ ...parts, platform, architecture: 'x64', env: {}, writable: () => [], spawn: unused });
}

test.each<[string, ResolvedPolicy]>([
  ['disabled', { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' }],
  ['external', { enforcement: 'external', files: { kind: 'unrestricted' }, network: 'restricted' }],
  ['nothing to enforce', { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'enabled' }],
])('%s: the command runs as it is, on every platform', async (_, policy) => {
  for (const platform of ['linux', 'darwin', 'win32']) {
    const planned = await sandboxOn(platform).plan(command, policy, []);
    expect(planned).toMatchObject({ kind: 'runnable', ...command, files: [] });
  }
});

test('a platform without a sandbox refuses, and says what to do', async () => {
  expect(await sandboxOn('win32').plan(command, restricted, [])).toEqual({
    kind: 'refused',
    code: 'sandbox-missing',
    message: 'There is no sandbox for win32 yet, and the policy requires one for commands.',
    next: expect.stringContaining('WSL2') as string,
  });
});

test('Linux without bubblewrap refuses', async () => {
  expect(await sandboxOn('linux').plan(command, restricted, [])).toMatchObject({
    kind: 'refused',
    code: 'sandbox-missing',
  });
});

test('a processor without a filter refuses while the network is restricted', async () => {
  const spawn: Pick<CommandSpawner, 'run'> = {
    run: async () => ({ kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 }),
  };
  const sandbox = createSandbox({
    ...parts,
    platform: 'linux',
    architecture: 'riscv64',
    env: { CAPSTAN_BWRAP: '/opt/bwrap' },
    writable: () => [],
    spawn,
  });
  expect(await sandbox.plan(command, restricted, [])).toMatchObject({ code: 'policy-unenforceable' });
  expect(await sandbox.plan(command, { ...restricted, network: 'enabled' }, [])).toMatchObject({
    kind: 'runnable',
    env: {},
    files: [Buffer.from('--setenv\0A\u00001\0')],
  });
  const broken = { ...command, env: { A: '1\0--bind\0/\0/' } };
  expect(await sandbox.plan(broken, { ...restricted, network: 'enabled' }, [])).toMatchObject({
    code: 'policy-unenforceable',
    message: 'The variable "A" contains a NUL byte, which is not allowed in an environment.',
  });
});

describe('lists of hosts', () => {
  const lists = { allow: ['example.com'], deny: [], local: false, methods: 'any' } as const;
  const listed: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'enabled', lists };
  const spawn: Pick<CommandSpawner, 'run'> = {
    run: async () => ({ kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 }),
  };
  const env = { CAPSTAN_BWRAP: '/opt/bwrap' };
  const linux = () =>
    createSandbox({ ...parts, platform: 'linux', architecture: 'x64', env, writable: () => [], spawn });

  test('need a sandbox, even where all else is open', async () => {
    const planned = await linux().plan(command, listed, []);
    if (planned.kind !== 'runnable') throw new Error(planned.message);
    expect(planned.argv).toContain('--unshare-net');
    expect(planned.argv.slice(planned.argv.indexOf('--'))).toEqual([
      '--',
      '/dev/capstan-node',
      '--no-warnings',
      '-e',
      expect.any(String),
    ]);
    expect(planned.handover?.message).toMatchObject({
      argv: ['ls'],
      places: [{ host: '127.0.0.1', port: 3128 }],
      env: { A: '1', HTTPS_PROXY: 'http://127.0.0.1:3128' },
    });
    expect(planned.files[0]).toEqual(Buffer.from(''));
    expect(planned.denied?.()).toEqual([]);
    await planned.cleanup();
  });

  test('a command that no system takes is refused before it starts', async () => {
    expect(await linux().plan({ ...command, argv: ['echo', 'a\0b'] }, listed, [])).toMatchObject({
      message: 'The command contains a NUL byte.',
    });
  });

  test('are refused where no proxy enforces them', async () => {
    expect(await sandboxOn('darwin').plan(command, listed, [])).toMatchObject({
      code: 'policy-unenforceable',
      message: 'The permission profile lists hosts, and there is no proxy that enforces the lists on darwin yet.',
    });
    expect(await sandboxOn('win32').plan(command, listed, [])).toMatchObject({ code: 'sandbox-missing' });
  });

  test('do nothing where the network is restricted, and without them there is neither proxy nor message', async () => {
    const [plain, shut] = [
      await linux().plan(command, restricted, []),
      await linux().plan(command, { ...restricted, lists }, []),
    ];
    for (const planned of [plain, shut]) expect(planned).not.toHaveProperty('handover');
    expect(plain).toMatchObject({ argv: (shut as RunnableCommand).argv, files: (shut as RunnableCommand).files });
  });

  test.each(['disabled', 'external'] as const)('mean nothing to a policy that is %s', async (enforcement) => {
    expect(await linux().plan(command, { ...listed, enforcement }, [])).toMatchObject({ ...command, files: [] });
  });
});

test('the machine is probed once, also when many commands come first', async () => {
  let probes = 0;
  const spawn: Pick<CommandSpawner, 'run'> = {
    run: async () => {
      probes += 1;
      return { kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 };
    },
  };
  const sandbox = createSandbox({
    ...parts,
    platform: 'linux',
    architecture: 'x64',
    env: { CAPSTAN_BWRAP: '/opt/bwrap' },
    writable: () => [],
    spawn,
  });
  sandbox.prepare();
  const planned = await Promise.all([1, 2, 3].map(() => sandbox.plan(command, restricted, [])));
  expect(planned.map((plan) => plan.kind)).toEqual(['runnable', 'runnable', 'runnable']);
  expect(probes).toBe(1);
});

test('on a Mac the command runs under Seatbelt', async () => {
  const planned = await sandboxOn('darwin').plan(command, restricted, []);
  expect(planned).toMatchObject({ kind: 'runnable', cwd: '/', env: { A: '1', CODEX_SANDBOX: 'seatbelt' }, files: [] });
  const argv = planned.kind === 'runnable' ? planned.argv : [];
  expect([argv[0], argv[1], ...argv.slice(3)]).toEqual(['/usr/bin/sandbox-exec', '-p', '-DPATH_0=/', '--', 'ls']);
});

describe('the kernel', () => {
  const on = (version: string, spawn: Pick<CommandSpawner, 'run'>) =>
    createSandbox({
      ...parts,
      platform: 'linux',
      architecture: 'x64',
      env: { CAPSTAN_BWRAP: '/opt/bwrap' },
      writable: () => [],
      spawn,
      kernelVersion: () => version,
    });
  const works: Pick<CommandSpawner, 'run'> = {
    run: async () => ({ kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 }),
  };

  test('of WSL 1 is refused before bubblewrap is started', async () => {
    const sandbox = on('Linux version 4.4.0-19041-Microsoft', unused);
    sandbox.prepare();
    expect(await sandbox.landlockProblem()).toEqual(await sandbox.bubblewrapProblem());
    expect(await sandbox.plan(command, restricted, [])).toMatchObject({
      code: 'sandbox-unusable',
      message: 'This is WSL 1, whose kernel cannot create the namespaces that a sandbox needs.',
      next: expect.stringContaining('wsl --set-version') as string,
    });
  });

  test('of WSL 2 is one of Linux', async () => {
    const planned = await on('Linux version 5.15.90.1-microsoft-standard-WSL2', works).plan(command, restricted, []);
    expect(planned).toMatchObject({ kind: 'runnable' });
  });
});

test('that a packaged bubblewrap is used is said once', async () => {
  const spawn: Pick<CommandSpawner, 'run'> = {
    run: async () => ({ kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 }),
  };
  const options = { ...parts, platform: 'linux', architecture: 'x64', env: {}, writable: () => [], spawn };
  const sandbox = createSandbox({ ...options, packagedBubblewrap: '/opt/bwrap' });
  const notices = [];
  for (let round = 0; round < 2; round += 1) {
    const planned = await sandbox.plan(command, restricted, []);
    notices.push(planned.kind === 'runnable' ? planned.notice?.code : planned.code);
  }
  expect(notices).toEqual(['sandbox-packaged', undefined]);
});

test('limits stand inside the sandbox, and nowhere else', async () => {
  const sandbox = createSandbox({
    ...parts,
    platform: 'darwin',
    architecture: 'arm64',
    env: {},
    writable: () => [],
    spawn: unused,
    limits: { maxMemoryMb: 1 },
  });
  const planned = await sandbox.plan(command, restricted, []);
  const argv = planned.kind === 'runnable' ? planned.argv : [];
  expect(argv.slice(argv.indexOf('--') + 1)).toEqual([
    '/bin/sh',
    '-c',
    expect.stringContaining('ulimit -d 1024') as string,
    'sh',
    'ls',
  ]);
  const open: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
  expect(await sandbox.plan(command, open, [])).toMatchObject({ argv: ['ls'] });
});
