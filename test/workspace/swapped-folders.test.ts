import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import {
  nodeWorkspaceDisk,
  type OpenFolder,
  openFolder,
  type WorkspaceDisk,
} from '../../src/engine/workspace/workspace-disk.ts';
import { contentStoreOf } from '../../src/engine/undo/content-store.ts';
import { findGitFolders } from '../../src/engine/workspace/find-git-folders.ts';
import { nothingIgnored } from '../../src/engine/workspace/ignore-rules.ts';
import { TimeSlicer } from '../../src/engine/workspace/yield-to-event-loop.ts';
import { runRestore } from '../../src/engine/undo/restore-plan.ts';
import { contentHash } from '../../src/engine/undo/snapshot-tree.ts';
import { visibleFiles } from '../../src/engine/workspace/visible-files.ts';
import { diskWith, Lab } from './lab.ts';

// A command of a session may still run while the engine looks at its folders. Here it swaps one of them for a link to
// another place at a chosen moment: what is there must not come into anything.

/** The names in the workspace and, with other content, in the place that the links lead to. */
const names = ['f', 'g/f', 'g/h/f', '.gitignore'];
const secret = 'words from elsewhere';
/** Actions in a folder whose files are new, and in one whose files are known. */
const acts = { new: ['names', 'look', 'read'], known: ['names', 'glance'] } as const;
/** The folder that is swapped, and the one in which something is done just before or after. */
const swaps = [
  ['d', ''],
  ['d', 'd'],
  ['d', 'd/g'],
  ['d/g', 'd'],
  ['d/g', 'd/g'],
  ['d/g', 'd/g/h'],
] as const;

function swapped(): Lab {
  const lab = Lab.forTest();
  lab.write('top', 'mine');
  for (const name of names) {
    lab.write(`d/${name}`, 'mine');
    const elsewhere = join(lab.base, 'elsewhere', name);
    mkdirSync(dirname(elsewhere), { recursive: true });
    writeFileSync(elsewhere, secret);
  }
  writeFileSync(join(lab.base, 'elsewhere/only-there'), secret);
  writeFileSync(join(lab.base, 'elsewhere/g/only-there'), secret);
  return lab;
}

function swap(lab: Lab, path: string): void {
  renameSync(lab.at(path), join(lab.base, `away-${path.replaceAll('/', '-')}`));
  symlinkSync(join(lab.base, 'elsewhere', path.slice('d/'.length)), lab.at(path));
}

interface Moment {
  readonly act: (typeof acts)['new' | 'known'][number];
  /** The folder in which it is done, below the root. */
  readonly inside: string;
  readonly when: 'before' | 'after';
  happens(): void;
}

/** Something happens once, before or after something is done in a folder. */
function diskThat(lab: Lab, { act, inside, when, happens }: Moment): WorkspaceDisk {
  let isDue = true;
  const due = (at: Moment['when']): void => {
    if (!isDue || when !== at) return;
    isDue = false;
    happens();
  };
  const around =
    <Words extends unknown[], Result>(run: (...words: Words) => Result) =>
    (...words: Words): Result => {
      due('before');
      const result = run(...words);
      due('after');
      return result;
    };
  return diskWith((folder, path) => {
    if (path !== (inside === '' ? lab.root : lab.at(inside))) return {};
    const run = folder[act].bind(folder) as (...words: unknown[]) => unknown;
    return { [act]: around(run) } as Partial<OpenFolder>;
  });
}

function storeText(lab: Lab): string {
  const { folder } = contentStoreOf(lab.home, lab.root);
  const files = readdirSync(folder).map((name) => join(folder, name));
  return execFileSync('cat', files).toString('latin1');
}

const cases = (['new', 'known'] as const).flatMap((age) =>
  swaps.flatMap(([path, inside]) =>
    acts[age].flatMap((act) => (['before', 'after'] as const).map((when) => [age, path, when, act, inside] as const)),
  ),
);

/** By it, all files have been as they are for long. */
const later = { ...systemClock, now: () => systemClock.now() + 10_000 };

