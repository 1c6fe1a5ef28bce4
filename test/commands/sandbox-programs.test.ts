import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { sandboxIsPossible } from '../security/sandboxed.ts';

const suite = sandboxIsPossible ? describe : describe.skip;

function aPlace(): Place {
  const place = new Place('http://127.0.0.1:9/');
  whenTestEnds(() => place.remove());
  return place;
}

const listed = [
  ['-c', 'permissions.n.extends=":workspace"'],
  ['-c', 'permissions.n.network.enabled=true'],
  ['-c', 'permissions.n.network.domains={"example.com"="allow"}'],
  ['-P', 'n'],
].flat();

suite('capstan sandbox with lists of hosts', () => {
  it('runs the command with its streams, and ends as it ends', async () => {
    const place = aPlace();
    const script = 'cat; echo $HTTP_PROXY; echo oops >&2; exit 7';
    const end = await place.start(['sandbox', ...listed, '--', 'sh', '-c', script], { input: 'typed\n' }).finished;
    expect(end).toMatchObject({ code: 7, stdout: 'typed\nhttp://127.0.0.1:3128\n' });
    expect(end.stderr).toContain('oops');
  });

  it('refuses other hosts', async () => {
    const fetching = ['curl', '-sS', '-m', '5', 'http://other.invalid/'];
    const { code, stdout } = await aPlace().run('sandbox', ...listed, '--', ...fetching);
    expect([code, stdout.includes('"reason":"not_allowed"')]).toEqual([0, true]);
  });

  it('holds to network rules, and refuses what they ask about: there is no one to ask', async () => {
    const place = aPlace();
    mkdirSync(join(place.home, 'rules'), { recursive: true });
    const rules = [
      '"example.com", "http", "prompt"',
      '"open.invalid", "http", "allow"',
      '"shut.invalid", "http", "deny", justification="Never there"',
    ];
    writeFileSync(join(place.home, 'rules/x.rules'), rules.map((rule) => `network_rule(${rule})\n`).join(''));
    const explained = await place.run('sandbox', 'explain', ...listed);
    for (const line of [
      'hosts: example.com, open.invalid:80',
      'denied hosts: shut.invalid',
      'asked hosts: example.com',
    ]) {
      expect(explained.stdout).toContain(line);
    }
    const fetching =
      'echo said; for host in example.com open.invalid shut.invalid; do curl -sS -m 5 http://$host/; echo; done';
    const { stdout } = await place.run('sandbox', ...listed, '--', 'sh', '-c', fetching);
    const said = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '' && line !== 'said')
      .map((line) => (line.startsWith('{') ? (JSON.parse(line) as { readonly message: string }).message : line));
    expect(said).toEqual([
      'A rule asks the user before this host is reached, and the user cannot be asked.',
      'The name of this host cannot be resolved.',
      'A rule denies this host: Never there.',
    ]);
  });

  it('signals reach the command', async () => {
    const running = aPlace().start(['sandbox', ...listed, '--', 'sh', '-c', 'echo ready; sleep 60']);
    await running.printed('ready');
    running.child.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ code: null, signal: 'SIGTERM' });
    const killed = await aPlace().run('sandbox', ...listed, '--', 'sh', '-c', 'kill -KILL $$');
    expect(killed.code).toBe(137);
  });
});

suite('a program that cannot be started', () => {
  it.each([
    ['no-such-program', 127, 'The program "no-such-program" was not found.'],
    ['./nothing', 127, 'The program "./nothing" was not found.'],
    ['./notes.txt', 126, 'The program "./notes.txt" is not executable.'],
    ['/usr', 126, 'The program "/usr" is not executable.'],
    ['chekc', 127, 'Did you mean `capstan sandbox check`?'],
  ])('%s ends as in a shell', async (program, status, message) => {
    const place = aPlace();
    writeFileSync(join(place.workspace, 'notes.txt'), 'text');
    const profiles = [[], listed, ['-P', ':danger-full-access']];
    for (const options of profiles) {
      const { code, stdout, stderr } = await place.run('sandbox', ...options, '--', program);
      expect([code, stdout, stderr.includes(message)]).toEqual([status, '', true]);
    }
  });

  it('one of the workspace is found', async () => {
    const place = aPlace();
    writeFileSync(join(place.workspace, 'tool'), '#!/bin/sh\necho mine\n');
    chmodSync(join(place.workspace, 'tool'), 0o755);
    expect(await place.run('sandbox', './tool')).toMatchObject({ code: 0, stdout: 'mine\n' });
  });
});

suite('a profile', () => {
  it('is explained by its name, with the paths and hosts that it denies and allows', async () => {
    const place = aPlace();
    const denied = ['-c', 'permissions.n.filesystem={"/srv/keys"="deny","/srv/**/*.key"="deny"}'];
    const hosts = ['-c', 'permissions.n.network.domains={"b.org"="deny"}'];
    const { code, stdout } = await place.run('sandbox', 'explain', ...listed, ...denied, ...hosts);
    expect([code, stdout.split('\n').filter((line) => /^(profile|denied|hosts)/.test(line))]).toEqual([
      0,
      [
        expect.stringMatching(/^profile n in \/.*, 1 host$/),
        'denied: /srv/keys, /srv/**/*.key',
        'hosts: example.com',
        'denied hosts: b.org',
      ],
    ]);
  });

  it('is explained with what it makes read-only, and with how far the network goes', async () => {
    const place = aPlace();
    const folder = ['-c', 'permissions.n.filesystem.":workspace_roots"={"docs"="read"}'];
    const network = [
      '-c',
      'permissions.n.network.allow_local_binding=true',
      '-c',
      'permissions.n.network.mode="limited"',
    ];
    mkdirSync(join(place.workspace, 'docs'));
    const { stdout } = await place.run('sandbox', 'explain', ...listed, ...folder, ...network);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(/ read-only: [^:]*\/docs\b/);
    expect(text).toContain('local addresses: allowed requests: only GET, HEAD and OPTIONS, without encryption');
    const plain = await place.run('sandbox', 'explain', ...listed);
    expect(plain.stdout).not.toMatch(/local addresses|requests:/);
  });

  it.each([
    [
      ['-P', 'nope'],
      '-P names a profile that is not defined ("nope").',
      'Define [permissions.nope], or use :read-only',
    ],
    [['-P', 'workspace'], '-P names a profile that is not defined ("workspace").', 'Did you mean ":workspace"?'],
    [['-P', 'n', '-c', 'permissions.n.extends="workspace"'], 'permissions.n.extends', 'Did you mean ":workspace"?'],
    [[...listed, '-c', 'sandbox_mode="read-only"'], '-P n and sandbox_mode = "read-only" contradict', 'Use one'],
  ])('%j is named as it was written', async (options, message, next) => {
    const { code, stdout, stderr } = await aPlace().run('sandbox', ...options, '--', 'ls');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain(next);
    expect(stderr).not.toContain('default_permissions');
  });
});
