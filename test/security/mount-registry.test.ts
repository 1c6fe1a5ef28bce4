// @module-tag attack
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { createEmptyMountPoints } from '../../src/adapters/sandbox/linux/mount-points.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { createTrial, rulesProfile } from '../harness/sandbox-trial.ts';

let base = '';
let registry = '';
let temporary = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-registry-'));
  registry = join(base, 'registry');
  temporary = join(base, 'tmp');
  mkdirSync(registry, { mode: 0o700 });
  mkdirSync(temporary);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

const linux = process.platform === 'linux' ? describe : describe.skip;
const engine = () =>
  createEmptyMountPoints({
    registries: [registry],
    processes: processTable,
    temporaryDirectories: [temporary],
    lingerMs: 0,
  });

/** Lets an engine look into the registry, which is when it tidies up after the dead. */
function tidy(): void {
  engine()
    .hold([join(base, 'unrelated')])
    .release();
}

const dead = () => spawnSync(process.execPath, ['-e', '']).pid;
const table = () => readlinkSync('/proc/self/ns/pid');
const start = (pid = process.pid) => processTable.startedAt(pid) ?? 'unknown';
const deadStart = () => start().replace(/\d+$/, '1');

/** The entry that an engine that has died would have written. */
function entry(folders: readonly unknown[], more: object = {}): string {
  return JSON.stringify({ process: dead(), startedAt: deadStart(), processTable: table(), folders, ...more });
}

