// @module-tag attack
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import { planLinux } from '../../src/adapters/sandbox/linux/linux-sandbox.ts';
import { createEmptyMountPoints } from '../../src/adapters/sandbox/linux/mount-points.ts';
import { otherEngine, stopped } from '../harness/other-engine.ts';
import { rulesProfile } from '../harness/sandbox-trial.ts';

let base = '';
let table = '';
let target = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-table-'));
  table = join(base, `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`);
  target = join(base, '.codex');
  mkdirSync(table);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const linux = process.platform === 'linux' ? describe : describe.skip;
const isRoot = process.getuid?.() === 0;
const engine = (registry = 'registry') =>
  createEmptyMountPoints({
    registries: [join(base, registry)],
    processes: processTable,
    temporaryDirectories: [base],
    lingerMs: 0,
  });

/** As Codex names the folder of marks. */
function marksOf(path: string): string {
  let hash = 14695981039346656037n;
  for (const byte of new TextEncoder().encode(path)) hash = ((hash ^ BigInt(byte)) * 1099511628211n) % 2n ** 64n;
  return join(table, hash.toString(16).padStart(16, '0'));
}

/** The files in the table, without empty folders of marks. */
function marks(): Readonly<Record<string, string>> {
  const names = readdirSync(table, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
  return Object.fromEntries(names.map((name) => [join(table, name), readFileSync(join(table, name), 'utf8')]));
}

/** A process that stands for a running Codex. */
function runningCodex(path: string, word: 'synthetic' | 'existing'): () => Promise<void> {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill());
  mkdirSync(marksOf(path), { recursive: true });
  const mark = join(marksOf(path), String(child.pid));
  writeFileSync(mark, `${word}\n`);
  return async () => {
    rmSync(mark);
    child.kill();
    await new Promise((resolve) => child.on('close', resolve));
  };
}

