import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawn as start, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import type { ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { findLandlock } from '../../src/adapters/sandbox/linux/landlock-library.ts';
import { leastLandlockAbi } from '../../src/adapters/sandbox/sandbox-route.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';

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
  // Without a mark, engines of every home would wait for these commands.
  landlockHelper: {
    node: process.execPath,
    script: join(root, 'src/adapters/sandbox/linux/landlock-helper.ts'),
    library,
    mark: 1,
  },
});

const base = isPossible ? mkdtempSync('/var/tmp/capstan-landlock-') : '';
const work = join(base, 'work');
const policy = (
  network: 'restricted' | 'enabled',
  writable: readonly string[] = [],
  hidden: readonly string[] = [],
): ResolvedPolicy => ({
  enforcement: 'managed',
  files: {
    kind: 'restricted',
    rules: [
      { path: '/', access: 'read', ifMissing: 'skip' },
      ...writable.map((path) => ({ path, access: 'write', ifMissing: 'skip' }) as const),
      ...hidden.map((path) => ({ path, access: 'deny', ifMissing: 'skip' }) as const),
    ],
    denyGlobs: [],
    platformDefaults: false,
  },
  network,
  landlock: { unprotected: [], unprotectedNames: [], closedRoots: [] },
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

/** A refusal proves something only where nothing else refuses: not the user's rights, a missing program or the kernel. */
function succeedsOutside(script: string, env: Record<string, string> = {}): boolean {
  // It would slow down every process of the user.
  if (script.startsWith('renice') && script.includes(' -u ')) return true;
  const engine = start('sleep', ['100'], { stdio: 'ignore' });
  try {
    // A stand-in, because some scripts would harm it; its parent is this process as for the script itself.
    const id = String(script.includes('$PPID') ? process.pid : engine.pid);
    const all = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', WORK: work, ENGINE: id, ...env };
    const { status } = spawnSync('bash', ['-c', script], { cwd: work, env: all, stdio: 'ignore', timeout: 20_000 });
    return status === 0;
  } finally {
    engine.kill('SIGKILL');
    if (script.includes('mount ')) spawnSync('bash', ['-c', 'umount "$0"', work], { stdio: 'ignore' });
    rmSync('/tmp/capstan-landlock', { force: true });
  }
}

function makeWork(): void {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  writeFileSync(join(work, 'file'), 'old');
}

suite('a command that Landlock holds', () => {
  const listener = createServer((socket) => socket.on('error', () => {}).end());
  const tcp = createServer((socket) => socket.on('error', () => {}).end());
  const port = (): Record<string, string> => ({ PORT: String((tcp.address() as AddressInfo).port) });
  beforeAll(async () => {
    await new Promise<void>((resolve) => void listener.listen(join(base, 'listener'), resolve));
    await new Promise<void>((resolve) => void tcp.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(makeWork);
  afterAll(() => {
    listener.close();
    tcp.close();
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

  test('has the signals of a command without a sandbox', async () => {
    const lines = 'grep -E "^Sig(Blk|Ign)" /proc/self/status; { yes; echo "ended by $?" >&2; } | head -1 > /dev/null';
    const using: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'enabled' };
    expect(await run(lines)).toEqual(await run(lines, { using }));
  });

  test('may change its own priority, its processors and its scheduler', async () => {
    const script = 'nice -n 5 nice; ionice -c 3 ionice; taskset -c 0 nproc; chrt -b 0 true && echo batch';
    expect(await run(script)).toEqual({ exitCode: 0, text: '5\nidle\n1\nbatch\n' });
  });

  test.for([
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
    ['TCP', 'exec 3<>/dev/tcp/127.0.0.1/$PORT'],
    ['UDP', 'echo x > /dev/udp/127.0.0.1/$PORT'],
    [
      'a path socket',
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un("$ENV{WORK}/../listener")) or exit 1'`,
    ],
    [
      'a listening socket',
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && bind(S, pack("S a*", AF_UNIX, "\\0capstan")) or exit 1'`,
    ],
    ['the scheduler of the engine', 'chrt -b -p 0 $ENGINE'],
    ['the processors of the engine', 'taskset -pc 0 $ENGINE'],
    ['the turn of the engine at the disk', 'ionice -c 3 -p $ENGINE'],
    ['the priority of all processes of the user', 'renice -n 1 -u $(id -u)'],
    ['a lease', `perl -e 'open(F, "<", "file"); exit(fcntl(F, 1024, 0) ? 0 : 1)'`],
    ['io_uring', `perl -e 'exit(syscall(425, 8, my $x = "\\0" x 120) >= 0 ? 0 : 1)'`],
    ['a program with the rights of its owner', `su -s /bin/sh nobody -c true`],
  ])('%s is refused', async ([name, script], { skip }) => {
    if (!succeedsOutside(script!, port())) skip(`${name} does not succeed without a sandbox either`);
    makeWork();
    const { exitCode } = await run(script!, { env: port() });
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

  describe('with something hidden', () => {
    const secrets = join(base, 'secrets');
    const hiding = policy('restricted', [work], [join(secrets, 'login'), join(secrets, 'folder')]);
    const env = { SECRETS: secrets, BASE: base };
    const hidden = (script: string) => run(script, { using: hiding, env });
    const makeSecrets = (): void => {
      rmSync(secrets, { recursive: true, force: true });
      mkdirSync(join(secrets, 'folder'), { recursive: true });
      // A shell can run it.
      for (const name of ['login', 'open', 'folder/name'])
        writeFileSync(join(secrets, name), `: content of ${name}`, { mode: 0o755 });
    };
    beforeEach(makeSecrets);

    test('what stands beside it can be read, and folders elsewhere can be listed', async () => {
      expect(await hidden('cat $SECRETS/open; ls /etc > /dev/null')).toEqual({
        exitCode: 0,
        text: ': content of open',
      });
    });

    test.for([
      ['reading it', 'cat $SECRETS/login'],
      ['reading it through the process', 'cat /proc/self/root$SECRETS/login'],
      ['reading it from its folder', 'cd $SECRETS && cat login'],
      ['listing a hidden folder', 'ls $SECRETS/folder'],
      ['listing the folder around it', 'ls $SECRETS'],
      ['a file in a hidden folder', 'cat $SECRETS/folder/name'],
      ['a hard link to it', 'ln $SECRETS/login link && cat link'],
      ['taking it away', 'mv $SECRETS/login taken && cat taken'],
      ['taking its folder away', 'mv $SECRETS taken && cat taken/login'],
      ['writing it', 'echo x > $SECRETS/login'],
      ['running it', '$SECRETS/login'],
      ['changing how long it is', 'truncate -s 0 $SECRETS/login'],
      ['another terminal', 'exec 3< /dev/pts/0'],
      ['the devices of the machine', 'exec 3< /dev/pts/ptmx'],
    ])('%s is refused', async ([name, script], { skip }) => {
      if (!succeedsOutside(script!, env)) skip(`${name} does not succeed without a sandbox either`);
      makeWork();
      makeSecrets();
      const { exitCode, text } = await hidden(script!);
      expect([exitCode === 0, text.includes('content of')]).toEqual([false, false]);
      expect(readFileSync(join(secrets, 'login'), 'utf8')).toBe(': content of login');
    });

    test('neither is a file readable that takes its name, nor one that appears beside it while a command runs', async () => {
      const started = join(work, 'started');
      const waiting = hidden(
        'touch started; while [ ! -e go ]; do sleep 0.05; done; cat $SECRETS/login; cat $SECRETS/new; cat $SECRETS/open',
      );
      await vi.waitUntil(() => existsSync(started), { timeout: 20_000 });
      writeFileSync(join(secrets, 'renewed'), 'content of renewed');
      renameSync(join(secrets, 'renewed'), join(secrets, 'login'));
      writeFileSync(join(secrets, 'new'), 'content of new');
      writeFileSync(join(work, 'go'), '');
      const { text } = await waiting;
      expect(text).not.toContain('content of renewed');
      expect(text).not.toContain('content of new');
      expect(text).toContain('content of open');
      expect((await hidden('cat $SECRETS/new')).text).toBe('content of new');
    });

    test('a hidden file inside a writable folder is refused', async () => {
      const using = policy('restricted', [work], [join(work, 'file')]);
      expect(await run('true', { using })).toEqual({
        exitCode: -1,
        text: `Landlock cannot enforce this policy: it cannot hide "${work}/file" inside the writable folder "${work}".`,
      });
    });
  });

  describe('where it may write', () => {
    const open = policy('restricted', [work]);
    const outside = join(base, 'outside');
    const writing = (script: string) => run(script, { using: open, env: { OUTSIDE: outside } });
    const makeOutside = (): void => {
      rmSync(outside, { force: true });
      writeFileSync(outside, 'old', { mode: 0o600 });
    };
    beforeEach(makeOutside);

    test('the usual work on files succeeds', async () => {
      const script = `set -e
        mkdir -p a/b; echo x > a/b/f; chmod 755 a/b/f; touch a/b/f; cp -p a/b/f a/g; mv a/g a/h; ln a/h a/i; ln -s h a/j
        chown $(id -u):$(id -g) a/h; tar cf t.tar a; mkdir c; tar xf t.tar -C c; rm -r a c t.tar; git init -q r; rm -rf r`;
      expect(await writing(script)).toEqual({ exitCode: 0, text: '' });
    });

    test.for([
      ['a mode that lets everyone write', 'chmod 666 $OUTSIDE'],
      ['set-user-id', 'chmod 4755 $OUTSIDE'],
      ['another owner', 'chown 12345 $OUTSIDE'],
      ['an extended attribute', `perl -e 'exit(syscall(188, $ENV{OUTSIDE}, "user.x", "y", 1, 0) == 0 ? 0 : 1)'`],
      ['a flag of the file system', 'chattr +d $OUTSIDE'],
      ['a link from outside', 'ln $OUTSIDE inside && echo x > inside'],
      ['a move to the inside', 'mv $OUTSIDE inside'],
      ['limits of the engine', 'prlimit --pid $ENGINE --nofile=10:10'],
      ['the priority of the engine', 'renice -n 19 -p $ENGINE'],
      ['shared memory', 'ipcrm -m $(ipcmk -M 4096 | grep -o "[0-9]*$")'],
      ['a user namespace', 'unshare --user true'],
      ['a namespace by clone', `perl -e 'exit(syscall(56, 0x10000011, 0, 0, 0, 0) >= 0 ? 0 : 1)'`],
      ['signals to all', 'kill -0 $PPID && [ $PPID = $ENGINE ]'],
      ['an open file of the engine', 'cat /proc/$ENGINE/fd/0 /proc/$ENGINE/fd/1'],
      ['the maps of the engine', 'cat /proc/$ENGINE/maps'],
      ['the way of the engine', 'ls /proc/$ENGINE/cwd/'],
    ])('%s is refused', async ([name, script], { skip }) => {
      if (!succeedsOutside(script!, { OUTSIDE: outside })) skip(`${name} does not succeed without a sandbox either`);
      makeWork();
      makeOutside();
      const { exitCode } = await writing(script!);
      expect(exitCode).not.toBe(0);
      expect([readFileSync(outside, 'utf8'), statSync(outside).mode & 0o7777]).toEqual(['old', 0o600]);
    });

    test('it has no descriptors but its own', async () => {
      const { text } = await writing('ls -l /proc/self/fd | grep -c " -> "');
      // The streams, and the folder that is listed.
      expect(text).toBe('4\n');
    });
  });
});
