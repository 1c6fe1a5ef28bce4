import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import type { NetworkLists } from '../../src/protocol/permissions.ts';
import { createTrial, rulesProfile } from '../harness/sandbox-trial.ts';

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const trial = createTrial({
  spawn: createNodeSpawn({ clock, runFolder: '/nowhere' }),
  programFiles: nodeProgramFiles,
  processes: processTable,
});
const { repo, run } = trial;
// Without /tmp, where the sandboxes of other test processes have mount points.
const offline = rulesProfile([
  ['/', 'read'],
  [repo, 'write'],
]);
const workspace = { ...offline, network: 'enabled' } as const;
const suite = trial.isPossible ? describe : describe.skip;

const servers: Server[] = [];
function listen(server: Server): Promise<number> {
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const seen: string[] = [];
const website = () =>
  listen(
    createHttpServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end('from outside\n');
    }),
  );

/** This machine by its address is what tests can reach; no wildcard would open it. */
const here: NetworkLists = { allow: ['127.0.0.1'], deny: [], local: false, methods: 'any' };

/** A request through the proxy, or past it, that prints what comes back. */
const fetchBy = (way: string, address: string): readonly string[] => ['bash', '-c', `curl -sS -m 5 ${way} ${address}`];
/** Loopback is what commands reach directly, so the proxy has to be named. */
const proxied = `--noproxy ''`;

