import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nodeProgramFiles } from '../../src/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/exec/node-spawn.ts';
import { processTable } from '../../src/exec/processes/process-identity.ts';
import type { ResolvedPolicy } from '../../src/protocol/resolved-policy.ts';
import { findLandlock } from '../../src/sandbox/linux/landlock-library.ts';
import { leastLandlockAbi } from '../../src/sandbox/linux/legacy-projection.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';

const root = join(import.meta.dirname, '../..');
const library = join(root, 'node_modules/koffi/index.cjs');
const found = process.platform === 'linux' ? findLandlock(library) : undefined;
const isPossible = found?.kind === 'landlock' && found.abi >= leastLandlockAbi;
const suite = isPossible ? describe : describe.skip;

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const spawn = createNodeSpawn({ clock, runFolder: '/nowhere' });
const sandbox = createSandbox({
  platform: 'linux',
  architecture: process.arch,
  env: {},
  writable: () => [],
  mountRegistries: () => [],
  spawn,
  programFiles: nodeProgramFiles,
  processes: processTable,
  landlock: 'required',
  landlockHelper: { node: process.execPath, script: join(root, 'src/sandbox/linux/landlock-helper.ts'), library },
});

const base = isPossible ? mkdtempSync('/var/tmp/capstan-landlock-') : '';
const work = join(base, 'work');
const policy = (network: 'restricted' | 'enabled', writable: readonly string[] = []): ResolvedPolicy => ({
  enforcement: 'managed',
  files: {
    kind: 'restricted',
    rules: [
      { path: '/', access: 'read', ifMissing: 'skip' },
      ...writable.map((path) => ({ path, access: 'write', ifMissing: 'skip' }) as const),
    ],
    denyGlobs: [],
    platformDefaults: false,
  },
  network,
});
const readOnly = policy('restricted');

async function run(
  script: string,
  { using = readOnly, env = {} }: { using?: ResolvedPolicy; env?: Record<string, string> } = {},
) {
  const all = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', WORK: work, ENGINE: String(process.pid), ...env };
  const planned = await sandbox.plan({ argv: ['bash', '-c', script], cwd: work, env: all }, using, []);
  if (planned.kind === 'refused') return { exitCode: -1, text: planned.message };
  const end = await spawn.run(
    planned,
    { timeoutMs: 20_000, outputBytes: 100_000 },
    { signal: new AbortController().signal },
  );
  return end.kind === 'exited' ? { exitCode: end.exitCode, text: end.output.text } : { exitCode: -1, text: end.kind };
}

