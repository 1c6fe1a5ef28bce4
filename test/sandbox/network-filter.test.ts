import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { createTrial, modeProfile, type TrialOptions } from '../harness/sandbox-trial.ts';

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
          expect((await run(profile, byPort(port))).text).toContain('refused: Connection refused');
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

  describe('sockets on the disk', () => {
    const outside = (path: string): Promise<Server> =>
      new Promise((resolve) => {
        const server = createServer((socket) => socket.end('hello\n'));
        server.listen(path, () => resolve(server));
      });
    const dial = (path: string) =>
      `perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => "${path}") or die "refused: $!\n"; print <$s>;'`;

    test('only those that the policy lists are reached', async () => {
      const [one, other] = [join(repo, 'one.sock'), join(trial.temporary, 'other.sock')];
      const servers = [await outside(one), await outside(other)];
      try {
        for (const path of [one, other]) chmodSync(path, 0o777);
        const script = `${dial(one)}; ${dial(other)}; cd ${repo}; ${dial('one.sock')}; ln -sf ${other} link; ${dial('link')}`;
        expect((await run(workspaceWrite, script)).text).toBe('refused: Operation not permitted\n'.repeat(4));
        const listed = await run(workspaceWrite, script, { sockets: [one] });
        expect(listed.text).toBe('hello\nrefused: Connection refused\nhello\nrefused: Connection refused\n');
        const lists = { allow: [], deny: [], local: false, methods: 'any' } as const;
        const proxied = { lists, sockets: [trial.temporary] };
        expect((await run(modeProfile('workspace-write', 'enabled'), script, proxied)).text).toBe(
          'refused: Connection refused\nhello\nrefused: Connection refused\nhello\n',
        );
      } finally {
        for (const server of servers) server.close();
      }
    });

    test('abstract sockets of the machine are in another network', async () => {
      const name = `capstan-test-${process.pid}`;
      const server = await outside(`\0${name}`);
      try {
        const program = `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die "$!\n"; connect($s, pack("S", AF_UNIX) . chr(0) . "${name}") or die "$!\n"; print <$s>`;
        const dialled = (options?: TrialOptions) => run(workspaceWrite, ['perl', '-e', program], options);
        expect((await dialled()).text).toBe('Operation not permitted\n');
        expect((await dialled({ sockets: ['/nowhere'] })).text).toBe('Connection refused\n');
        expect(await run(modeProfile('workspace-write', 'enabled'), ['perl', '-e', program])).toMatchObject({
          text: 'hello\n',
        });
      } finally {
        server.close();
      }
    });

    test('files that variables name stay readable', async () => {
      const env = { HOSTALIASES: join(repo, 'file') };
      expect(await run(workspaceWrite, 'cat file', { sockets: ['/nowhere'], env })).toEqual({
        exitCode: 0,
        text: 'old',
      });
    });

    test('with a listed socket, commands have sockets of their own on the disk', async () => {
      const program = `
        const net = require('node:net');
        const server = net.createServer((s) => s.end('own')).listen('own.sock', () => {
          net.connect('own.sock').on('data', (d) => console.log(String(d))).on('close', () => process.exit());
        });`;
      writeFileSync(join(repo, 'own.cjs'), program);
      expect(await run(workspaceWrite, [process.execPath, 'own.cjs'], { sockets: ['/nowhere'] })).toEqual({
        exitCode: 0,
        text: 'own\n',
      });
    });
  });

  describe('what test runners need while the network is restricted', () => {
    test('servers on the loopback, found by name, over both versions and by datagrams', async () => {
      const program = `
        const [http, dgram, os] = ['node:http', 'node:dgram', 'node:os'].map((name) => require(name));
        const serve = (host) => new Promise((resolve) => {
          const server = http.createServer((q, r) => r.end('served')).listen(0, host, async () => {
            const { port, family } = server.address();
            const address = family === 'IPv6' ? '[::1]' : host;
            resolve(await (await fetch('http://' + address + ':' + port)).text());
          });
        });
        const datagram = () => new Promise((resolve) => {
          const socket = dgram.createSocket('udp4', (message) => resolve(String(message)));
          socket.bind(0, '127.0.0.1', () => socket.send('datagram', socket.address().port, '127.0.0.1'));
        });
        (async () => {
          console.log(await serve('127.0.0.1'), await serve('localhost'), await serve('::1'), await datagram());
          console.log(Object.keys(os.networkInterfaces()).join());
          process.exit();
        })();`;
      writeFileSync(join(repo, 'servers.cjs'), program);
      expect(await run(workspaceWrite, [process.execPath, 'servers.cjs'])).toEqual({
        exitCode: 0,
        text: 'served served served datagram\nlo\n',
      });
    });

    test('pairs with every call on them', async () => {
      const program = `
        use Socket; my ($a, $b, $c, $d);
        socketpair($a, $b, AF_UNIX, SOCK_STREAM, 0) or die "pair: $!"; socketpair($c, $d, AF_UNIX, SOCK_SEQPACKET, 0) or die "packets: $!";
        for my $pair ([$a, $b], [$c, $d]) {
          my ($one, $other) = @$pair;
          defined(send($one, "hello", 0)) or die "send: $!"; defined(recv($other, my $got, 9, 0)) or die "recv: $!";
          setsockopt($one, SOL_SOCKET, SO_SNDBUF, 4096) or die "setsockopt: $!"; getsockopt($one, SOL_SOCKET, SO_TYPE) or die "getsockopt: $!";
          defined(getsockname($one)) or die "getsockname: $!"; defined(getpeername($one)) or die "getpeername: $!";
          shutdown($one, 1) or die "shutdown: $!"; print "$got\n";
        }`;
      expect(await run(workspaceWrite, ['perl', '-e', program])).toEqual({ exitCode: 0, text: 'hello\nhello\n' });
    });

    test('a pair cannot be turned towards a socket outside', async () => {
      const path = join(repo, 'outside.sock');
      const server = createServer((socket) => socket.end('hello\n'));
      await new Promise<void>((resolve) => server.listen(path, resolve));
      try {
        const program = `
          use Socket; my $to = pack_sockaddr_un("${path}");
          for my $type (SOCK_STREAM, SOCK_SEQPACKET) {
            socketpair(my $a, my $b, AF_UNIX, $type, 0) or die; close($b);
            print connect($a, $to) ? "connected" : "no: $!", "\n"; print connect($a, pack("S", 0)) ? "undone" : "no: $!", "\n";
            print connect($a, $to) ? "connected" : "no: $!", "\n"; print listen($a, 1) ? "listening" : "no: $!", "\n";
          }`;
        const { text } = await run(workspaceWrite, ['perl', '-e', program]);
        expect(text.trim().split('\n')).toHaveLength(8);
        expect(text).not.toMatch(/^(connected|undone|listening)/m);
      } finally {
        server.close();
      }
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
      ['socket', '2, 1, 0', 'allowed', 'allowed'],
      ['socket', '2, 3, 1', 'Operation not permitted', 'Operation not permitted'],
      ['socket', '16, 3, 9', 'Operation not permitted', 'allowed'],
      ['socket', '16, 3, 0', 'allowed', 'allowed'],
      ['socket', '40, 1, 0', 'Operation not permitted', 'Operation not permitted'],
      ['socket', '1, 2, 0', 'Operation not permitted', 'allowed'],
      ['socket', '1, 1, 0', 'Operation not permitted', 'allowed'],
    ] as const)('%s(%s): restricted "%s", enabled "%s"', async (name, parameters, whenRestricted, whenEnabled) => {
      expect((await run(readOnly, probe(name, parameters))).text).toBe(whenRestricted);
      expect((await run(modeProfile('read-only', 'enabled'), probe(name, parameters))).text).toBe(whenEnabled);
    });

    test('no user namespaces inside', async () => {
      expect((await run(readOnly, probe('unshare', String(0x10000000)))).text).not.toBe('allowed');
    });
  });
});
