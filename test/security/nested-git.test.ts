// @module-tag attack
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { RunnableCommand } from '../../src/ports/sandbox.ts';
import { protectGit } from '../../src/adapters/sandbox/policy-on-disk.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';
import { answer, callTool, type ItemDraft, say, type Script } from '../../src/testing/index.ts';
import { findGitFolders } from '../../src/engine/workspace/find-git-folders.ts';
import { TimeSlicer } from '../../src/engine/workspace/yield-to-event-loop.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

const command = (cmd: string): ItemDraft => callTool('exec_command', { cmd });
const patch = (...lines: readonly string[]): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
});
const turn = (...calls: readonly ItemDraft[]) => [answer({ items: calls }), answer({ items: [say('done')] })];

/** Puts files there, by path. */
function plant(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const repository = (folder: string): Readonly<Record<string, string>> => ({
  [`${folder}/HEAD`]: 'ref: refs/heads/main\n',
  [`${folder}/config`]: '[core]\n',
  [`${folder}/objects/keep`]: '',
  [`${folder}/refs/keep`]: '',
});

/** A repository with one in a folder, a submodule, one whose git folder is elsewhere, and one that is ignored. */
const nested: Readonly<Record<string, string>> = {
  ...repository('.git'),
  ...repository('.git/modules/sub'),
  ...repository('lib/deep/.git'),
  ...repository('store/far.git'),
  ...repository('vendor/dep/.git'),
  'lib/deep/file': 'old',
  'lib/deep/.codex/config.toml': 'model = "x"\n',
  'lib/deep/.agents/skills/x/SKILL.md': 'x',
  'vendor/dep/.capstan/rules/x.rules': '',
  'lib/.codex/config.toml': 'model = "x"\n',
  'sub/.git': 'gitdir: ../.git/modules/sub\n',
  'far/.git': 'gitdir: ../store/far.git\n',
  '.gitignore': 'vendor/\n',
};

/** Each would run a program of the attacker the next time that the user uses git there. */
const attacks: readonly (readonly [name: string, script: string])[] = [
  ['the configuration of a repository in a folder', 'echo "fsmonitor = x" >> lib/deep/.git/config'],
  ['a hook in a folder', 'mkdir -p lib/deep/.git/hooks && echo x > lib/deep/.git/hooks/pre-commit'],
  ['the git folder replaced', 'rm -r lib/deep/.git'],
  ['the folder moved away with its repository', 'mv lib/deep lib/other'],
  ['the folder above it moved away', 'mv lib other'],
  ['a pointer file turned elsewhere', 'echo "gitdir: /tmp/evil" > sub/.git'],
  ['a pointer file replaced', 'rm sub/.git'],
  ['the git folder of a submodule', 'echo "fsmonitor = x" >> .git/modules/sub/config'],
  ['the git folder that a pointer file leads to', 'echo "fsmonitor = x" >> store/far.git/config'],
  ['settings of Codex in a repository', 'echo "model = y" >> lib/deep/.codex/config.toml'],
  ['settings of Codex replaced', 'mv lib/deep/.codex lib/deep/old'],
  ['a skill in a repository', 'echo y > lib/deep/.agents/skills/x/SKILL.md'],
  ['rules in a repository that git ignores', 'echo "prefix_rule([1])" >> vendor/dep/.capstan/rules/x.rules'],
  ['a repository in a folder that git ignores', 'echo "fsmonitor = x" >> vendor/dep/.git/config'],
];

const contents = (root: string): unknown =>
  Object.keys(nested).map((path) => [path, existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8')]);

const script = attacks.map(([name, cmd]) => `(${cmd}) 2>/dev/null && echo "done: ${name}"`).join('\n');

describe.each([
  ['with undo', ''],
  ['without undo', '[undo]\nenabled = false\n'],
])('existing repositories inside the workspace, %s', (_, config) => {
  it('cannot be changed by commands, and everything beside them can', async () => {
    const beside = 'echo new > lib/deep/file; echo z > lib/.codex/config.toml; true';
    const live = await LiveThread.in(turn(command(`${script}\n${beside}`)), config);
    const root = live.place.workspace;
    plant(root, nested);
    const before = contents(root);
    await live.turn('go');
    expect(live.rows(1).at(-1)?.join(' ')).not.toContain('done:');
    expect(['lib/deep/file', 'lib/.codex/config.toml'].map((path) => readFileSync(join(root, path), 'utf8'))).toEqual([
      'new\n',
      'z\n',
    ]);
    plant(root, { 'lib/deep/file': 'old', 'lib/.codex/config.toml': 'model = "x"\n' });
    expect(contents(root)).toEqual(before);
    expect(live.told('warning')).toEqual([]);
  });
});

it('existing repositories inside the workspace cannot be changed by patches, and none can be made by one', async () => {
  const files = [
    'lib/deep/.git/config',
    'sub/.git',
    'fresh/.git/config',
    'fresh/.git',
    '.git/modules/sub/hooks/x',
    'lib/deep/.codex/config.toml',
    'lib/deep/.capstan/config.toml',
  ];
  const allowed = patch('*** Add File: lib/.agents/x', '+fine');
  const live = await LiveThread.in(turn(...files.map((file) => patch(`*** Add File: ${file}`, '+evil')), allowed));
  const root = live.place.workspace;
  plant(root, nested);
  const before = contents(root);
  await live.turn('go');
  const answers = live.rows(1).flatMap(([kind, text]) => (kind === 'output' ? [text] : []));
  expect(answers.map((text) => /may not be written/.test(text ?? ''))).toEqual([...files.map(() => true), false]);
  expect(readFileSync(join(root, 'lib/.agents/x'), 'utf8')).toBe('fine\n');
  expect([contents(root), existsSync(join(root, 'fresh'))]).toEqual([before, false]);
});

it('a repository that a command makes works in its turn, is reported, and is protected from the next one on', async () => {
  const make = 'git init -q made && git -C made config user.name x && git init -q --bare bare';
  const later = 'git -C made config user.email y';
  const bare = 'git -C bare config user.email y && echo bare written';
  const live = await LiveThread.in([
    ...turn(command(`${make} && ${later} && echo made it`)),
    ...turn(command(`${later}z || echo refused; ${bare}`)),
  ]);
  const root = live.place.workspace;
  plant(root, repository('.git'));
  await live.turn('go');
  expect(live.rows(1).at(-1)?.join(' ')).toContain('made it');
  expect(live.told('warning').map(({ outcome }) => [outcome.code, outcome.message])).toEqual([
    [
      'new-repositories',
      `New git repositories appeared during the turn: ${['made', 'bare'].map((name) => JSON.stringify(join(root, name))).join(', ')}.`,
    ],
  ]);
  await live.turn('again');
  expect(live.rows(3).at(-1)?.join(' ')).toMatch(/refused\nbare written/);
  expect(live.told('warning')).toHaveLength(1);
  expect(live.told('warning')[0]!.outcome.next).toContain('or in the folder itself if the repository is bare');
  const notices = live.rows(3).filter((row) => row.join(' ').includes('New git repositories appeared during the turn'));
  expect(notices).toHaveLength(1);
  expect(notices[0]!.join(' ')).toContain('A bare repository has no .git and stays writable.');
});

it('what a command makes is reported when it has ended, while the turn goes on, and once', async () => {
  const make =
    'git init -q made; mkdir made/.codex; echo x > made/.codex/config.toml; mkdir lib/deep/.codex; echo x > lib/deep/.codex/config.toml; mkdir -p lib/.codex/x';
  const live = await LiveThread.in([
    answer({ items: [command(make)] }),
    answer({ items: [command('sleep 1; git -C made config user.name x && echo usable')] }),
    answer({ items: [say('done')] }),
  ]);
  const root = live.place.workspace;
  plant(root, { ...repository('.git'), ...repository('lib/deep/.git') });
  await live.turn('go');
  const order = live.events.flatMap((event) => {
    if (event.kind === 'warning') return [event.outcome.code];
    return event.kind === 'item-completed' && event.item.kind === 'command' ? ['command'] : [];
  });
  expect(order).toEqual(['command', 'new-repositories', 'new-settings', 'command']);
  const settings = live.told('warning').map(({ outcome }) => outcome.message)[1];
  for (const path of ['made/.codex', 'lib/deep/.codex']) expect(settings).toContain(JSON.stringify(join(root, path)));
  expect(live.rows(2).at(-1)?.join(' ')).toContain('usable');
});

async function outsideOfGit(script: Script): Promise<LiveThread> {
  const live = await LiveThread.in(script);
  rmSync(join(live.place.workspace, '.git'), { recursive: true });
  return live;
}

describe('a workspace that is no repository', () => {
  const plantBare =
    'mkdir -p objects refs; printf "[core]\\n\\tfsmonitor = touch /tmp/owned\\n" > config; echo "ref: refs/heads/x" > HEAD; ln -s refs/heads/x HEAD; rmdir HEAD; mv objects HEAD; true';

  it(
    'cannot be made one by a command that plants HEAD, objects, refs and config',
    { tags: 'representative' },
    async () => {
      const live = await outsideOfGit(turn(command(plantBare)));
      const root = live.place.workspace;
      await live.turn('go');
      await live.close();
      const git = spawnSync('git', ['rev-parse', '--is-bare-repository'], { cwd: root, encoding: 'utf8' });
      expect([git.status === 0, existsSync(join(root, 'refs'))]).toEqual([false, true]);
    },
  );

  it('cannot be made one by a patch', { tags: 'representative' }, async () => {
    const live = await outsideOfGit(turn(patch('*** Add File: HEAD', '+ref: refs/heads/x')));
    await live.turn('go');
    expect(live.rows(1).at(-1)?.join(' ')).toContain('may not be written');
    expect(existsSync(join(live.place.workspace, 'HEAD'))).toBe(false);
  });

  it('is left as it was: the name that was kept does not stay', async () => {
    const live = await outsideOfGit(turn(command('echo a > a')));
    await live.turn('go');
    await live.close();
    await expect.poll(() => readdirSync(live.place.workspace)).toEqual(['a']);
    expect(live.told('warning')).toEqual([]);
  });
});

describe('bounds', () => {
  const paths = (count: number) => Array.from({ length: count }, (_, index) => `/repo/${index}/.git`);
  const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
  const places = { cwd: '/repo', workspaceRoots: ['/repo'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  const policy = resolvePolicy(builtInProfile('workspace-write', options), places);

  it('more repositories than can be protected: no command runs', () => {
    expect(protectGit(policy, paths(200))).toMatchObject({ enforcement: 'managed' });
    expect(protectGit(policy, paths(201))).toMatchObject({ kind: 'refused', code: 'policy-unenforceable' });
  });

  it('a folder too large to look through is named, whatever is in it', async () => {
    const root = mkdtempSync('/tmp/capstan-git-');
    onTestFinished(() => rmSync(root, { recursive: true }));
    plant(root, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${index}/.git/config`, ''])));
    const look = (mostEntries: number) =>
      findGitFolders(
        { roots: [root], denies: () => false },
        { pace: new TimeSlicer(systemClock, new AbortController().signal), mostEntries, isLate: () => false },
      );
    expect(await look(1000)).toMatchObject({ unseen: [], repositories: { length: 50 } });
    const { unseen, repositories } = await look(70);
    expect([unseen, repositories.length < 50]).toEqual([[root], true]);
  });
});

it('mount points of a sandbox are no repositories, what git takes for one is', async () => {
  const root = mkdtempSync('/tmp/capstan-git-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  const limits = {
    pace: new TimeSlicer(systemClock, new AbortController().signal),
    mostEntries: 1000,
    isLate: () => false,
  };
  for (const name of ['.git', 'HEAD', 'objects', 'refs', 'bare', 'bare/objects', 'bare/refs', 'new', 'pointer']) {
    mkdirSync(join(root, name));
  }
  const seen = { root, git: { folders: [''], bare: [''], notEntered: ['bare', 'new', 'pointer'] } };
  for (const given of [{}, { seen }]) {
    const look = () => findGitFolders({ roots: [root], denies: () => false, ...given }, limits);
    expect(await look()).toMatchObject({ repositories: [] });
  }
  rmSync(join(root, 'HEAD'), { recursive: true });
  plant(root, { 'bare/HEAD': 'ref: refs/heads/x', 'new/.git/HEAD': 'ref: refs/heads/x', 'pointer/.git': 'gitdir: /x' });
  const { repositories } = await findGitFolders({ roots: [root], denies: () => false }, limits);
  expect(repositories.toSorted()).toEqual(['bare', 'new', 'pointer'].map((name) => join(root, name)));
});

const isRoot = process.getuid?.() === 0;
const nobody = 65534;

it.runIf(isRoot && process.platform === 'linux')('the same attacks fail as a plain user', async () => {
  const base = mkdtempSync('/var/tmp/capstan-git-');
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  spawnSync('chmod', ['755', base]);
  const root = join(base, 'repo');
  plant(root, nested);
  spawnSync('chown', ['-R', `${nobody}:${nobody}`, root]);
  const spawn = createNodeSpawn({ clock: systemClock, runFolder: join(base, 'run') });
  const sandbox = createSandbox({
    platform: process.platform,
    architecture: process.arch,
    env: process.env,
    writable: () => [root],
    packagedBubblewrap: join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap'),
    mountRegistries: mountRegistryFolders,
    spawn,
    programFiles: nodeProgramFiles,
    processes: processTable,
  });
  const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
  const places = { cwd: root, workspaceRoots: [root], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  const policy = resolvePolicy(builtInProfile('workspace-write', options), places);
  const limits = {
    pace: new TimeSlicer(systemClock, new AbortController().signal),
    mostEntries: 10_000,
    isLate: () => false,
  };
  const { paths } = await findGitFolders({ roots: [root], denies: () => false }, limits);
  const env = { PATH: process.env['PATH'] ?? '', HOME: base };
  const planned = await sandbox.plan({ argv: ['bash', '-c', `${script}\nid -u`], cwd: root, env }, policy, paths);
  if (planned.kind === 'refused') throw new Error(planned.message);
  const before = contents(root);
  const { stdout, stderr } = runAs(nobody, planned, base);
  await planned.cleanup();
  expect([stdout, stderr]).toEqual([`${nobody}\n`, '']);
  expect(contents(root)).toEqual(before);
});

/** The planned command, by a copy of bubblewrap that the user can reach. */
function runAs(user: number, { argv, cwd, env, files }: RunnableCommand, base: string) {
  const program = join(base, 'bwrap');
  copyFileSync(argv[0]!, program);
  spawnSync('chmod', ['755', program]);
  const open = files.map((bytes, index) => {
    const path = join(base, `file-${index}`);
    writeFileSync(path, bytes, { mode: 0o644 });
    chownSync(path, user, user);
    return openSync(path, 'r');
  });
  expect(statSync(program).uid).toBe(0);
  return spawnSync(program, argv.slice(1), {
    cwd,
    env,
    uid: user,
    gid: user,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', ...open],
  });
}
