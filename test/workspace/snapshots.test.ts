import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultUndo } from '../../src/core/config/defaults.ts';
import type { Snapshot } from '../../src/ports/workspace.ts';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { removeUnusedSnapshots, contentStoreOf } from '../../src/engine/undo/content-store.ts';
import { fileChanges, type ThreadFiles } from '../../src/engine/undo/file-changes.ts';
import {
  type ExpectedEntry,
  type IsExpectedEntry,
  nodeWorkspaceDisk,
  type OpenFolder,
  type WorkspaceDisk,
} from '../../src/engine/workspace/workspace-disk.ts';
import { runRestore } from '../../src/engine/undo/restore-plan.ts';
import { contentHash } from '../../src/engine/undo/snapshot-tree.ts';
import { diskWith, Lab } from './lab.ts';

const pathsIn = (lab: Lab, snapshot: Snapshot): readonly string[] => lab.entriesIn(snapshot).map(([path]) => path);
const packBytes = (lab: Lab): number => contentStoreOf(lab.home, lab.root).bytes();

describe('a snapshot', () => {
  it('holds what git would see, and never what is git’s or ours', async () => {
    const lab = Lab.forTest();
    for (const path of [
      '.git/HEAD',
      'sub/.git/HEAD',
      'keep',
      'node_modules/m',
      'sub/a.log',
      'sub/b.log',
      'sub/target/t',
    ]) {
      lab.write(path, path === '.git/HEAD' ? 'ref: refs/heads/main\n' : path);
    }
    lab.write('.git/info/exclude', '/secret\n');
    lab.write('secret', 's');
    lab.write('.gitignore', 'node_modules\n*.log\n');
    lab.write('sub/.gitignore', '!b.log\ntarget/\n');
    writeFileSync(join(lab.base, '.gitconfig'), '[core]\n\texcludesFile = ~/mine\n');
    writeFileSync(join(lab.base, 'mine'), '*.swp\n');
    lab.write('x.swp', '');
    lab.folder('empty');
    execFileSync('mkfifo', [lab.at('pipe')]);
    expect(pathsIn(lab, await lab.take())).toEqual([
      '.gitignore',
      'empty',
      'keep',
      'sub',
      'sub/.gitignore',
      'sub/b.log',
    ]);
  });

  it('goes by the rules of the folders above, unless the folder is itself ignored', async () => {
    const lab = Lab.forTest();
    writeFileSync(join(lab.base, '.gitignore'), '*.log\n/other/\n');
    mkdirSync(join(lab.base, '.git'));
    writeFileSync(join(lab.base, '.git/HEAD'), 'ref: refs/heads/main\n');
    lab.write('a.log', '');
    lab.write('b', '');
    expect(pathsIn(lab, await lab.take())).toEqual(['b']);
    writeFileSync(join(lab.base, '.gitignore'), '*.log\n/workspace/\n');
    expect(pathsIn(lab, await lab.take())).toEqual(['a.log', 'b']);
  });

  it('leaves out the empty folders that sandboxes mount on', async () => {
    const lab = Lab.forTest();
    lab.folder('.codex');
    lab.folder('empty/.codex');
    lab.write('.agents/notes', 'mine');
    expect(pathsIn(lab, await lab.take())).toEqual(['.agents', '.agents/notes', 'empty', 'empty/.codex']);
  });

  it('leaves its own home out when the workspace holds it', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'f');
    const taken = await lab.snapshots.take({ root: lab.base, denies: () => false }, new AbortController().signal);
    expect(taken).toMatchObject({ kind: 'taken', files: 1 });
  });

  it('makes no copy of what no command may read', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'f');
    lab.write('secret', 'hidden words');
    const denies = (path: string) => path === lab.at('secret');
    const taken = await lab.snapshots.take({ root: lab.root, denies }, new AbortController().signal);
    expect(pathsIn(lab, taken)).toEqual(['f']);
    expect(storeText(lab)).not.toContain('hidden words');
  });

  it('stores only what is new, in this process and in the next', async () => {
    const lab = Lab.forTest();
    lab.write('big', 'x'.repeat(100_000));
    lab.write('d/small', 'one');
    await lab.take();
    const first = packBytes(lab);
    lab.write('d/small', 'two');
    await lab.take();
    expect(packBytes(lab) - first).toBeLessThan(1000);
    lab.snapshots = lab.fresh();
    const again = packBytes(lab);
    renameSync(lab.at('big'), lab.at('moved'));
    await lab.take();
    expect(packBytes(lab) - again).toBeLessThan(1000);
  });

  it('sees a change that leaves size and time as they were', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'one');
    utimesSync(lab.at('f'), 1, 1);
    const before = await lab.take();
    writeFileSync(lab.at('f'), 'two');
    utimesSync(lab.at('f'), 1, 1);
    const after = await lab.take();
    expect([before, after].map((one) => (one.kind === 'taken' ? one.tree : ''))).not.toContain('');
    expect(after).not.toMatchObject({ tree: (before as { tree: string }).tree });
  });

  it('leaves large files out, says so, and does not touch them', async () => {
    const lab = Lab.forTest();
    lab.limits = { ...defaultUndo, maxFileBytes: 10 };
    lab.snapshots = lab.fresh();
    lab.write('large', 'x'.repeat(11));
    lab.write('fine', 'x'.repeat(10));
    const [before] = await lab.turn(() => {
      lab.write('large', 'y'.repeat(12));
      lab.write('fine', 'y');
      lab.write('new-large', 'z'.repeat(20));
    });
    expect(before).toMatchObject({ files: 1, skipped: [{ path: 'large', why: 'too-large' }] });
    expect(await lab.restore(1)).toMatchObject({
      restored: ['fine'],
      deleted: [],
      kept: [
        { path: 'large', why: 'left-out' },
        { path: 'new-large', why: 'left-out' },
      ],
    });
    expect(lab.list().get('large')).toBe(`file 644 ${'y'.repeat(12)}`);
  });

  it('stays within the budget of its workspace', async () => {
    const lab = Lab.forTest();
    lab.limits = { enabled: true, maxFileBytes: 1000, maxTotalBytes: 2000 };
    lab.snapshots = lab.fresh();
    for (let number = 0; number < 9; number++) lab.write(`f${number}`, `${number}`.repeat(300));
    const taken = await lab.take();
    expect(taken).toMatchObject({ kind: 'taken', files: 3 });
    expect((taken as { skipped: readonly unknown[] }).skipped).toHaveLength(6);
  });

  it('that is not needed leaves nothing, and one that takes too long keeps what it read', async () => {
    const lab = Lab.forTest();
    for (let number = 0; number < 3000; number++) lab.write(`in/d${number % 50}/f${number}`, `${number}`);
    // On the slowest machine some of these are read before a snapshot looks at its signal.
    for (let number = 0; number < 20; number++) lab.write(`f${number}`, `${number}`);
    const dropped = new AbortController();
    dropped.abort('not needed');
    expect(await lab.take(dropped.signal)).toMatchObject({ kind: 'missing', outcome: { code: 'undo-too-slow' } });
    expect(readdirSync(contentStoreOf(lab.home, lab.root).folder).filter((name) => name !== 'root')).toEqual([]);
    const stopped = new AbortController();
    stopped.abort('too slow');
    expect(await lab.take(stopped.signal)).toMatchObject({ kind: 'missing' });
    const kept = packBytes(lab);
    expect(kept).toBeGreaterThan(0);
    const whole = await lab.take();
    expect(whole).toMatchObject({ kind: 'taken', files: 3020 });
    expect(pathsIn(lab, whole)).toHaveLength(3071);
  });

  it('is right after one that did not come to its end', async () => {
    const lab = Lab.forTest();
    for (let number = 0; number < 100; number++) lab.write(`top/d${number % 2}/f${number}`, `${number}`);
    await lab.take();
    // Only what is looked at first is another, and the time is over when the second is looked at.
    const [first = '', second = ''] = readdirSync(lab.at('top'));
    lab.write(`top/${first}/f`, 'new');
    let now = Date.now();
    const disk = diskWith((_, path) => {
      if (path.endsWith(second)) now += 1000;
      return {};
    });
    lab.snapshots = lab.fresh(disk, { ...systemClock, now: () => now });
    const stopped = new AbortController();
    stopped.abort('too slow');
    expect(await lab.take(stopped.signal)).toMatchObject({ kind: 'missing' });
    const after = await lab.take();
    rmSync(join(lab.home, 'capstan'), { recursive: true });
    expect(after).toEqual(
      await lab.fresh().take({ root: lab.root, denies: () => false }, new AbortController().signal),
    );
  });

  it('of a workspace that is gone is missing', async () => {
    const lab = Lab.forTest();
    await lab.turn(() => lab.write('f', 'f'));
    rmSync(lab.root, { recursive: true });
    expect(await lab.take()).toMatchObject({ kind: 'missing', outcome: { code: 'undo-unavailable' } });
    await expect(lab.restore(1)).rejects.toThrow(/^restore-unsafe: .*there is no folder/);
  });

  it('whose store is gone is taken anew', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'f');
    await lab.take();
    rmSync(join(lab.home, 'capstan'), { recursive: true });
    expect(pathsIn(lab, await lab.take())).toEqual(['f']);
  });

  it('goes around what it may not read', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'f');
    lab.write('locked/f', 'f');
    lab.write('private', 'p');
    const refuse = (path: string): void => {
      if (/private|locked/.test(path)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    };
    const disk = diskWith((folder, path) => ({
      read: (name, maxBytes) => (refuse(name), folder.read(name, maxBytes)),
      names: () => (refuse(path), folder.names()),
    }));
    lab.snapshots = lab.fresh(disk);
    const [before] = await lab.turn(() => lab.write('f', 'g'));
    expect(before).toMatchObject({ files: 1, skipped: expect.arrayContaining(unreadable('private', 'locked')) });
    expect(await lab.restore(1)).toMatchObject({ restored: ['f'], kept: [], failed: [] });
  });
});