function folder(...parts: readonly string[]): string {
  const path = join(base, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

linux('the registry of mount points', () => {
  test('stands in one place, whatever TMPDIR and HOME say', () => {
    const before = mountRegistryFolders();
    vi.stubEnv('TMPDIR', temporary);
    vi.stubEnv('HOME', temporary);
    expect(mountRegistryFolders()).toEqual(before);
    expect(before[0]).toBe(join(userInfo().homedir, '.local/state/capstan/mount-points'));
  });

  test('is not trusted when it is a link, a file, or open to others: the next place is', () => {
    const places = ['link', 'file', 'open', 'good'].map((name) => join(base, name));
    symlinkSync(folder('elsewhere'), places[0]!);
    writeFileSync(places[1]!, '');
    mkdirSync(places[2]!);
    chmodSync(places[2]!, 0o770);
    const points = createEmptyMountPoints({
      registries: places,
      processes: processTable,
      temporaryDirectories: [],
      lingerMs: 0,
    });
    expect(points.registry).toBe(places[3]);
  });

  test.runIf(process.getuid?.() === 0)('is not trusted when another user owns it', async () => {
    const { chownSync } = await import('node:fs');
    chownSync(registry, 65534, 65534);
    expect(engine().registry).toBeUndefined();
  });
});

linux('a forged entry removes nothing', () => {
  test('in the temporary folder, where the registry once stood', { tags: 'representative' }, () => {
    const target = folder('workspace/.git');
    const old = folder('tmp', `capstan-mounts-${process.getuid?.()}`);
    chmodSync(old, 0o700);
    writeFileSync(join(old, '1-0'), JSON.stringify({ process: dead(), folders: [target] }));
    tidy();
    expect(existsSync(target)).toBe(true);
  });

  test.each<[string, (target: string) => string]>([
    ['without a start of its process', (target) => JSON.stringify({ process: 1, folders: [target] })],
    ['with words in the place of a number', (target) => entry([target], { process: '1' })],
    ['with a negative number, which is a group', (target) => entry([target], { process: -1 })],
    ['with something else in its list', (target) => entry([target, 7])],
    ['with a path that climbs', (target) => entry([`${target}/../.git`])],
    ['with a relative path', () => entry(['.git'])],
    ['with a path that ends in a NUL byte', (target) => entry([`${target}\0`])],
    ['that is no JSON', (target) => `{"folders":["${target}"]`],
    ['that is a list', (target) => JSON.stringify([target])],
  ])('%s', (_, forge) => {
    const target = folder('workspace/.git');
    vi.spyOn(process, 'cwd').mockReturnValue(join(base, 'workspace'));
    writeFileSync(join(registry, '1-a'), forge(target));
    tidy();
    expect(existsSync(target)).toBe(true);
  });

  test('whose file is a link, or a file that would block', { tags: 'representative' }, () => {
    const target = folder('workspace/.git');
    writeFileSync(join(base, 'planted'), entry([target]));
    symlinkSync(join(base, 'planted'), join(registry, '1-a'));
    spawnSync('mkfifo', [join(registry, '1-b')]);
    writeFileSync(join(registry, 'name'), entry([target]));
    tidy();
    expect(existsSync(target)).toBe(true);
  });

  test('about a folder that no sandbox protects, one that is not empty, a file or a link', () => {
    const kept = [folder('workspace/src'), folder('workspace/.git'), join(base, '.codex'), join(base, '.aws')];
    writeFileSync(join(kept[1]!, 'HEAD'), '');
    writeFileSync(kept[2]!, '');
    symlinkSync(folder('empty'), kept[3]!);
    writeFileSync(join(registry, '1-a'), entry([...kept, base]));
    tidy();
    expect(kept.map((path) => existsSync(path))).toEqual([true, true, true, true]);
    expect(existsSync(join(base, 'empty'))).toBe(true);
  });

  test('about a folder behind a link that was put on the way', () => {
    const target = folder('elsewhere/.git');
    symlinkSync(join(base, 'elsewhere'), join(base, 'workspace'));
    mkdirSync(join(base, 'deep'));
    symlinkSync(join(base, 'elsewhere'), join(base, 'deep/link'));
    folder('elsewhere/sub/.git');
    writeFileSync(
      join(registry, '1-a'),
      entry([join(base, 'workspace/.git'), join(base, 'deep/link/.git'), join(base, 'deep/link/sub/.git')]),
    );
    tidy();
    expect(existsSync(target)).toBe(true);
    expect(existsSync(join(base, 'elsewhere/sub/.git'))).toBe(true);
  });

  test.runIf(process.getuid?.() === 0)("about another user's folder", async () => {
    const { chownSync } = await import('node:fs');
    const target = folder('workspace/.git');
    chownSync(target, 65534, 65534);
    writeFileSync(join(registry, '1-a'), entry([target]));
    tidy();
    expect(existsSync(target)).toBe(true);
  });
});

linux('an entry keeps its folder', () => {
  test('as long as its very process lives, and not because another has its number', () => {
    const [mine, reused] = [folder('one/.git'), folder('two/.git')];
    writeFileSync(join(registry, '1-a'), entry([mine], { process: process.pid, startedAt: start() }));
    writeFileSync(join(registry, '1-b'), entry([reused], { process: process.pid }));
    tidy();
    expect([existsSync(mine), existsSync(reused)]).toEqual([true, false]);
  });

  test('when its process is in another container, until the system is started again', () => {
    const [running, ended] = [folder('one/.git'), folder('two/.git')];
    writeFileSync(join(registry, '1-a'), entry([running], { processTable: 'pid:[1]' }));
    writeFileSync(join(registry, '1-b'), entry([ended], { processTable: 'pid:[1]', startedAt: 'another-boot 1' }));
    tidy();
    expect([existsSync(running), existsSync(ended)]).toEqual([true, false]);
  });

  test('that no sandbox protects by name, until an engine needs it', () => {
    const odd = folder('workspace/notes');
    writeFileSync(join(registry, '1-a'), entry([odd]));
    tidy();
    expect(existsSync(odd)).toBe(true);
    engine().hold([odd]).release();
    expect([existsSync(odd), readdirSync(registry)]).toEqual([false, []]);
  });
});

linux("Codex's table is advice", () => {
  /** As Codex writes it, for a command that mounts on the folder. */
  function codexMounts(path: string, pid: number): string {
    const marks = folder('tmp', `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`, fnv(path));
    writeFileSync(join(marks, String(pid)), 'synthetic\n');
    return join(marks, String(pid));
  }

  function fnv(text: string): string {
    let hash = 14695981039346656037n;
    for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 1099511628211n) % 2n ** 64n;
    return hash.toString(16).padStart(16, '0');
  }

  test('an entry of it keeps a folder of ours until its process ends', () => {
    const target = join(folder('workspace'), '.agents');
    const hold = engine().hold([target]);
    mkdirSync(target);
    const mark = codexMounts(target, process.pid);
    hold.release();
    expect(existsSync(target)).toBe(true);
    rmSync(mark);
    codexMounts(target, dead());
    tidy();
    expect([existsSync(target), readdirSync(registry)]).toEqual([false, []]);
  });

  test('an entry of it never removes a folder', () => {
    const target = folder('workspace/.agents');
    codexMounts(target, dead());
    const hold = engine().hold([target]);
    hold.release();
    tidy();
    expect(existsSync(target)).toBe(true);
  });
});

const trial = createTrial({
  spawn: createNodeSpawn({ clock: { now: () => 0, sleep: async () => {} }, runFolder: '/nowhere' }),
  programFiles: nodeProgramFiles,
  processes: processTable,
  registry: 'in base',
});
const suite = trial.isPossible ? describe : describe.skip;
suite(trial.title, () => {
  beforeEach(() => trial.reset());
  afterAll(() => trial.remove());

  test('a command that may write all around the registry cannot change it', async () => {
    const profile = rulesProfile([
      ['/', 'read'],
      [trial.base, 'write'],
    ]);
    const attacks = ['touch registry/1-a', 'rm -r registry', 'mv registry gone', 'mkdir registry/lock'];
    await trial.run(profile, 'true');
    expect(existsSync(join(trial.base, 'registry'))).toBe(true);
    expect(
      await trial.succeeding(
        profile,
        attacks.map((attack) => `cd ${trial.base} && ${attack}`),
      ),
    ).toEqual([]);
  });

  test('an engine inside a sandbox does not choose the registry that it cannot write there', async () => {
    const module = join(import.meta.dirname, '../../src/adapters/sandbox/linux/mount-registry.ts');
    const places = ['registry', 'repo/own'].map((name) => join(trial.base, name));
    const script = `import(${JSON.stringify(module)}).then((m) => console.log(m.openMountRegistry(${JSON.stringify(places)})))`;
    // Not /tmp, on whose folders all other engines mount: they have another registry.
    const profile = rulesProfile([
      ['/', 'read'],
      [trial.repo, 'write'],
    ]);
    await trial.run(profile, 'true');
    const { text } = await trial.run(profile, [process.execPath, '-e', script]);
    expect(text.trim()).toBe(places[1]);
  });
});