suite(trial.title, () => {
  beforeEach(() => {
    trial.reset();
    seen.length = 0;
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  afterAll(() => trial.remove());

  test('a listed host is reached by HTTP, by a tunnel and by SOCKS', async () => {
    const port = await website();
    const ways = ['-x http://127.0.0.1:3128', '-p -x http://127.0.0.1:3128', '-x socks5h://127.0.0.1:3128'];
    for (const way of ways) {
      const end = await run(workspace, fetchBy(`${proxied} ${way}`, `http://127.0.0.1:${port}/a`), { lists: here });
      expect(end).toEqual({ exitCode: 0, text: 'from outside\n', denied: [] });
    }
    expect(seen).toEqual(['GET /a', 'GET /a', 'GET /a']);
  });

  test('the variables lead programs to the proxy, and what it refuses is known', async () => {
    const script = 'curl -sS -m 5 http://blocked.invalid/; curl -sS -m 5 https://blocked.invalid:8443/; true';
    const end = await run(workspace, script, { lists: here, env: { HTTP_PROXY: 'http://elsewhere:1', no_proxy: '*' } });
    expect(end.text).toContain('"reason":"not_allowed"');
    expect(end.text).toContain('CONNECT tunnel failed, response 403');
    expect(end.denied).toEqual([
      { host: 'blocked.invalid', port: 80, protocol: 'http', reason: 'not_allowed' },
      { host: 'blocked.invalid', port: 8443, protocol: 'https', reason: 'not_allowed' },
    ]);
  });

  test('past the proxy nothing is reached', async () => {
    const port = await website();
    const targets = [`http://127.0.0.1:${port}/`, 'http://192.0.2.1/', 'http://[2001:db8::1]/', 'http://10.0.0.1/'];
    for (const target of targets) {
      expect((await run(workspace, fetchBy(`--noproxy '*'`, target), { lists: here })).exitCode).toBe(7);
    }
    const names = await run(workspace, 'getent hosts example.com', { lists: { ...here, allow: ['*'] } });
    expect(names).toEqual({ exitCode: 2, text: '', denied: [] });
    expect(seen).toEqual([]);
  });

  test('lists do not open a network that is restricted', async () => {
    const end = await run(offline, 'env | grep -i proxy; (: < /dev/tcp/127.0.0.1/3128) 2>&1', { lists: here });
    expect(end.exitCode).toBe(1);
    expect(end.text).toMatch(/^bash.*Connection refused/);
    expect(end.denied).toBeUndefined();
  });

  test('a disk that may be written as a whole does not open the network', async () => {
    const port = await website();
    const whole = { type: 'managed', file_system: { type: 'unrestricted' }, network: 'enabled' } as const;
    expect((await run(whole, fetchBy(`--noproxy '*'`, `http://127.0.0.1:${port}/`), { lists: here })).exitCode).toBe(7);
    expect((await run(whole, fetchBy(proxied, `http://127.0.0.1:${port}/`), { lists: here })).text).toBe(
      'from outside\n',
    );
  });

  test('the command is what it would be without the proxy', async () => {
    writeFileSync(join(repo, 'bare'), 'echo "bare $1"\n', { mode: 0o755 });
    const script = `echo "$0 $1"; yes | head -1; echo "\${PIPESTATUS[0]}"; echo "$FOO"; echo "$NODE_OPTIONS$NODE_CHANNEL_FD"
      grep -c '^SigIgn:.0*$' /proc/self/status; ls -l /proc/self/fd | grep -c socket:; test -n "$CAPSTAN_COMMAND" && pwd; ./bare argument; kill -TERM $$`;
    const env = { FOO: 'bar baz', NODE_OPTIONS: '--require=/nowhere' };
    expect(await run(workspace, ['bash', '-c', script, 'name', 'argument'], { lists: here, env })).toEqual({
      exitCode: 143,
      text: `name argument\ny\n141\nbar baz\n--require=/nowhere\n1\n0\n${repo}\nbare argument\n`,
      denied: [],
    });
    expect(await run(workspace, ['./bare', 'x'], { lists: here })).toMatchObject({ exitCode: 0, text: 'bare x\n' });
    expect(await run(workspace, ['no-such-program'], { lists: here })).toMatchObject({
      exitCode: 127,
      text: 'capstan: no-such-program: no such program\n',
    });
  });

  test('a long environment and a long output pass', async () => {
    const env = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`V${at}`, 'x'.repeat(60_000)]));
    const end = await run(workspace, 'echo ${#V0} ${#V19}; seq 1 20000 | tail -1', { lists: here, env });
    expect(end).toEqual({ exitCode: 0, text: '60000 60000\n20000\n', denied: [] });
  });

  test('it works where the program itself cannot be seen', async () => {
    const port = await website();
    const profile = { ...rulesProfile([[repo, 'write']], { platform: true }), network: 'enabled' } as const;
    expect(await run(profile, `ls ${process.execPath}`, { lists: here })).toMatchObject({ exitCode: 2 });
    expect((await run(profile, fetchBy(proxied, `http://127.0.0.1:${port}/`), { lists: here })).text).toBe(
      'from outside\n',
    );
  });

  test('nothing of ours stays inside: no process, no channel that can be opened', async () => {
    const script = `
      readlink /proc/[0-9]*/exe | grep -c capstan-node
      for link in /proc/[0-9]*/fd/*; do
        case $(readlink $link) in socket:*) (: < $link) 2>/dev/null && echo "opened $link" ;; esac
      done; true`;
    expect(await run(workspace, script, { lists: here })).toEqual({ exitCode: 0, text: '0\n', denied: [] });
  });

  test('a program that sends garbage gets an error', async () => {
    const script = 'exec 9<>/dev/tcp/127.0.0.1/3128; echo hello >&9; head -1 <&9';
    expect((await run(workspace, script, { lists: here })).text).toBe('HTTP/1.1 400 Bad Request\r\n');
  });

  test('servers that a command starts are its own, beside the proxy', async () => {
    const script = `
      const server = require('node:http').createServer((q, r) => r.end('own')).listen(0, async () => {
        const { port } = server.address();
        console.log(await (await fetch('http://localhost:' + port)).text(), require('node:os').networkInterfaces().lo.length > 0);
        process.exit();
      });`;
    writeFileSync(join(repo, 'server.cjs'), script);
    expect(await run(workspace, [process.execPath, 'server.cjs'], { lists: here })).toMatchObject({
      text: 'own true\n',
    });
  });

  describe('where the lists leave this machine open', () => {
    const open: NetworkLists = { allow: ['*'], deny: ['denied.test'], local: true, methods: 'any' };
    const reach = (port: number) => `for name in 127.0.0.1 localhost; do curl -sS -m 5 http://$name:${port}/; done`;

    test('its servers answer on the loopback, through the proxy and without it', async () => {
      const port = await website();
      const twice = 'from outside\nfrom outside\n';
      expect(await run(workspace, reach(port), { lists: open })).toEqual({ exitCode: 0, text: twice, denied: [] });
      const direct = `exec 9<>/dev/tcp/127.0.0.1/${port}; printf 'GET /d HTTP/1.0\r\n\r\n' >&9; tail -1 <&9`;
      expect(await run(workspace, direct, { lists: open })).toMatchObject({ text: 'from outside\n' });
    });

    test('what a command starts is reached beside them', async () => {
      await website();
      const script = `
        const server = require('node:http').createServer((q, r) => r.end('own')).listen(0, '127.0.0.1', async () => {
          const { port } = server.address();
          for (const name of ['localhost', '127.0.0.1']) console.log(await (await fetch('http://' + name + ':' + port)).text());
          process.exit();
        });`;
      writeFileSync(join(repo, 'server.cjs'), script);
      expect(await run(workspace, [process.execPath, 'server.cjs'], { lists: open })).toMatchObject({
        text: 'own\nown\n',
      });
    });

    test('a port that is denied stays closed, and one that is not listed is asked about', async () => {
      const port = await website();
      const denied = await run(workspace, reach(port), { lists: { ...open, deny: [`localhost:${port}`] } });
      expect(denied).toMatchObject({ exitCode: 7 });
      const asked: string[] = [];
      const answerHost = async ({ name, port: at }: { name: string; port: number }) => {
        asked.push(`${name}:${at}`);
        return 'allowed' as const;
      };
      await run(workspace, reach(port), { lists: { ...open, allow: ['a.test'] }, answerHost });
      expect(asked).toEqual([`127.0.0.1:${port}`]);
      expect(seen).toHaveLength(2);
    });
  });

  test('commands at the same time have proxies of their own', async () => {
    const port = await website();
    const open = run(workspace, fetchBy(proxied, `http://127.0.0.1:${port}/`), { lists: here });
    const shut = run(workspace, fetchBy(proxied, `http://127.0.0.1:${port}/`), {
      lists: { ...here, allow: ['x.test'] },
    });
    expect((await open).text).toBe('from outside\n');
    expect((await shut).denied).toEqual([{ host: '127.0.0.1', port, protocol: 'http', reason: 'not_allowed_local' }]);
  });

  test('a question is asked while the command waits', async () => {
    const asked: string[] = [];
    const end = await run(workspace, 'curl -sS -m 5 http://new.invalid/', {
      lists: here,
      answerHost: async ({ name }) => (asked.push(name), 'allowed'),
    });
    expect(asked).toEqual(['new.invalid']);
    // The name leads nowhere, which the proxy finds out after the answer.
    expect(end.denied).toEqual([{ host: 'new.invalid', port: 80, protocol: 'http', reason: 'unresolved' }]);
  });

  test('a time limit ends the command, whether it runs yet or not', async () => {
    for (const timeoutMs of [5, 1500]) {
      const end = await run(workspace, 'echo started; sleep 1000', { lists: here, timeoutMs });
      expect(end).toMatchObject({ exitCode: -1, denied: [] });
    }
  });

  test('connections end with the command', async () => {
    let closed = 0;
    const port = await listen(
      createServer(
        (socket) =>
          void socket
            .on('error', () => {})
            .on('close', () => (closed += 1))
            .resume(),
      ),
    );
    const script = `exec 9<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n' >&9; head -1 <&9`;
    expect((await run(workspace, script, { lists: here })).text).toBe('HTTP/1.1 200 Connection Established\r\n');
    await vi.waitFor(() => expect(closed).toBe(1), { timeout: 20_000 });
  });
});