const unreadable = (...paths: readonly string[]) => paths.map((path) => ({ path, why: 'unreadable' }));

const after = <Words extends unknown[], Result>(run: (...words: Words) => Result, then: () => void) => {
  return (...words: Words): Result => {
    const result = run(...words);
    then();
    return result;
  };
};

const once = (act: (path: string) => void): ((path: string) => void) => {
  let isDone = false;
  return (path) => {
    if (!isDone) act(path);
    isDone = true;
  };
};

const filesOf = ({ changes }: ThreadFiles) =>
  changes.flatMap(({ files }) => files.map(({ path, kind }) => [path, kind]));

describe('a restore', () => {
  it('does not follow a link out of the workspace, even by force', async () => {
    const lab = Lab.forTest();
    lab.write('d/f', 'before');
    await lab.turn(() => lab.write('d/f', 'after'));
    mkdirSync(join(lab.base, 'outside'));
    writeFileSync(join(lab.base, 'outside/f'), 'mine');
    lab.link('d', join(lab.base, 'outside'));
    expect(await lab.restore(1, { force: true })).toMatchObject({
      restored: [],
      kept: [{ path: 'd/f', why: 'in-the-way' }],
    });
    expect(readdirSync(join(lab.base, 'outside'))).toEqual(['f']);
  });

  it('does not follow a link that takes the place of a folder while it works', async () => {
    const lab = Lab.forTest();
    mkdirSync(join(lab.base, 'outside'));
    writeFileSync(join(lab.base, 'outside/f'), 'same');
    lab.link('d', join(lab.base, 'outside'));
    const now = { kind: 'file', mode: 0o644, size: 4, hash: contentHash(Buffer.from('same')) } as const;
    const ports = { root: lab.root, disk: nodeWorkspaceDisk, read: async () => Buffer.from('x') };
    const result = {
      restored: [],
      deleted: [],
      kept: [{ path: 'd/f', why: 'in-the-way' }],
      failed: [],
      left: new Map(),
    };
    expect(await runRestore(ports, [{ path: 'd/f', now }])).toEqual(result);
    expect(readdirSync(join(lab.base, 'outside'))).toEqual(['f']);
  });

  it.each([
    ['written', (path: string) => writeFileSync(path, 'mine')],
    [
      'replaced',
      (path: string) => {
        writeFileSync(`${path}.new`, 'mine');
        renameSync(`${path}.new`, path);
      },
    ],
  ])('keeps what is %s while it runs, at any moment', async (_how, save) => {
    const saves: readonly ((path: string, save: (path: string) => void) => WorkspaceDisk)[] = [
      // When another file is back already.
      (path, act) => ({ ...nodeWorkspaceDisk, putFile: after(nodeWorkspaceDisk.putFile, () => act(path)) }),
      // After the last look at a file that goes: what is looked at may have another name by then.
      (path, act) => {
        const { putFile, remove } = nodeWorkspaceDisk;
        const beside = (name: string) => join(dirname(path), name);
        const late =
          (expected: ExpectedEntry): IsExpectedEntry =>
          (folder, name) => {
            const isExpected = expected !== 'nothing' && expected(folder, name);
            act(existsSync(path) ? path : beside(name));
            return isExpected;
          };
        return {
          ...nodeWorkspaceDisk,
          putFile: (at, content, mode, expected) =>
            putFile(at, content, mode, at === path && expected !== 'nothing' ? late(expected) : expected),
          remove: (at, expected) => remove(at, (folder, name) => (act(beside(name)), expected(folder, name))),
        };
      },
    ];
    for (const disk of saves) {
      const lab = Lab.forTest();
      for (const name of ['a', 'b']) lab.write(name, 'before');
      await lab.turn(() => ['a', 'b'].forEach((name) => lab.write(name, 'after')));
      const saved = once(save);
      const report = await lab.restore(1, {}, disk(join(lab.root, 'b'), saved));
      expect(report).toMatchObject({ restored: ['a'], kept: [{ path: 'b', why: 'changed-since' }], failed: [] });
      expect([...lab.list()].map(([name, what]) => `${name} ${what}`)).toEqual([
        'a file 644 before',
        'b file 644 mine',
      ]);
      await lab.turn(() => lab.write('c', 'new'));
      const removal = await lab.restore(2, {}, disk(join(lab.root, 'c'), once(save)));
      const isAsked = disk === saves[1];
      expect(removal).toMatchObject(isAsked ? { deleted: [], kept: [{ path: 'c' }] } : { deleted: ['c'], kept: [] });
      expect(lab.list().get('c')).toBe(isAsked ? 'file 644 mine' : undefined);
    }
  });

  it('puts nothing over a file that came to a free place while it runs', async () => {
    const lab = Lab.forTest();
    for (const name of ['a', 'b']) lab.write(name, 'before');
    await lab.turn(() => ['a', 'b'].forEach((name) => rmSync(join(lab.root, name))));
    const { putFile } = nodeWorkspaceDisk;
    const disk: WorkspaceDisk = {
      ...nodeWorkspaceDisk,
      putFile(at, ...others) {
        if (at.endsWith('/b')) lab.write('b', 'mine');
        return putFile(at, ...others);
      },
    };
    const report = await lab.restore(1, {}, disk);
    expect(report).toMatchObject({ restored: ['a'], kept: [{ path: 'b', why: 'in-the-way' }], failed: [] });
    expect(lab.list().get('b')).toBe('file 644 mine');
    expect(readdirSync(lab.root).toSorted()).toEqual(['a', 'b']);
  });

  it('says what it would do and does nothing, with a dry run', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'one');
    await lab.turn(() => {
      lab.write('f', 'two');
      lab.write('g', 'new');
    });
    const now = lab.list();
    const report = await lab.restore(1, { dryRun: true });
    expect(lab.list()).toEqual(now);
    expect(await lab.restore(1)).toEqual(report);
    expect(lab.list()).toEqual(new Map([['f', 'file 644 one']]));
  });

  it('does not guess after a turn that was cut off', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'one');
    await lab.turn(() => lab.write('f', 'two'), { cutOff: true });
    expect(await lab.restore(1)).toMatchObject({ restored: [], kept: [{ path: 'f', why: 'unknown' }] });
    expect(await lab.restore(1, { force: true })).toMatchObject({ restored: ['f'], kept: [] });
    await lab.restore('undo');
    expect(lab.list().get('f')).toBe('file 644 two');
  });

  it('that was killed keeps what the user changed since, and says so', async () => {
    const lab = Lab.forTest();
    for (const name of ['a', 'b']) lab.write(name, 'one');
    await lab.turn(() => ['a', 'b'].forEach((name) => lab.write(name, 'two')));
    await lab.restore(1);
    lab.forgetEndOfRestore();
    lab.write('a', 'mine');
    lab.write('new', 'mine');
    const kept = [{ path: 'a', why: 'changed-since' }];
    expect(await lab.restore('undo', { dryRun: true })).toMatchObject({ restored: ['b'], kept });
    await lab.restore('undo', { force: true });
    expect([...lab.list()]).toEqual([
      ['a', 'file 644 two'],
      ['b', 'file 644 two'],
      ['new', 'file 644 mine'],
    ]);
  });

  it('leaves the home alone, whatever an older snapshot says of it', async () => {
    const lab = Lab.forTest();
    const around = lab.beside(lab.base);
    around.write('mine', 'one');
    // As versions did that took the home for a part of the workspace.
    Object.defineProperty(around, 'own', { value: { state: [], parts: [] }, configurable: true });
    await around.turn(() => around.write('home/config.toml', 'new'));
    await around.turn(() => around.write('mine', 'two'));
    Reflect.deleteProperty(around, 'own');
    const home = new Map([...around.list()].filter(([path]) => path.startsWith('home/capstan/snapshots')));
    expect(home.size).toBeGreaterThan(2);
    const options = { diffs: false, own: lab.own };
    expect(filesOf(await fileChanges(lab.contents, lab.threads, around.id, options))).toEqual([['mine', 'changed']]);
    const report = await around.restore(1, { force: true, meanwhile: true });
    expect([report.restored, report.deleted, report.kept]).toEqual([['mine'], [], []]);
    expect([...home].filter(([path, was]) => around.list().get(path) !== was)).toEqual([
      [
        'home/capstan/snapshots/' + basename(contentStoreOf(lab.home, lab.base).folder) + '/known.json',
        expect.any(String),
      ],
    ]);
    expect(around.list().get('home/config.toml')).toBe('file 644 new');
    await around.restore('undo');
    expect(around.list().get('mine')).toBe('file 644 two');
  });

  it('keeps what it replaces, even if a pack that the snapshot relied on is gone', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'one');
    await lab.turn(() => lab.write('f', 'two'));
    lab.write('f', 'mine');
    await lab.take();
    const { folder } = contentStoreOf(lab.home, lab.root);
    const mine = new RegExp(`^${contentHash(Buffer.from('mine'))} .*\\n`, 'm');
    const indexes = readdirSync(folder).filter((name) => name.endsWith('.index'));
    const index = indexes.map((name) => join(folder, name)).find((path) => mine.test(readFileSync(path, 'utf8')))!;
    writeFileSync(index, readFileSync(index, 'utf8').replace(mine, ''));
    await lab.restore(1, { force: true });
    expect(lab.list().get('f')).toBe('file 644 one');
    await lab.restore('undo');
    expect(lab.list().get('f')).toBe('file 644 mine');
  });

  it('goes back step by step, and forward again', async () => {
    const lab = Lab.forTest();
    lab.write('f', '0');
    for (const content of ['1', '2', '3']) await lab.turn(() => lab.write('f', content));
    const contents: (string | undefined)[] = [];
    for (const target of [3, 1, 'undo', 'undo'] as const) {
      await lab.restore(target);
      contents.push(lab.list().get('f')?.at(-1));
    }
    expect(contents).toEqual(['2', '0', '2', '0']);
  });

  it('leaves alone what is in a folder that a turn only made readable', async () => {
    const lab = Lab.forTest();
    lab.meanwhile(() => lab.write('locked/mine', 'mine'));
    let isLocked = true;
    const names = (folder: OpenFolder, path: string): readonly string[] => {
      if (isLocked && path.endsWith('/locked')) throw Object.assign(new Error(path), { code: 'EACCES' });
      return folder.names();
    };
    lab.snapshots = lab.fresh(diskWith((folder, path) => ({ names: () => names(folder, path) })));
    await lab.turn(() => {
      isLocked = false;
      chmodSync(lab.at('locked'), 0o755);
    });
    expect(await lab.restore(1)).toMatchObject({ deleted: [], kept: [{ path: 'locked', why: 'left-out' }] });
    expect([...lab.list().keys()]).toEqual(['locked', 'locked/mine']);
  });

  it('leaves alone what a turn only ceased to ignore', async () => {
    const lab = Lab.forTest();
    lab.write('.gitignore', 'secret\nbuild/\n');
    lab.write('secret', 'mine');
    lab.write('build/deep/o', 'object');
    lab.write('sub/.gitignore', '*.log');
    lab.write('sub/a.log', 'log');
    const before = lab.list();
    await lab.turn(() => {
      lab.delete('.gitignore');
      lab.write('sub/.gitignore', '*.tmp');
      lab.write('made', 'made');
    });
    expect(filesOf(await fileChanges(lab.contents, lab.threads, lab.id, { diffs: false, own: lab.own }))).toEqual([
      ['.gitignore', 'deleted'],
      ['made', 'added'],
      ['sub/.gitignore', 'changed'],
    ]);
    expect(await lab.restore(1)).toMatchObject({
      restored: ['.gitignore', 'sub/.gitignore'],
      deleted: ['made'],
      kept: [],
      failed: [],
    });
    expect(lab.list()).toEqual(before);
  });

  it('leaves alone what a turn only began to ignore, and brings back what it deleted as well', async () => {
    const lab = Lab.forTest();
    lab.write('data/big', 'data');
    lab.write('gone', 'gone');
    const before = lab.list();
    await lab.turn(() => {
      lab.write('.gitignore', 'data/\ngone\n');
      lab.delete('gone');
    });
    expect(filesOf(await fileChanges(lab.contents, lab.threads, lab.id, { diffs: false, own: lab.own }))).toEqual([
      ['.gitignore', 'added'],
    ]);
    expect(await lab.restore(1)).toMatchObject({ restored: ['gone'], deleted: ['.gitignore'], kept: [], failed: [] });
    expect(lab.list()).toEqual(before);
    await lab.restore('undo');
    expect(lab.list().get('.gitignore')).toBe('file 644 data/\ngone\n');
  });

  it('takes back what later turns did to what had been ignored', async () => {
    const lab = Lab.forTest();
    lab.write('.gitignore', 'secret');
    lab.write('secret', 'mine');
    await lab.turn(() => lab.delete('.gitignore'));
    await lab.turn(() => lab.delete('secret'));
    await lab.restore(1);
    expect([...lab.list()]).toEqual([
      ['.gitignore', 'file 644 secret'],
      ['secret', 'file 644 mine'],
    ]);
  });

  it('keeps modes and bytes of every kind', async () => {
    const lab = Lab.forTest();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    lab.write('tool', bytes, 0o751);
    lab.folder('closed', 0o700);
    lab.link('dangling', 'nowhere');
    const before = lab.list();
    await lab.turn(() => {
      chmodSync(lab.at('tool'), 0o644);
      lab.delete('closed');
      lab.link('dangling', 'tool');
    });
    await lab.restore(1);
    expect(lab.list()).toEqual(before);
  });

  it('names a snapshot that is gone and leaves the files alone', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'one');
    await lab.turn(() => lab.write('f', 'two'));
    rmSync(join(lab.home, 'capstan'), { recursive: true });
    await expect(lab.restore(1)).rejects.toThrow(/^snapshot-gone/);
    expect(lab.list().get('f')).toBe('file 644 two');
  });
});