describe('a snapshot', () => {
  it.each(cases)(
    'of %s files holds nothing from elsewhere: %s, %s %s in "%s"',
    async (age, path, when, act, inside) => {
      const lab = swapped();
      if (age === 'known')
        await lab.fresh(nodeWorkspaceDisk, later).take({ root: lab.root, denies: () => false }, signal);
      let isSwapped = false;
      const happens = (): void => {
        swap(lab, path);
        isSwapped = true;
      };
      lab.snapshots = lab.fresh(diskThat(lab, { act, inside, when, happens }), later);
      const taken = await lab.take();
      expect(isSwapped).toBe(true);
      expect(lab.entriesIn(taken).filter(([name]) => name.includes('only-there'))).toEqual([]);
      expect(lab.entriesIn(taken).map(([name]) => name)).toContain('top');
      expect(storeText(lab)).not.toContain(secret);
    },
  );

  it('of a tree that is deeper than there are descriptors holds all of it, and nothing from elsewhere', async () => {
    const lab = Lab.forTest();
    const steps = Array<string>(600).fill('a');
    const bottom = steps.join('/');
    lab.write(`${bottom}/f`, 'mine');
    const folders = new Set<string>();
    let most = 0;
    const counted = diskWith((folder, path) => {
      folders.add(path);
      most = Math.max(most, folders.size);
      return { close: () => (folders.delete(path), folder.close()) };
    });
    lab.snapshots = lab.fresh(counted);
    expect(lab.entriesIn(await lab.take()).at(-1)).toEqual([`${bottom}/f`, 'file']);
    expect([most <= 40, folders.size]).toEqual([true, 0]);
    const [middle, below] = [steps.slice(0, 300).join('/'), steps.slice(0, 500).join('/')];
    mkdirSync(join(lab.base, 'elsewhere', steps.slice(0, 201).join('/')), { recursive: true });
    writeFileSync(join(lab.base, 'elsewhere', steps.slice(0, 201).join('/'), 'f'), secret);
    const happens = (): void => {
      renameSync(lab.at(middle), join(lab.base, 'away'));
      symlinkSync(join(lab.base, 'elsewhere'), lab.at(middle));
    };
    lab.snapshots = lab.fresh(diskThat(lab, { act: 'look', inside: below, when: 'after', happens }));
    expect(lab.entriesIn(await lab.take()).at(-1)).toEqual([`${below}/a`, 'left-out']);
    expect(storeText(lab)).not.toContain(secret);
  });
});

const { signal } = new AbortController();

it('a search finds nothing elsewhere', async () => {
  const found: (readonly string[])[] = [];
  for (const [path, inside] of swaps) {
    const lab = swapped();
    const happens = (): void => swap(lab, path);
    const disk = diskThat(lab, { act: 'look', inside, when: 'after', happens });
    const pace = new TimeSlicer(systemClock, signal);
    const files = visibleFiles({ root: lab.root, disk, rules: nothingIgnored, excludes: () => false, pace });
    const there: string[] = [];
    for await (const file of files) there.push(file.inside);
    found.push(there.filter((each) => each.includes('only-there')));
  }
  expect(found).toEqual(swaps.map(() => []));
});

it('a search for git repositories lists nothing elsewhere, and says what it could not look into', async () => {
  const lab = swapped();
  mkdirSync(join(lab.base, 'elsewhere/.git'));
  writeFileSync(join(lab.base, 'elsewhere/.git/HEAD'), 'ref: refs/heads/main\n');
  const denies = (path: string): boolean => {
    if (path === lab.at('d')) swap(lab, 'd');
    return false;
  };
  const limits = { pace: new TimeSlicer(systemClock, signal), mostEntries: 100, isLate: () => false };
  const none = { paths: [], missing: [], repositories: [], settings: [] };
  expect(await findGitFolders({ roots: [lab.root], denies }, limits)).toEqual({ ...none, unseen: [lab.at('d')] });
});

it('a search for git repositories looks below a root that is spelled through a link', async () => {
  const lab = Lab.forTest();
  lab.write('repo/.git/HEAD', 'ref: refs/heads/main\n');
  const root = join(lab.base, 'link');
  symlinkSync(lab.root, root);
  const limits = { pace: new TimeSlicer(systemClock, signal), mostEntries: 100, isLate: () => false };
  const found = await findGitFolders({ roots: [root], denies: () => false }, limits);
  expect(found).toMatchObject({ paths: [join(root, 'repo/.git')], repositories: [join(root, 'repo')], unseen: [] });
});

it('a restore compares no file elsewhere', async () => {
  const lab = swapped();
  const now = { kind: 'file', mode: 0o644, size: secret.length, hash: contentHash(Buffer.from(secret)) } as const;
  const read: string[] = [];
  const disk: WorkspaceDisk = {
    ...diskWith((folder, path) => ({
      read: (name, most) => (read.push(`${path}/${name}`), folder.read(name, most)),
    })),
    realPath(path) {
      const place = nodeWorkspaceDisk.realPath(path);
      if (path === lab.at('d')) swap(lab, 'd');
      return place;
    },
  };
  const report = await runRestore({ root: lab.root, disk, read: async () => Buffer.from('x') }, [{ path: 'd/f', now }]);
  expect([report.deleted, report.failed.map(({ path }) => path), read]).toEqual([[], ['d/f'], []]);
});

describe('where folders have no doors', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-no-doors-')));
  const [root, elsewhere] = [join(base, 'root'), join(base, 'elsewhere')];
  const open = () => openFolder(join(root, 'd'), false);
  const start = (): void => {
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    for (const folder of [join(root, 'd'), elsewhere]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'f'), folder);
    }
  };

  test.each([
    ['lists', (folder: OpenFolder) => folder.names()],
    ['reads', (folder: OpenFolder) => folder.read('f', 1000)],
    ['enters', (folder: OpenFolder) => folder.enter('g').names()],
  ])('nothing behind a link is what a folder %s', (_, act) => {
    start();
    mkdirSync(join(elsewhere, 'g'));
    const folder = open();
    expect([folder.names(), String(folder.read('f', 1000))]).toEqual([['f'], join(root, 'd')]);
    renameSync(join(root, 'd'), join(base, 'away'));
    symlinkSync(elsewhere, join(root, 'd'));
    expect(() => act(folder)).toThrow('its folder was moved or replaced in the meantime');
  });
});
