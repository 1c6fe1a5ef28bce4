import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createNodeSpawn } from '../../exec/node-spawn.ts';
import { profileFor } from '../../policy/profiles.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type {
  Access,
  FileSystemEntry,
  NetworkAccess,
  PermissionProfile,
  SandboxMode,
} from '../../protocol/permission-profile.ts';
import { createSandbox } from '../sandbox.ts';
import { bubblewrapCandidates } from './find-bubblewrap.ts';

const packaged = join(import.meta.dirname, '../../../.local/bubblewrap/usr/bin/bwrap');
const chosen = process.env['CAPSTAN_BWRAP'];
const search = {
  path: process.env['PATH'] ?? '',
  cwd: '/nowhere',
  packaged,
  ...(chosen === undefined ? {} : { chosen }),
};
const isFound = process.platform === 'linux' && bubblewrapCandidates(search).length > 0;

// Outside /tmp, which every workspace may write.
const base = isFound ? mkdtempSync('/var/tmp/capstan-sandbox-') : '';
const repo = join(base, 'repo');
const home = join(base, 'home');
const sibling = join(base, 'sibling');
const temporary = isFound ? mkdtempSync('/tmp/capstan-sandbox-') : '';

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const spawn = createNodeSpawn({ clock, temporaryDirectory: '/tmp' });
const sandbox = createSandbox({
  platform: process.platform,
  architecture: process.arch,
  env: process.env,
  cwd: repo,
  packagedBubblewrap: packaged,
  temporaryDirectory: '/tmp',
  spawn,
});

const never = new AbortController().signal;
const limits = { timeoutMs: 20_000, outputBytes: 100_000 };

async function run(
  profile: PermissionProfile,
  script: string,
  more: { cwd?: string; argv?: string[]; timeoutMs?: number } = {},
) {
  const cwd = more.cwd ?? repo;
  const policy = resolvePolicy(profile, { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [] });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const planned = await sandbox.plan({ argv: more.argv ?? ['bash', '-c', script], cwd, env }, policy);
  if (planned.kind === 'refused') return { exitCode: -1, text: `${planned.code}: ${planned.message}` };
  const end = await spawn.run(planned, { ...limits, ...(more.timeoutMs ? { timeoutMs: more.timeoutMs } : {}) }, never);
  if (end.kind === 'not-started') return { exitCode: -1, text: end.reason };
  return { exitCode: end.kind === 'exited' ? end.exitCode : -1, text: end.output.text };
}

function mode(name: SandboxMode, network: boolean): PermissionProfile {
  return profileFor(name, { network, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false });
}

const readOnly = mode('read-only', false);
const workspaceWrite = mode('workspace-write', false);

function managed(
  rules: readonly (readonly [string, Access])[],
  more: { platform?: boolean; globs?: string[]; network?: NetworkAccess } = {},
): PermissionProfile {
  const entries: FileSystemEntry[] = rules.map(([path, access]) => ({ path: { type: 'path', path }, access }));
  if (more.platform) entries.push({ path: { type: 'special', value: { kind: 'minimal' } }, access: 'read' });
  for (const pattern of more.globs ?? []) entries.push({ path: { type: 'glob_pattern', pattern }, access: 'deny' });
  return { type: 'managed', file_system: { type: 'restricted', entries }, network: more.network ?? 'restricted' };
}

const suite = isFound ? describe : describe.skip;
const title = isFound
  ? 'real sandbox'
  : 'real sandbox (skipped: bubblewrap was found neither on the PATH, nor by CAPSTAN_BWRAP, nor in .local)';