suite('a command that Landlock holds', () => {
  const listener = createServer((socket) => socket.on('error', () => {}).end());
  beforeAll(() => new Promise<void>((resolve) => void listener.listen(join(base, 'listener'), resolve)));
  beforeEach(() => {
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    writeFileSync(join(work, 'file'), 'old');
  });
  afterAll(() => {
    listener.close();
    rmSync(base, { recursive: true, force: true });
  });

  test('runs, reads, has its variables, and ends as it ends', async () => {
    const { exitCode, text } = await run('cat file; echo " $A"; echo x > /dev/null; exit 42', { env: { A: 'value' } });
    expect({ exitCode, text }).toEqual({ exitCode: 42, text: 'old value\n' });
    expect((await run('kill -TERM $$')).exitCode).toBe(143);
    expect((await run('no-such-program')).exitCode).toBe(127);
  });

  test('has no rights, and two filters', async () => {
    const { text } = await run('grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp_filters)" /proc/self/status');
    expect(text.replaceAll('\t', ' ')).toBe(
      'CapEff: 0000000000000000\nCapBnd: 0000000000000000\nNoNewPrivs: 1\nSeccomp_filters: 2\n',
    );
  });

  test.each([
    ['a write', 'echo x > file'],
    ['a new file', 'touch new'],
    ['a new file in /tmp', 'touch /tmp/capstan-landlock'],
    ['a removal', 'rm -f file'],
    ['a rename', 'mv file other'],
    ['a link', 'ln file other'],
    ['a truncation', 'truncate -s 0 file'],
    ['a change of modes', 'chmod 777 file'],
    ['a change of times', 'touch -d 2001-01-01 file'],
    ['a change of the owner', 'chown 12345 file'],
    ['a write through /proc/self/root', 'echo x > /proc/self/root$WORK/file'],
    ['a write through an open descriptor', 'exec 5< file; echo x > /proc/self/fd/5'],
    ['a mount', 'mount -t tmpfs none $WORK'],
    ['a mount in a namespace', 'unshare -Ur -m sh -c "mount -t tmpfs none $WORK"'],
    ['a kernel setting', 'exec 3> /proc/sys/kernel/core_pattern'],
    ['a signal to the engine', 'kill -0 $ENGINE'],
    ['the variables of the engine', 'cat /proc/$ENGINE/environ'],
    ['the open files of the engine', 'readlink /proc/$ENGINE/fd/0'],
    ['the memory of the engine', 'exec 3< /proc/$ENGINE/mem'],
    ['the root of the engine', 'ls /proc/$ENGINE/root/'],
    ['TCP', 'exec 3<>/dev/tcp/127.0.0.1/9'],
    ['UDP', 'echo x > /dev/udp/127.0.0.1/9'],
    [
      'a path socket',
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("$ENV{WORK}/../listener")) or exit 1'`,
    ],
    [
      'a listening socket',
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack("S a*", AF_UNIX, "\\0capstan")) or exit 1'`,
    ],
    ['io_uring', `perl -e 'exit(syscall(425, 8, my $x = "\\0" x 120) >= 0 ? 0 : 1)'`],
    ['a program with the rights of its owner', `su -s /bin/sh nobody -c true`],
  ])('%s is refused', async (_name, script) => {
    const { exitCode } = await run(script);
    expect(exitCode).not.toBe(0);
    expect(readFileSync(join(work, 'file'), 'utf8')).toBe('old');
    expect(existsSync('/tmp/capstan-landlock')).toBe(false);
  });

  test('connected pairs work without a network', async () => {
    const script = `perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or exit 1; syswrite(A, "x"); sysread(B, my $x, 1); print $x'`;
    expect(await run(script)).toEqual({ exitCode: 0, text: 'x' });
  });

  test('writes where a root is open, and only there', async () => {
    const open = policy('enabled', [work]);
    expect((await run('echo new > file && mkdir a && mv a b && rmdir b', { using: open })).exitCode).toBe(0);
    expect((await run('echo x > $WORK/../made', { using: open })).exitCode).not.toBe(0);
    expect(existsSync(join(base, 'made'))).toBe(false);
  });

  test('is not started by variables of its own: none of them reaches the helper', async () => {
    writeFileSync(join(work, 'evil.cjs'), `require('node:fs').writeFileSync('${base}/made', 'x');`);
    writeFileSync(join(work, 'evil.sh'), `echo x > ${base}/made\n`);
    mkdirSync(join(work, 'node_modules/koffi'), { recursive: true });
    writeFileSync(join(work, 'node_modules/koffi/index.cjs'), `require('node:fs').writeFileSync('${base}/made', 'x');`);
    const env = {
      NODE_OPTIONS: `--require ${work}/evil.cjs`,
      NODE_PATH: `${work}/node_modules`,
      BASH_ENV: `${work}/evil.sh`,
      ENV: `${work}/evil.sh`,
      LD_PRELOAD: `${work}/evil.so`,
      LD_LIBRARY_PATH: work,
    };
    expect((await run('true', { env })).exitCode).toBe(0);
    expect(existsSync(join(base, 'made'))).toBe(false);
  });

  test('a policy that the kernel cannot hold exactly is refused', async () => {
    const rules = [
      ...(readOnly.files.kind === 'restricted' ? readOnly.files.rules : []),
      { path: '/etc', access: 'deny', ifMissing: 'skip' } as const,
    ];
    const denied: ResolvedPolicy = {
      ...readOnly,
      files: { kind: 'restricted', rules, denyGlobs: [], platformDefaults: false },
    };
    expect(await run('true', { using: denied })).toEqual({
      exitCode: -1,
      text: 'Landlock cannot enforce this policy: it cannot hide "/etc".',
    });
  });
});