linux('in the table of Codex', () => {
  test('an engine enters what it mounts on, and what was there before under another word', () => {
    const before = join(base, '.git');
    mkdirSync(before);
    const points = engine();
    const holds = [points.hold([target, before]), points.hold([target])];
    const mine = (path: string) => join(marksOf(path), String(process.pid));
    expect(marks()).toEqual({ [mine(target)]: 'synthetic\n', [mine(before)]: 'existing\n' });
    holds[0]?.release();
    expect(marks()).toEqual({ [mine(target)]: 'synthetic\n' });
    holds[1]?.release();
    expect(marks()).toEqual({});
  });

  test('nothing is entered where there is none, and none is made', () => {
    rmSync(table, { recursive: true });
    engine().hold([target]).release();
    expect(existsSync(table)).toBe(false);
  });

  test(
    'the next engine removes what a dead one entered, and leaves what is of a running process',
    { tags: 'representative' },
    () => {
      const dead = spawnSync(process.execPath, ['-e', '']).pid;
      const end = runningCodex(target, 'synthetic');
      const [running = ''] = Object.keys(marks());
      writeFileSync(join(marksOf(target), String(dead)), 'synthetic\n');
      const { registry = '' } = engine();
      for (const pid of [dead, Number(running.split('/').at(-1))]) {
        const startedAt = (processTable.startedAt(process.pid) ?? '').replace(/\d+$/, '1');
        const entry = {
          process: pid,
          startedAt,
          processTable: readlinkSync('/proc/self/ns/pid'),
          folders: [],
          uses: [target],
        };
        writeFileSync(join(registry, `${pid}-1`), JSON.stringify(entry), { mode: 0o600 });
      }
      engine()
        .hold([join(base, '.git')])
        .release();
      expect(Object.keys(marks())).toEqual([running]);
      return end();
    },
  );

  test(
    'a folder that a running Codex made is removed by the engine, if that is its last user',
    { tags: 'representative' },
    async () => {
      const ends = runningCodex(target, 'synthetic');
      mkdirSync(target);
      const hold = engine().hold([target]);
      await ends();
      expect(existsSync(target)).toBe(true);
      hold.release();
      expect(existsSync(target)).toBe(false);
    },
  );

  test('a folder that Codex found in its place stays', async () => {
    const ends = runningCodex(target, 'existing');
    mkdirSync(target);
    const hold = engine().hold([target]);
    await ends();
    hold.release();
    expect(existsSync(target)).toBe(true);
  });

  test('a folder that Codex enters while it is being removed is put back', async () => {
    const other = otherEngine(base, { role: 'stops', rounds: 1 });
    await stopped(other);
    const ends = runningCodex(target, 'existing');
    other.child.kill('SIGCONT');
    await other.printed;
    expect(existsSync(target)).toBe(true);
    await ends();
  });

  test('an engine waits while Codex holds its lock, and then sees what Codex removed', async () => {
    const lock = join(table, 'lock');
    writeFileSync(lock, '');
    mkdirSync(target);
    const holding = join(base, 'holding');
    const child = spawn('flock', [lock, 'sh', '-c', `touch ${holding}; sleep 0.3; rmdir ${target}`]);
    const ended = new Promise((resolve) => child.on('close', resolve));
    await vi.waitUntil(() => existsSync(holding), { timeout: 20_000, interval: 5 });
    const hold = engine().hold([target]);
    expect(existsSync(target)).toBe(false);
    mkdirSync(target);
    hold.release();
    expect(existsSync(target)).toBe(false);
    await ended;
  });

  test('two engines that do not find the same registry keep their folders from each other', async () => {
    const other = otherEngine(base, { role: 'stops', rounds: 1, registry: 'another' });
    await stopped(other);
    const hold = engine().hold([target]);
    other.child.kill('SIGCONT');
    await other.printed;
    expect(existsSync(target)).toBe(true);
    hold.release();
  });

  test('commands cannot write, once there is one', async () => {
    const bubblewrap = {
      kind: 'bubblewrap',
      path: '/bwrap',
      closesUserNamespaces: false,
      ownProcessTable: true,
    } as const;
    const policy = resolvePolicy(
      rulesProfile([
        ['/', 'read'],
        [base, 'write'],
      ]),
      { cwd: base, workspaceRoots: [base], slashTmp: true, gitDirectories: [], own: noOwnPlaces },
    );
    const isKept = async () => {
      const sandbox = { bubblewrap, mountPoints: engine(), architecture: 'x64' };
      const planned = await planLinux({ argv: ['true'], cwd: base, env: {} }, policy, sandbox);
      if (planned.kind === 'refused') throw new Error(planned.message);
      await planned.cleanup();
      return planned.argv.join(' ').includes(`--ro-bind ${table} ${table}`);
    };
    expect(await isKept()).toBe(true);
    rmSync(table, { recursive: true });
    expect(await isKept()).toBe(false);
  });
});

linux('a table is left alone', () => {
  const elsewhere = () => join(base, 'elsewhere');
  const planted: readonly [string, () => void][] = [
    ['that is a link', () => (rmSync(table, { recursive: true }), symlinkSync(elsewhere(), table))],
    ['that all can write', () => chmodSync(table, 0o777)],
    ['in which a folder of marks is a link', () => symlinkSync(elsewhere(), marksOf(target))],
    ['in which a folder of marks is a file', () => writeFileSync(marksOf(target), '')],
    ...(isRoot ? [['of another user', () => chownSync(table, 65534, 65534)] as [string, () => void]] : []),
  ];

  test.each(planted)('%s', (_, plant) => {
    mkdirSync(elsewhere());
    plant();
    const hold = engine().hold([target]);
    mkdirSync(target);
    expect(readdirSync(elsewhere())).toEqual([]);
    hold.release();
    expect(existsSync(target)).toBe(false);
  });

  test('what stands in the place of a mark is not written through', () => {
    mkdirSync(marksOf(target));
    const precious = join(base, 'precious');
    writeFileSync(precious, 'precious');
    symlinkSync(precious, join(marksOf(target), String(process.pid)));
    engine().hold([target]).release();
    expect(readFileSync(precious, 'utf8')).toBe('precious');
  });

  test('that is huge is not read: the folder stays', async () => {
    const ends = runningCodex(target, 'synthetic');
    for (let name = 0; name < 1_500; name++) writeFileSync(join(marksOf(target), `${name}`.padEnd(250, 'x')), '');
    const hold = engine().hold([target]);
    mkdirSync(target);
    hold.release();
    expect(existsSync(target)).toBe(true);
    await ends();
  });
});