suite(title, () => {
  beforeEach(() => {
    for (const folder of [repo, home, sibling]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
    }
    writeFileSync(join(repo, 'file'), 'old');
  });

  afterAll(() => {
    rmSync(base, { recursive: true, force: true });
    rmSync(temporary, { recursive: true, force: true });
  });

  describe('read-only', () => {
    test.each([
      ['the working folder', () => `echo new > ${repo}/file`],
      ['a new file', () => `touch ${repo}/new`],
      ['the temporary folder', () => `touch ${temporary}/new`],
      ['the home folder', () => `touch ${home}/new`],
      ['the system', () => 'touch /etc/capstan-test'],
      ['a remount', () => `mount -o remount,rw / && touch ${repo}/new`],
    ])('%s cannot be written', async (_, script) => {
      const { exitCode } = await run(readOnly, script());
      expect(exitCode).not.toBe(0);
      expect(readFileSync(join(repo, 'file'), 'utf8')).toBe('old');
      expect([repo, home, temporary].map((folder) => existsSync(join(folder, 'new')))).toEqual([false, false, false]);
    });

    test('everything can be read, devices work, rights are gone', async () => {
      const script = `cat file; head -c 1 /dev/urandom | wc -c; echo x > /dev/null; grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status`;
      const { exitCode, text } = await run(readOnly, script);
      expect(text.replaceAll(/[\t ]+/g, ' ')).toBe('old1\nCapEff: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n');
      expect(exitCode).toBe(0);
    });

    test('exit codes and signals come through', async () => {
      expect((await run(readOnly, 'exit 42')).exitCode).toBe(42);
      expect((await run(readOnly, 'kill -TERM $$')).exitCode).toBe(143);
    });

    test('processes outside are not visible', async () => {
      const { text } = await run(readOnly, `ls -d /proc/${process.pid} /proc/1/exe 2>&1; kill -0 ${process.pid} 2>&1`);
      expect(text).toContain('No such');
    });
  });

  describe('workspace-write', () => {
    test('the workspace and the temporary folder can be written', async () => {
      const { exitCode, text } = await run(
        workspaceWrite,
        `echo new > file && mkdir -p a/b && touch ${temporary}/new && rm ${temporary}/new && mv a c`,
      );
      expect({ exitCode, text }).toEqual({ exitCode: 0, text: '' });
      expect(readFileSync(join(repo, 'file'), 'utf8')).toBe('new\n');
      expect(existsSync(join(repo, 'c/b'))).toBe(true);
    });

    test('the home folder and a neighbour cannot', async () => {
      expect((await run(workspaceWrite, `touch ${home}/new`)).exitCode).toBe(1);
      expect((await run(workspaceWrite, `touch ${sibling}/new`)).exitCode).toBe(1);
      expect((await run(workspaceWrite, `ln -s ${home} link && touch link/new`)).exitCode).toBe(1);
      expect(existsSync(join(home, 'new'))).toBe(false);
    });

    test('protected folders that exist can be read and not written, replaced or moved', async () => {
      mkdirSync(join(repo, '.git/hooks'), { recursive: true });
      writeFileSync(join(repo, '.git/config'), 'old');
      for (const script of [
        'echo new > .git/config',
        'touch .git/hooks/pre-commit',
        'mv .git other',
        'rm -rf .git',
        'chmod 777 .git/config',
      ]) {
        expect((await run(workspaceWrite, script)).exitCode, script).not.toBe(0);
      }
      expect(await run(workspaceWrite, 'cat .git/config')).toEqual({ exitCode: 0, text: 'old' });
    });

    test.each(['.git', '.agents', '.codex', '.aws', '.capstan'])(
      'a missing %s cannot be made, and is not left behind',
      async (name) => {
        for (const script of [
          `mkdir ${name}`,
          `touch ${name}/x`,
          `mkdir -p ${name}/x`,
          `ln -sf ${home} ${name}/`,
          `mv file ${name}/`,
          `rmdir ${name} && mkdir ${name}`,
        ]) {
          expect((await run(workspaceWrite, script)).exitCode, script).not.toBe(0);
        }
        expect(readdirSync(repo)).toEqual(['file']);
      },
    );

    test('git init fails, and nothing is left', async () => {
      expect((await run(workspaceWrite, 'git init .')).exitCode).not.toBe(0);
      expect(readdirSync(repo)).toEqual(['file']);
    });

    test('an empty protected folder that was there stays there', async () => {
      mkdirSync(join(repo, '.codex'));
      expect((await run(workspaceWrite, 'touch .codex/x')).exitCode).toBe(1);
      expect(readdirSync(repo)).toEqual(['.codex', 'file']);
    });

    test('commands that overlap do not take the protection from each other', async () => {
      const quick = () => run(workspaceWrite, 'true');
      const slow = run(
        workspaceWrite,
        'for i in $(seq 40); do mkdir .codex/x .git/x 2>/dev/null && echo made; rmdir .codex 2>/dev/null && echo gone; sleep 0.01; done',
      );
      for (let round = 0; round < 5; round += 1) await Promise.all([quick(), quick()]);
      expect(await slow).toEqual({ exitCode: 0, text: '' });
      expect(readdirSync(repo)).toEqual(['file']);
    });

    test('many commands at once', async () => {
      const ends = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          run(workspaceWrite, `echo ${i} > out${i}; mkdir .git 2>/dev/null || echo kept`),
        ),
      );
      expect(ends).toEqual(ends.map(() => ({ exitCode: 0, text: 'kept\n' })));
      expect(readdirSync(repo).length).toBe(17);
    });

    test('a time-out kills everything inside', async () => {
      const { text } = await run(workspaceWrite, `(setsid sh -c 'sleep 0.6; touch late' &) ; echo up; sleep 60`, {
        timeoutMs: 300,
      });
      expect(text).toBe('up\n');
      await new Promise((resolve) => setTimeout(resolve, 800));
      expect(existsSync(join(repo, 'late'))).toBe(false);
    });

    test('processes left behind end with the command', async () => {
      const { exitCode } = await run(workspaceWrite, '(sleep 0.3; touch late) > /dev/null 2>&1 & exit 3');
      expect(exitCode).toBe(3);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(existsSync(join(repo, 'late'))).toBe(false);
    });

    test('a workspace that is reached through a link works, and is protected', async () => {
      symlinkSync(repo, join(base, 'alias'));
      try {
        const { text } = await run(workspaceWrite, 'pwd -P; touch made; mkdir .git 2>&1', { cwd: join(base, 'alias') });
        expect(text).toBe(`${repo}\nmkdir: cannot create directory '.git': File exists\n`);
        expect(readdirSync(repo)).toEqual(['file', 'made']);
      } finally {
        rmSync(join(base, 'alias'));
      }
    });
  });

  describe('links', () => {
    test('a protected name that is a link cannot be replaced, and what is there can be worked on', async () => {
      mkdirSync(join(repo, 'shared'));
      mkdirSync(join(repo, 'src'));
      symlinkSync('shared', join(repo, '.codex'));
      for (const script of [
        'rm .codex',
        'mv .codex x',
        'ln -sfn src .codex',
        'touch .codex/x',
        'touch shared/x',
        'mv shared y',
        'mkdir .git',
      ]) {
        expect((await run(workspaceWrite, script)).exitCode, script).not.toBe(0);
      }
      expect(await run(workspaceWrite, 'touch src/x && echo new > file && cat .codex/none || ls src')).toMatchObject({
        text: expect.stringContaining('x\n') as string,
      });
      expect(readdirSync(repo).toSorted()).toEqual(['.codex', 'file', 'shared', 'src']);
    });

    test('nothing is granted through a link that a command could have made', async () => {
      symlinkSync(home, join(repo, 'extra'));
      const profile = managed([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'extra'), 'write'],
      ]);
      expect((await run(profile, 'touch extra/new')).exitCode).toBe(1);
      expect((await run(profile, 'touch new')).exitCode).toBe(0);
    });

    test('folders above something protected keep their place', async () => {
      mkdirSync(join(repo, 'a/b'), { recursive: true });
      writeFileSync(join(repo, 'a/b/secret'), 'secret');
      const profile = managed([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'a/b/secret'), 'deny'],
      ]);
      for (const script of ['mv a c', 'mv a/b a/c', 'rm -rf a', 'cat a/b/secret']) {
        expect((await run(profile, script)).exitCode, script).not.toBe(0);
      }
      expect((await run(profile, 'touch a/b/new && mv a/b/new a/new')).exitCode).toBe(0);
      expect(readFileSync(join(repo, 'a/b/secret'), 'utf8')).toBe('secret');
    });
  });

  describe('finer rules', () => {
    test('what is denied cannot be read, listed or written', async () => {
      mkdirSync(join(repo, 'private'));
      writeFileSync(join(repo, 'private/key'), 'secret');
      writeFileSync(join(home, 'key'), 'secret');
      const profile = managed([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'private'), 'deny'],
        [join(home, 'key'), 'deny'],
      ]);
      for (const script of [
        'cat private/key',
        'ls private',
        `cat ${home}/key`,
        'touch private/x',
        'rm -rf private',
        'chmod 777 private',
        `echo x > ${home}/key`,
      ]) {
        const { exitCode, text } = await run(profile, script);
        expect(exitCode, script).not.toBe(0);
        expect(text, script).not.toContain('secret');
      }
      expect(readFileSync(join(repo, 'private/key'), 'utf8')).toBe('secret');
    });

    test('a denied path that is missing cannot be made, and an ordinary read-only one neither', async () => {
      const profile = managed([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'no/such'), 'deny'],
        [join(repo, 'blocked'), 'read'],
      ]);
      expect((await run(profile, 'mkdir -p no/such')).exitCode).not.toBe(0);
      expect((await run(profile, 'echo x > blocked')).exitCode).not.toBe(0);
      expect(readdirSync(repo)).toEqual(['file']);
    });

    test('a folder inside a denied one can be opened again', async () => {
      mkdirSync(join(repo, 'a/b'), { recursive: true });
      writeFileSync(join(repo, 'a/secret'), 'secret');
      writeFileSync(join(repo, 'a/b/open'), 'open');
      const profile = managed([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'a'), 'deny'],
        [join(repo, 'a/b'), 'write'],
      ]);
      expect(await run(profile, 'cat a/b/open; touch a/b/new')).toEqual({ exitCode: 0, text: 'open' });
      for (const script of ['cat a/secret', 'ls a', 'touch a/new', 'mkdir a/b/.git', 'mv a/b a/c']) {
        expect((await run(profile, script)).exitCode, script).not.toBe(0);
      }
      expect(readdirSync(join(repo, 'a')).toSorted()).toEqual(['b', 'secret']);
      expect(readdirSync(join(repo, 'a/b')).toSorted()).toEqual(['new', 'open']);
    });

    test('reads can be limited to the system and the workspace', async () => {
      writeFileSync(join(home, 'key'), 'secret');
      const profile = managed([[repo, 'write']], { platform: true });
      expect(await run(profile, 'cat file; touch new; /bin/ls')).toEqual({ exitCode: 0, text: 'oldfile\nnew\n' });
      expect((await run(profile, `cat ${home}/key`)).exitCode).toBe(1);
      expect((await run(profile, `ls ${base}`)).text).toBe('repo\n');
      expect((await run(profile, `touch ${base}/new`)).exitCode).toBe(1);
      expect((await run(profile, 'true', { cwd: home })).text).toMatch(
        /^policy-unenforceable: The policy denies reading the working folder/,
      );
    });

    test('globs hide what they match, also behind links', async () => {
      mkdirSync(join(repo, 'app'));
      for (const name of ['.env', 'app/prod.env', 'app/plain']) writeFileSync(join(repo, name), 'secret');
      writeFileSync(join(home, 'real'), 'secret');
      symlinkSync(join(home, 'real'), join(repo, 'app/linked.env'));
      const profile = managed(
        [
          ['/', 'read'],
          [repo, 'write'],
        ],
        { globs: [`${repo}/**/*.env`] },
      );
      const { text } = await run(
        profile,
        `cat .env app/prod.env app/linked.env ${home}/real 2>&1 | grep -c denied; cat app/plain`,
      );
      expect(text).toBe('4\nsecret');
      expect((await run(managed([['/', 'read']], { globs: ['/**/*.env'] }), 'true')).text).toMatch(
        /^policy-unenforceable: /,
      );
    });

    test('a writable root that is missing, and one that is not ours, do not matter', async () => {
      const profile = managed([
        ['/', 'read'],
        [repo, 'write'],
        [join(home, 'later'), 'write'],
        [join(repo, 'later'), 'write'],
        ['/proc/sys', 'write'],
      ]);
      expect(await run(profile, 'mkdir later && touch later/x && echo ok')).toEqual({ exitCode: 0, text: 'ok\n' });
    });

    test('a disk without limits and a network with them', async () => {
      const profile: PermissionProfile = {
        type: 'managed',
        file_system: { type: 'unrestricted' },
        network: 'restricted',
      };
      expect(await run(profile, `touch ${home}/new && mkdir .git && echo ok`)).toEqual({ exitCode: 0, text: 'ok\n' });
      expect(existsSync(join(repo, '.git'))).toBe(true);
    });
  });

  describe('network', () => {
    async function listening(work: (server: { port: number; path: string; seen: () => number }) => Promise<void>) {
      let seen = 0;
      const path = join(repo, 'socket');
      const servers: Server[] = [];
      const listen = (where: number | string) =>
        new Promise<Server>((resolve) => {
          const server = createServer((socket) => ((seen += 1), socket.end('hello\n')));
          servers.push(server);
          if (typeof where === 'number') server.listen(where, '127.0.0.1', () => resolve(server));
          else server.listen(where, () => resolve(server));
        });
      try {
        const tcp = await listen(0);
        await listen(path);
        chmodSync(path, 0o777);
        await work({ port: (tcp.address() as { port: number }).port, path, seen: () => seen });
      } finally {
        for (const server of servers) server.close();
      }
    }

    const dial = (target: string) => [
      'perl',
      '-e',
      `use IO::Socket::INET; use IO::Socket::UNIX; my $s = ${target} or die "refused: $!"; print <$s>;`,
    ];
    const byPort = (port: number) => dial(`IO::Socket::INET->new(PeerAddr => "127.0.0.1:${port}")`);
    const byName = (path: string) => dial(`IO::Socket::UNIX->new(Peer => "${path}")`);

    test('nobody is reached while it is restricted, neither by port nor by a socket in the workspace', async () => {
      await listening(async ({ port, path, seen }) => {
        for (const profile of [readOnly, workspaceWrite]) {
          expect((await run(profile, '', { argv: byPort(port) })).text).toContain('refused: Operation not permitted');
          expect((await run(profile, '', { argv: byName(path) })).text).toContain('refused: Operation not permitted');
        }
        expect(seen()).toBe(0);
      });
    });

    test('both are reached when it is enabled', async () => {
      await listening(async ({ port, path }) => {
        const profile = mode('workspace-write', true);
        expect(await run(profile, '', { argv: byPort(port) })).toEqual({ exitCode: 0, text: 'hello\n' });
        expect(await run(profile, '', { argv: byName(path) })).toEqual({ exitCode: 0, text: 'hello\n' });
      });
    });

    test('programs can still talk to their children', async () => {
      const parent = `
        const { spawn, fork } = require('node:child_process');
        if (process.send) { process.on('message', (m) => process.send(m + 1, () => process.exit())); return; }
        const child = spawn(process.execPath, ['-e', 'console.log("from the child")']);
        child.stdout.on('data', (d) => process.stdout.write(d));
        child.on('close', () => { const f = fork(__filename); f.send(41); f.on('message', (m) => console.log(m)); });`;
      writeFileSync(join(repo, 'parent.cjs'), parent);
      expect(await run(workspaceWrite, '', { argv: [process.execPath, 'parent.cjs'] })).toEqual({
        exitCode: 0,
        text: 'from the child\n42\n',
      });
    });
  });

  describe('the filter in the kernel', () => {
    // ptrace (traceme), io_uring_setup, keyctl (session keyring), and a datagram socket by its number.
    const calls =
      process.arch === 'arm64'
        ? { ptrace: 117, keyctl: 219, socket: 198, unshare: 97 }
        : { ptrace: 101, keyctl: 250, socket: 41, unshare: 272 };
    const probe = (name: keyof typeof calls | 'io_uring', parameters: string) => [
      'perl',
      '-e',
      `my $r = syscall(${name === 'io_uring' ? 425 : calls[name]}, ${parameters}); print $r < 0 ? "$!" : "allowed";`,
    ];

    test.each([
      ['ptrace', '0, 0, 0, 0', 'Operation not permitted', 'allowed'],
      ['io_uring', '1, 0', 'Operation not permitted', 'Operation not permitted'],
      ['keyctl', '0, -3, 0', 'Operation not permitted', 'Operation not permitted'],
      ['socket', '2, 1, 0', 'Operation not permitted', 'allowed'],
      ['socket', '40, 1, 0', 'Operation not permitted', 'Operation not permitted'],
      ['socket', '1, 2, 0', 'Operation not permitted', 'allowed'],
      ['socket', '1, 1, 0', 'allowed', 'allowed'],
    ] as const)('%s(%s): restricted "%s", enabled "%s"', async (name, parameters, whenRestricted, whenEnabled) => {
      expect((await run(readOnly, '', { argv: probe(name, parameters) })).text).toBe(whenRestricted);
      expect((await run(mode('read-only', true), '', { argv: probe(name, parameters) })).text).toBe(whenEnabled);
    });

    test('no user namespaces inside', async () => {
      expect((await run(readOnly, '', { argv: probe('unshare', String(0x10000000)) })).text).not.toBe('allowed');
    });
  });

  test('a program that is not there is told as such', async () => {
    const { exitCode, text } = await run(readOnly, '', { argv: ['no-such-program'] });
    expect(exitCode).toBe(1);
    expect(text).toContain('no-such-program');
  });
});
