import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileAccess, FileSystemEntry, PermissionProfile } from '../../src/protocol/permissions.ts';
import { capstanScript } from '../harness/run-capstan.ts';
import { codexSearchPath, nativeCodex } from './native-codex.ts';

// Runs the same commands with the same profile in the sandbox of Codex and in ours. Each policy is one run per program:
// the commands follow one another in it, in folders that both programs find alike.

const base = mkdtempSync('/var/tmp/capstan-differential-');
const listener = createServer((socket) => socket.on('error', () => {}).end());
beforeAll(() => new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  listener.close();
  rmSync(base, { recursive: true, force: true });
});

/** The folders that each command may touch. The workspace is `w`. */
interface Ground {
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
}

function makeGround(name: string): Ground {
  const root = join(base, name);
  const ground = { workspace: join(root, 'w'), outside: join(root, 'o'), home: join(root, 'h') };
  for (const folder of [
    'w/.git/hooks',
    'w/.agents',
    'w/docs/private/open',
    'w/src/deep/er',
    'w/closed/inner/out',
    'w/sub/.git',
    'o/extra/deep',
    'h',
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const file of [
    'w/file',
    'w/.git/config',
    'w/.agents/x',
    'w/docs/page',
    'w/docs/private/key',
    'w/docs/private/open/page',
    'w/src/a.ts',
    'w/src/.env',
    'w/src/deep/.env',
    'w/closed/key',
    'w/closed/inner/key',
    'w/closed/inner/out/file',
    'w/sub/.git/config',
    'h/auth.json',
    'o/file',
    'o/extra/file',
    'o/extra/deep/file',
  ]) {
    writeFileSync(join(root, file), 'old');
  }
  symlinkSync(join(root, 'o'), join(root, 'w/link'));
  return ground;
}

const at = (path: string, access: FileAccess): FileSystemEntry => ({ path: { type: 'path', path }, access });
const special = (kind: 'root' | 'minimal' | 'tmpdir' | 'slash_tmp', access: FileAccess): FileSystemEntry => ({
  path: { type: 'special', value: { kind } },
  access,
});
const workspace = (access: FileAccess, subpath?: string): FileSystemEntry => ({
  path: { type: 'special', value: { kind: 'project_roots', ...(subpath === undefined ? {} : { subpath }) } },
  access,
});
const glob = (pattern: string): FileSystemEntry => ({ path: { type: 'glob_pattern', pattern }, access: 'deny' });
const managed = (network: 'restricted' | 'enabled', ...entries: readonly FileSystemEntry[]): PermissionProfile => ({
  type: 'managed',
  file_system: { type: 'restricted', entries },
  network,
});
const guards = ['.git', '.agents', '.codex'].map((subpath): FileSystemEntry => ({
  ...workspace('read', subpath),
  missing_path_behavior: 'skip',
}));

type Policies = Readonly<Record<string, (ground: Ground) => PermissionProfile>>;

const policies: Policies = {
  'read-only': () => managed('restricted', special('root', 'read')),
  'read-only with network': () => managed('enabled', special('root', 'read')),
  workspace: () => managed('restricted', special('root', 'read'), workspace('write'), ...guards),
  'workspace with temporary folders': () =>
    managed('restricted', special('root', 'read'), workspace('write'), special('slash_tmp', 'write'), ...guards),
  'workspace with network': () => managed('enabled', special('root', 'read'), workspace('write'), ...guards),
  'another root': ({ outside }) =>
    managed('restricted', special('root', 'read'), workspace('write'), at(join(outside, 'extra'), 'write'), ...guards),
  'a read-only folder inside': () =>
    managed('restricted', special('root', 'read'), workspace('write'), workspace('read', 'docs'), ...guards),
  'a denied folder inside': () =>
    managed('restricted', special('root', 'read'), workspace('write'), workspace('deny', 'closed'), ...guards),
  'a denied file inside': () =>
    managed(
      'restricted',
      special('root', 'read'),
      workspace('write'),
      workspace('deny', 'docs/private/key'),
      ...guards,
    ),
  'a denied folder opened again for writing': () =>
    managed(
      'restricted',
      special('root', 'read'),
      workspace('write'),
      workspace('deny', 'closed'),
      workspace('write', 'closed/inner/out'),
      ...guards,
    ),
  'a denied folder opened again for reading': () =>
    managed(
      'restricted',
      special('root', 'read'),
      workspace('write'),
      workspace('deny', 'closed'),
      workspace('read', 'closed/inner'),
      ...guards,
    ),
  'read-only opened again for writing': () =>
    managed(
      'restricted',
      special('root', 'read'),
      workspace('write'),
      workspace('read', 'docs'),
      workspace('write', 'docs/private/open'),
      ...guards,
    ),
  'a denied pattern': ({ workspace: root }) =>
    managed('restricted', special('root', 'read'), workspace('write'), glob(`${root}/src/**/.env`), ...guards),
  'git that may be written': () =>
    managed(
      'restricted',
      special('root', 'read'),
      workspace('write'),
      workspace('write', '.git'),
      workspace('read', '.agents'),
    ),
  'denied outside': ({ outside }) =>
    managed('restricted', special('root', 'read'), workspace('write'), at(outside, 'deny'), ...guards),
  'the system and the workspace alone': () =>
    managed('restricted', special('minimal', 'read'), workspace('write'), ...guards),
  'the whole disk, without network': () => ({
    type: 'managed',
    file_system: { type: 'unrestricted' },
    network: 'restricted',
  }),
  'a single writable folder': () => managed('restricted', special('root', 'read'), workspace('write', 'src')),
};

/** A command and what it shows. All must end alike in both. */
const commands: readonly (readonly [name: string, script: string])[] = [
  ['read a file', 'cat file'],
  ['read outside', 'cat ../o/file'],
  ['read through a link', 'cat link/file'],
  ['read the system', 'cat /etc/passwd'],
  ['read .git', 'cat .git/config'],
  ['read docs', 'cat docs/page'],
  ['read a private file', 'cat docs/private/key'],
  ['list closed', 'ls closed'],
  ['read in closed', 'cat closed/key'],
  ['read deep in closed', 'cat closed/inner/key'],
  ['read .env', 'cat src/.env'],
  ['read a deep .env', 'cat src/deep/.env'],
  ['read source', 'cat src/a.ts'],
  ['write a file', 'echo new > file'],
  ['create a file', 'echo new > made'],
  ['create a folder', 'mkdir -p made-folder/a/b'],
  ['rename', 'mv made renamed'],
  ['remove', 'rm renamed'],
  ['write in src', 'echo new > src/deep/er/made'],
  ['write in docs', 'echo new > docs/made'],
  ['write in a private folder', 'echo new > docs/private/made'],
  ['write in an open folder', 'echo new > docs/private/open/made'],
  ['write in closed', 'echo new > closed/made'],
  ['write deep in closed', 'echo new > closed/inner/out/made'],
  ['write .git', 'echo new > .git/config'],
  ['create a hook', 'echo new > .git/hooks/pre-commit'],
  ['move .git', 'mv .git moved'],
  ['write .agents', 'echo new > .agents/x'],
  ['create .codex', 'mkdir .codex'],
  ['write outside', 'echo new > ../o/made'],
  ['write outside through a link', 'echo new > link/made'],
  ['write another root', 'echo new > ../o/extra/made'],
  ['write deep in another root', 'echo new > ../o/extra/deep/made'],
  ['write /tmp', 'f=$(mktemp -p /tmp) && rm "$f"'],
  ['write /var/tmp', 'f=$(mktemp -p /var/tmp) && rm "$f"'],
  ['write the system', 'touch /etc/capstan-differential'],
  ['write a device', 'echo x > /dev/null'],
  ['read a device', 'head -c 1 /dev/urandom > /dev/null'],
  ['see a process outside', 'test -e /proc/$OUTER'],
  ['signal a process outside', 'kill -0 $OUTER'],
  ['mount', 'mount -t tmpfs none /mnt'],
  ['reach a port outside', 'exec 3<>/dev/tcp/127.0.0.1/$PORT'],
  ['a local pair', `perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or exit 1'`],
  ['io_uring', `perl -e 'exit(syscall(425, 8, my $x = "\\0" x 120) >= 0 ? 0 : 1)'`],
  ['capabilities', 'grep -q "CapEff:.0000000000000000" /proc/self/status'],
  ['write .git of a repository inside', 'echo new > sub/.git/config'],
  ['create .aws', 'mkdir .aws'],
  ['create .capstan', 'mkdir .capstan'],
  ['read the login', 'cat ../h/auth.json'],
  ['write the home', 'echo new > ../h/config.toml'],
  ['a user namespace', 'unshare --user true'],
  ['trace a process', `perl -e 'exit(syscall($ARGV[0], 0, 0, 0, 0) == 0 ? 0 : 1)' $PTRACE`],
  ['a key ring', `perl -e 'exit(syscall($ARGV[0], 0, -3, 0) >= 0 ? 0 : 1)' $KEYCTL`],
  ['a record about itself in /proc', 'echo 500 > /proc/self/oom_score_adj'],
  ['a kernel setting', 'exec 3>> /proc/sys/kernel/hostname'],
  ['no new privileges', 'grep -q "NoNewPrivs:.1" /proc/self/status'],
];

/** Commands that Codex lets pass and Capstan refuses, under any policy. */
const stricter: readonly string[] = [
  'write .git of a repository inside',
  'create .capstan',
  'read the login',
  'a user namespace',
  'a record about itself in /proc',
  'a kernel setting',
  'a key ring',
];

/** Verdicts that differ under one policy alone. */
const particular: readonly string[] = [
  // Codex takes the most specific entry as well, and its mounts keep the folder closed.
  'a denied folder opened again for reading: read deep in closed (Capstan lets it)',
  // Codex sets a filter and nothing else where the whole disk may be written.
  'the whole disk, without network: see a process outside (Codex lets it)',
  'the whole disk, without network: signal a process outside (Codex lets it)',
  'the whole disk, without network: mount (Codex lets it)',
  'the whole disk, without network: capabilities (Capstan lets it)',
];

/** Codex starts its own program inside the sandbox, which this policy does not let be read. */
const notInCodex = 'the system and the workspace alone';

const script = commands
  .map(([, command], at) => `( ${command} ) > /dev/null 2>&1; printf '%s:%s ' ${at} $?`)
  .join('\n');

type Helper = (words: readonly string[]) => readonly [program: string, words: readonly string[], argv0: string];
const codex: Helper = (words) => [nativeCodex(), words, 'codex-linux-sandbox'];
const capstan: Helper = (words) => [process.execPath, [capstanScript, ...words], 'capstan-linux-sandbox'];
const codexCommand: Helper = (words) => [nativeCodex(), ['sandbox', ...words], 'codex'];
const capstanCommand: Helper = (words) => [process.execPath, [capstanScript, 'sandbox', ...words], 'node'];

/** The flags for both `codex sandbox` and `capstan sandbox`. */
const modes: Readonly<Record<string, (ground: Ground) => readonly string[]>> = {
  'no flag': () => [],
  'mode read-only': () => ['sandbox_mode="read-only"'],
  'mode workspace-write': () => ['sandbox_mode="workspace-write"'],
  'mode workspace-write without /tmp': () => [
    'sandbox_mode="workspace-write"',
    'sandbox_workspace_write.exclude_slash_tmp=true',
  ],
  'mode workspace-write with network': () => [
    'sandbox_mode="workspace-write"',
    'sandbox_workspace_write.network_access=true',
  ],
  'mode workspace-write with another root': ({ outside }) => [
    'sandbox_mode="workspace-write"',
    `sandbox_workspace_write.writable_roots=["${join(outside, 'extra')}"]`,
  ],
};

/** The words of the helper for a profile. */
function helperWords(profile: PermissionProfile, { workspace: cwd }: Ground): readonly string[] {
  return ['--sandbox-policy-cwd', cwd, '--command-cwd', cwd, '--permission-profile', JSON.stringify(profile), '--'];
}

/** Which commands succeed, or how the program ended without running any. */
async function verdicts(
  start: Helper,
  before: readonly string[],
  ground: Ground,
): Promise<readonly boolean[] | string> {
  const [program, words, argv0] = start([...before, 'bash', '-c', script]);
  const { TMPDIR: _none, ...variables } = process.env;
  const numbers = process.arch === 'x64' ? { PTRACE: '101', KEYCTL: '250' } : { PTRACE: '117', KEYCTL: '219' };
  const env = {
    ...variables,
    PATH: codexSearchPath(),
    CODEX_HOME: ground.home,
    CAPSTAN_HOME: ground.home,
    OUTER: String(process.pid),
    PORT: String((listener.address() as AddressInfo).port),
    ...numbers,
  };
  const child = spawn(program, words, { argv0, cwd: ground.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => void child.on('close', resolve));
  const ends = new Map(
    stdout
      .trim()
      .split(' ')
      .map((pair) => pair.split(':') as [string, string]),
  );
  if (ends.size !== commands.length) return `ended with ${String(code)}: ${stderr.trim().slice(0, 300)}`;
  return commands.map((_, index) => ends.get(String(index)) === '0');
}

describe('the sandbox of Codex and ours give the same verdicts', () => {
  const compared = new Set<string>();
  const found = new Set<string>();

  /** Compares the two, and gives the differences that are not known. */
  async function compare(
    name: string,
    runs: readonly [Helper, Helper],
    wordsFor: (ground: Ground) => readonly string[],
  ) {
    const [theirs, ours] = await Promise.all(
      runs.map(async (start, index) => {
        const ground = makeGround(`${name.replaceAll(/[ /]/g, '-')}-${index}`);
        return verdicts(start, wordsFor(ground), ground);
      }),
    );
    const ends = [theirs, ours].map((end) => (typeof end === 'string' ? end : 'ran'));
    const odd = commands.flatMap(([command], index) => {
      if (ends.some((end) => end !== 'ran')) return [];
      const [their, our] = [theirs?.[index], ours?.[index]];
      compared.add(`${name}: ${command}`);
      return their === our ? [] : [`${name}: ${command} (${their === true ? 'Codex' : 'Capstan'} lets it)`];
    });
    for (const each of odd) found.add(each);
    const isKnown = (each: string): boolean =>
      particular.includes(each) || stricter.some((command) => each === `${name}: ${command} (Codex lets it)`);
    return { ends, odd: odd.filter((each) => !isKnown(each)) };
  }

  it.each(Object.entries(policies))('%s', async (name, profileOf) => {
    const { ends, odd } = await compare(name, [codex, capstan], (ground) => helperWords(profileOf(ground), ground));
    expect(ends[0]).toMatch(name === notInCodex ? /No such file/ : /^ran$/);
    expect(ends[1]).toBe('ran');
    expect(odd).toEqual([]);
  });

  it.each(Object.entries(modes))('%s, by the command', async (name, overridesFor) => {
    const { ends, odd } = await compare(name, [codexCommand, capstanCommand], (ground) => [
      ...overridesFor(ground).flatMap((override) => ['-c', override]),
      '--',
    ]);
    expect({ ends, odd }).toEqual({ ends: ['ran', 'ran'], odd: [] });
  });

  it('over enough pairs of a policy and a command, and every difference that is known is seen', () => {
    expect(compared.size).toBeGreaterThanOrEqual(1250);
    expect(particular.filter((each) => !found.has(each))).toEqual([]);
    const seen = [...found].map((each) => each.replace(/^.*?: (.*) \(Codex lets it\)$/, '$1'));
    expect(stricter.filter((command) => !seen.includes(command))).toEqual([]);
  });
});