describe('collect', () => {
  const options = { now: Date.now() + 7_200_000, graceMs: 3_600_000 };
  const treesOf = (snapshots: readonly (Snapshot | undefined)[]): ReadonlySet<string> =>
    new Set(snapshots.flatMap((one) => (one?.kind === 'taken' ? [one.tree] : [])));

  it('keeps what is referred to and frees the rest', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'a'.repeat(50_000));
    await lab.turn(() => lab.write('f', 'b'.repeat(50_000)));
    const kept = await lab.turn(() => lab.write('f', 'c'.repeat(50_000)));
    const { freedBytes } = await removeUnusedSnapshots(lab.home, treesOf(kept), options);
    expect(freedBytes).toBeGreaterThan(50_000);
    await lab.restore(2);
    expect(lab.list().get('f')).toBe(`file 644 ${'b'.repeat(50_000)}`);
  });

  it('writes a pack anew when little of it is of use', async () => {
    const lab = Lab.forTest();
    lab.write('large', 'x'.repeat(90_000));
    lab.write('small', 'one');
    await lab.take();
    lab.delete('large');
    const kept = await lab.turn(() => lab.write('small', 'two'));
    const { freedBytes, keptBytes } = await removeUnusedSnapshots(lab.home, treesOf(kept), options);
    expect([freedBytes > 89_000, keptBytes < 1000]).toEqual([true, true]);
    await lab.restore(1);
    expect(lab.list().get('small')).toBe('file 644 one');
  });

  it('keeps what a young tree refers to, although neither a line nor the note names it', async () => {
    const lab = Lab.forTest();
    lab.write('old', 'o'.repeat(50_000));
    await lab.take();
    const store = contentStoreOf(lab.home, lab.root);
    for (const pack of store.packs()) utimesSync(`${pack}.pack`, 1, 1);
    lab.write('new', 'n');
    const snapshot = await lab.take();
    // Another process saw the workspace without these files since.
    store.saveNote('');
    await removeUnusedSnapshots(lab.home, new Set(), { now: Date.now(), graceMs: 60_000 });
    expect(lab.filesIn(snapshot)).toEqual(['new', 'old']);
    expect(contentStoreOf(lab.home, lab.root).load(contentHash(Buffer.from('o'.repeat(50_000))))).toBeDefined();
  });

  it('beside restores of two threads takes nothing that a snapshot names', async () => {
    const one = Lab.forTest();
    const two = one.beside();
    for (const name of ['a', 'b', 'c']) one.write(name, name.repeat(2000));
    await one.turn(() => ['a', 'b'].forEach((name) => one.write(name, 'one')));
    await two.turn(() => ['b', 'c'].forEach((name) => two.write(name, 'two')));
    const trees = async (): Promise<ReadonlySet<string>> => {
      const named = new Set<string>();
      for (const { id, threads } of [one, two])
        for await (const line of threads.read(id, { from: 0 as Ordinal }))
          for (const key of ['tree', 'others', 'aim'])
            if (typeof line.payload[key] === 'string') named.add(line.payload[key]);
      return named;
    };
    const young = { now: Date.now(), graceMs: 60_000 };
    const collect = async () => removeUnusedSnapshots(one.home, await trees(), young);
    await Promise.all([one.restore(1, { force: true }), two.restore(1, { force: true }), collect(), collect()]);
    await removeUnusedSnapshots(one.home, await trees(), options);
    const store = contentStoreOf(one.home, one.root);
    const missing = (tree: string): readonly string[] =>
      store.has(tree)
        ? store.readTree(tree).flatMap(([name, entry]) => {
            if (entry.kind === 'folder') return missing(entry.tree);
            return entry.kind === 'file' && store.load(entry.hash) === undefined ? [name] : [];
          })
        : [tree];
    expect([...(await trees())].flatMap(missing)).toEqual([]);
  });

  it('removes a workspace that nothing refers to, but nothing that is young', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'f');
    await lab.take();
    const { folder } = contentStoreOf(lab.home, lab.root);
    await removeUnusedSnapshots(lab.home, new Set(), { ...options, now: Date.now() });
    expect(statSync(folder).isDirectory()).toBe(true);
    await removeUnusedSnapshots(lab.home, new Set(), options);
    expect(existsSync(folder)).toBe(false);
    expect(pathsIn(lab, await lab.take())).toEqual(['f']);
  });
});

function storeText(lab: Lab): string {
  const { folder } = contentStoreOf(lab.home, lab.root);
  return execFileSync(
    'cat',
    readdirSync(folder).map((name) => join(folder, name)),
  ).toString('latin1');
}
