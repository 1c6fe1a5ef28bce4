import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { capstanScript, Place } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { sandboxIsPossible } from '../security/sandboxed.ts';

const suite = sandboxIsPossible ? describe : describe.skip;

function aPlace(): Place {
  const place = new Place('http://127.0.0.1:9/');
  whenTestEnds(() => place.remove());
  return place;
}

const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
const readOnly = JSON.stringify(builtInProfile('read-only', options));

suite('capstan sandbox', () => {
  it('runs a command that may only read, whatever the configuration says, and ends as it ends', async () => {
    const place = aPlace();
    const { code, stdout } = await place.run('sandbox', '--', 'sh', '-c', 'cat .git/HEAD; touch new; echo $?; exit 42');
    expect({ code, stdout }).toEqual({ code: 42, stdout: 'ref: refs/heads/main\n1\n' });
    expect(existsSync(join(place.workspace, 'new'))).toBe(false);
    expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toContain('workspace-write');
  });

  it('takes the words of the command as they are, also without "--"', async () => {
    const place = aPlace();
    for (const before of [[], ['run'], ['--'], ['run', '--'], ['-P', ':read-only']]) {
      const { code, stdout } = await place.run('sandbox', ...before, 'printf', '%s|', '-P', '--help', 'a b', '--');
      expect([before, code, stdout]).toEqual([before, 0, '-P|--help|a b|--|']);
    }
  });

  it('commands of its own are words like others behind "--"', async () => {
    const place = aPlace();
    const folder = join(place.root, 'bin');
    mkdirSync(folder);
    for (const name of ['check', 'explain', 'setup', 'linux', 'run']) {
      writeFileSync(join(folder, name), '#!/bin/sh\necho program $0 | sed s,/.*/,,\n');
      chmodSync(join(folder, name), 0o755);
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
      expect(await place.runWith({ env }, 'sandbox', '--', name)).toMatchObject({
        code: 0,
        stdout: `program ${name}\n`,
      });
    }
  });

  it('a profile or a mode opens the workspace', async () => {
    const place = aPlace();
    expect((await place.run('sandbox', '-P', ':workspace', '--', 'touch', 'one')).code).toBe(0);
    expect((await place.run('sandbox', '-c', 'sandbox_mode="workspace-write"', '--', 'touch', 'two')).code).toBe(0);
    expect(
      (await place.run('sandbox', '-c', 'sandbox_workspace_write.network_access=true', '--', 'touch', 'three')).code,
    ).toBe(1);
    expect((await place.run('sandbox', '-P', ':danger-full-access', '--', 'touch', '.git/x')).code).toBe(0);
    mkdirSync(join(place.workspace, 'below'));
    expect(
      (await place.run('sandbox', '-P', ':workspace', '-C', 'below', '--', 'touch', 'here', '/usr/capstan-test')).code,
    ).toBe(1);
    expect(readdirSync(place.workspace)).toEqual(['.git', 'below', 'one', 'two']);
    expect(readdirSync(join(place.workspace, 'below'))).toEqual(['here']);
  });

  it('a built-in profile has nothing of what is configured for modes', async () => {
    const place = aPlace();
    const show = ['--', 'sh', '-c', 'echo "network off: $CODEX_SANDBOX_NETWORK_DISABLED"'];
    const open = ['-c', 'sandbox_workspace_write.network_access=true', '-c', 'sandbox_mode="workspace-write"'];
    expect((await place.run('sandbox', ...open, ...show)).stdout).toBe('network off: \n');
    expect((await place.run('sandbox', ...open, '-P', ':workspace', ...show)).stdout).toBe('network off: 1\n');
  });

  it('signals reach the command, and the end by one is handed on', async () => {
    const place = aPlace();
    const running = place.start(['sandbox', '--', 'sh', '-c', 'echo ready; sleep 60']);
    await running.printed('ready');
    running.child.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ code: null, signal: 'SIGTERM' });
    expect((await place.run('sandbox', '--', 'sh', '-c', 'kill -KILL $$')).code).toBe(137);
  });

  it.each([
    [[], 'which command? Write it after "--"'],
    [['--'], 'which command?'],
    [['--nonsense', '--', 'ls'], 'there is no option --nonsense'],
    [['--json', '--', 'ls'], '--json works only with check and explain'],
    [['linux', '--apply-seccomp-then-exec', '--', 'ls'], 'is a stage that Capstan does not have'],
    [['linux', '--permission-profile', '{', '--', 'ls'], 'is not JSON'],
    [['linux', '--permission-profile', '{"type":"managed"}', '--', 'ls'], '--permission-profile'],
  ])('wrong usage is explained: %j', async (words, message) => {
    const { code, stdout, stderr } = await aPlace().run('sandbox', ...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('a folder or a program that is missing is named', async () => {
    const place = aPlace();
    expect(await place.run('sandbox', '-C', 'nowhere', '--', 'ls')).toMatchObject({ code: 1, stdout: '' });
    const missing = await place.run('sandbox', '--', 'no-such-program');
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toContain('no-such-program');
  });

  it('typing into the terminal is impossible: the command has a session of its own', async () => {
    const own = await aPlace().run(
      'sandbox',
      '--',
      'sh',
      '-c',
      'ps -o sid= -p $$ 2>/dev/null || cut -d" " -f6 /proc/self/stat',
    );
    const [sid = ''] = own.stdout.trim().split('\n');
    // Zero would be a session outside, which the sandbox does not see.
    expect(Number(sid)).toBeGreaterThan(0);
  });
});

suite('capstan sandbox check', () => {
  it('finds that everything holds, and leaves nothing behind', async () => {
    const place = aPlace();
    const { code, stdout } = await place.run('sandbox', 'check', '--json');
    const report = JSON.parse(stdout) as {
      holds: boolean;
      means: JsonObject;
      findings: { name: string; state: string }[];
    };
    expect(report.findings.filter(({ state }) => state === 'broken')).toEqual([]);
    expect([code, report.holds, report.means['kind']]).toEqual([0, true, 'bubblewrap']);
    expect(report.findings.length).toBeGreaterThan(24);
    expect(readdirSync(join(place.home, 'capstan')).filter((name) => name.startsWith('check-'))).toEqual([]);
  });

  it('prints a table', async () => {
    const { code, stdout } = await aPlace().run('sandbox', 'check');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Commands are isolated by bubblewrap, \//);
    expect(stdout).toMatch(/^Write outside of it +holds +refused: /m);
    expect(stdout).toMatch(/Everything holds/);
  });

  it('starts no bwrap from a folder that commands can write, as every run in that folder', async () => {
    const place = aPlace();
    const base = mkdtempSync('/var/tmp/capstan-check-');
    whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
    const [project, roots, other] = ['project', 'roots', 'other'].map((name) => join(base, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [project, roots]) {
      mkdirSync(join(folder, 'bin'), { recursive: true });
      writeFileSync(join(folder, 'bin/bwrap'), `#!/bin/sh\ntouch ${base}/ran\nexit 1\n`, { mode: 0o755 });
    }
    mkdirSync(other);
    const env = { PATH: `${join(project, 'bin')}:${join(roots, 'bin')}:${process.env['PATH'] ?? ''}` };
    const options = ['-c', `sandbox_workspace_write.writable_roots=["${roots}"]`];
    for (const words of [['check'], ['-C', other, '--', 'true']]) {
      const { code, stderr } = await place.runWith({ env, cwd: project }, 'sandbox', ...options, ...words);
      expect([code, existsSync(join(base, 'ran'))], stderr).toEqual([0, false]);
    }
  });

  it('says what is missing where there is no sandbox', async () => {
    const place = aPlace();
    const broken = join(place.root, 'bwrap');
    writeFileSync(broken, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2; exit 1\n');
    chmodSync(broken, 0o755);
    const env = { CAPSTAN_BWRAP: '/no/such/bwrap', PATH: '/usr/bin:/bin' };
    const { code, stderr } = await place.runWith({ env }, 'sandbox', 'check');
    // The copy that was unpacked serves where it is there.
    expect(code === 0 || stderr.includes('bubblewrap')).toBe(true);
  });
});

suite('capstan sandbox explain', () => {
  it('says for every system how the profile would be enforced', async () => {
    const { code, stdout } = await aPlace().run('sandbox', 'explain', '-P', ':workspace', '--json');
    const { routes } = JSON.parse(stdout) as { routes: { system: string; verdict: string }[] };
    expect([code, routes.map(({ system, verdict }) => `${system} ${verdict}`)]).toEqual([
      0,
      [
        'bubblewrap enforced',
        'landlock limited',
        'seatbelt enforced',
        'windows-elevated planned',
        'windows-unelevated refused',
      ],
    ]);
  });

  it('and why not, for people', async () => {
    const { code, stdout } = await aPlace().run('sandbox', 'explain', '-P', ':danger-full-access');
    expect(code).toBe(0);
    expect(stdout).toContain('Linux, bubblewrap    unneeded');
    expect(stdout).toContain('The policy restricts nothing here');
  });
});

suite('the helper', () => {
  const helper = (place: Place, argv0: string, words: readonly string[]) =>
    spawnSync(process.execPath, [capstanScript, ...words], {
      argv0,
      cwd: place.workspace,
      encoding: 'utf8',
      env: { ...process.env, CAPSTAN_HOME: place.home },
    });

  it.each(['codex-linux-sandbox', 'capstan-linux-sandbox', '/opt/x/codex-linux-sandbox'])('runs as %s', (argv0) => {
    const place = aPlace();
    const words = [
      '--sandbox-policy-cwd',
      place.workspace,
      '--command-cwd',
      place.home,
      '--permission-profile',
      readOnly,
    ];
    const { status, stdout } = helper(place, argv0, [...words, '--', 'sh', '-c', 'pwd; touch x; exit 9']);
    expect([status, stdout]).toEqual([9, `${realpathSync(place.home)}\n`]);
  });

  it('runs through a link of that name', () => {
    const place = aPlace();
    const link = join(place.root, 'capstan-linux-sandbox');
    symlinkSync(capstanScript, link);
    const words = ['--sandbox-policy-cwd', '.', '--permission-profile', readOnly, '--', 'echo', 'held'];
    const env = { ...process.env, CAPSTAN_HOME: place.home };
    const out = execFileSync(process.execPath, [link, ...words], {
      cwd: place.workspace,
      env,
    });
    expect(out.toString()).toBe('held\n');
  });

  it('runs by its old alias, and reads without a profile', async () => {
    const place = aPlace();
    expect(await place.run('debug', 'landlock', '--', 'cat', '.git/HEAD')).toMatchObject({
      code: 0,
      stdout: 'ref: refs/heads/main\n',
    });
  });

  it('holds a command with Landlock, or refuses in a sentence', async () => {
    const place = aPlace();
    const flags = ['--use-legacy-landlock', '--sandbox-policy-cwd', place.workspace, '--permission-profile'];
    writeFileSync(join(place.home, 'auth.json'), 'secret');
    const script =
      'cat .git/HEAD ../home/auth.json; touch new 2>/dev/null || echo kept; grep Seccomp_filters /proc/self/status; exit 3';
    const held = await place.run('sandbox', 'linux', ...flags, readOnly, '--', 'sh', '-c', script);
    // A kernel without it, or an installation without the package, refuses.
    const isRefused = held.code === 1 && held.stderr.includes('Landlock cannot');
    const isHeld = held.code === 3 && held.stdout === 'ref: refs/heads/main\nkept\nSeccomp_filters:\t2\n';
    expect({ ...held, fits: isRefused || isHeld }).toMatchObject({ fits: true });
    const entry = (path: string, access: string) => ({ path: { type: 'path', path }, access });
    const entries = [entry('/', 'read'), entry(place.workspace, 'write'), entry(join(place.workspace, 'a'), 'read')];
    const file_system = { type: 'restricted', entries };
    const kept = JSON.stringify({ type: 'managed', file_system, network: 'restricted' });
    const refused = await place.run('sandbox', 'linux', ...flags, kept, '--', 'true');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('Landlock cannot enforce this policy: it cannot keep read-only');
  });
});

suite('limits', () => {
  it('hold for every process of a command', async () => {
    const place = aPlace();
    const limits = ['-c', 'sandbox.max_processes=200', '-c', 'sandbox.max_memory_mb=300'];
    const show = ['--', 'grep', '-E', '^Max (data size|processes)', '/proc/self/limits'];
    const { stdout } = await place.run('sandbox', ...limits, ...show);
    expect(stdout.replaceAll(/ +/g, ' ')).toBe(
      'Max data size 314572800 314572800 bytes \nMax processes 200 200 processes \n',
    );
    const greedy = ['perl', '-e', 'my $x = "x" x (500 * 1024 * 1024); print length $x'];
    expect((await place.run('sandbox', ...limits, '--', ...greedy)).code).not.toBe(0);
    expect((await place.run('sandbox', '--', ...greedy)).stdout).toBe('524288000');
  });

  it('processes are counted within the sandbox, for users other than root', async () => {
    const isRoot = process.getuid?.() === 0;
    const script = 'for i in $(seq 30); do sleep 1 & done 2>/dev/null; wait; jobs | wc -l';
    const { stderr } = await aPlace().run('sandbox', '-c', 'sandbox.max_processes=10', '--', 'bash', '-c', script);
    // The kernel exempts root from this limit.
    expect(stderr.includes('fork') || isRoot).toBe(true);
  });
});
