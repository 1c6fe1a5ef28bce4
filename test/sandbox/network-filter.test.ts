import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { nodeProgramFiles } from '../../src/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/exec/node-spawn.ts';
import { processTable } from '../../src/exec/processes/process-identity.ts';
import { createTrial, modeProfile } from '../harness/sandbox-trial.ts';

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const trial = createTrial({
  spawn: createNodeSpawn({ clock, runFolder: '/nowhere' }),
  programFiles: nodeProgramFiles,
  processes: processTable,
});
const { repo, run } = trial;
const readOnly = modeProfile('read-only', 'restricted');
const workspaceWrite = modeProfile('workspace-write', 'restricted');
const suite = trial.isPossible ? describe : describe.skip;

suite(trial.title, () => {
  beforeEach(() => trial.reset());
  afterAll(() => trial.remove());

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

    test('no server is reached while it is restricted, neither by port nor by a socket in the workspace', async () => {
      await listening(async ({ port, path, seen }) => {
        for (const profile of [readOnly, workspaceWrite]) {
          expect((await run(profile, byPort(port))).text).toContain('refused: Operation not permitted');
          expect((await run(profile, byName(path))).text).toContain('refused: Operation not permitted');
        }
        expect(seen()).toBe(0);
      });
    });

    test('both are reached when it is enabled', async () => {
      await listening(async ({ port, path }) => {
        const profile = modeProfile('workspace-write', 'enabled');
        expect(await run(profile, byPort(port))).toEqual({ exitCode: 0, text: 'hello\n' });
        expect(await run(profile, byName(path))).toEqual({ exitCode: 0, text: 'hello\n' });
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
      expect(await run(workspaceWrite, [process.execPath, 'parent.cjs'])).toEqual({
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
      expect((await run(readOnly, probe(name, parameters))).text).toBe(whenRestricted);
      expect((await run(modeProfile('read-only', 'enabled'), probe(name, parameters))).text).toBe(whenEnabled);
    });

    test('no user namespaces inside', async () => {
      expect((await run(readOnly, probe('unshare', String(0x10000000)))).text).not.toBe('allowed');
    });
  });
});
