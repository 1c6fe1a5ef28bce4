import * as fc from 'fast-check';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChangeWatch, callTimesLogPath } from '../../src/adapters/exec/call-times.ts';
import type { TouchedFiles } from '../../src/ports/workspace.ts';
import { fileChanges } from '../../src/engine/undo/file-changes.ts';
import { Lab, type Listing } from './lab.ts';

const own = ['t1', 't2', 'shared/t', 'made/t'] as const;
const foreign = ['o1', 'o2', 'shared/o', 'other/o'] as const;
/** True if a deletion can be told: the root is listed, and a folder of one party alone has that party's time. */
const deletable = (path: string): boolean => !path.startsWith('shared/');
const act = (by: 'command' | 'patch' | 'other', paths: readonly string[]) =>
  fc.record({
    by: fc.constant(by),
    path: fc.constantFrom(...paths),
    content: fc.option(fc.constantFrom('', 'one', 'two'), { nil: undefined }),
  });
const acts = fc.array(fc.oneof(act('command', own), act('patch', own), act('other', foreign)), { maxLength: 8 });
const start = fc.array(fc.constantFrom(...own, ...foreign), { maxLength: 5 });

it('undo takes back exactly what the turn did, whatever others do between its calls', async () => {
  await fc.assert(
    fc.asyncProperty(start, acts, async (given, played) => {
      const lab = new Lab();
      try {
        lab.folder('shared');
        for (const path of given) lab.write(path, 'start');
        const before = lab.list();
        await lab.turnOf(() => Promise.resolve(played.flatMap((one) => perform(lab, one))));
        const now = lab.list();
        const { kept, failed } = await lab.restore(1);
        expect(failed).toEqual([]);
        expect(pick(lab.list(), own)).toEqual(pick(before, own));
        expect(pick(lab.list(), foreign)).toEqual(pick(now, foreign));
        const changed = foreign.filter((path) => before.get(path) !== now.get(path)).toSorted();
        const told = kept.filter(({ why }) => why === 'meanwhile').map(({ path }) => path);
        expect(told).toEqual(changed);
      } finally {
        lab.remove();
      }
    }),
    { numRuns: 40 },
  );
});

function perform(
  lab: Lab,
  { by, path, content }: { by: 'command' | 'patch' | 'other'; path: string; content: string | undefined },
): readonly TouchedFiles[] {
  const text = content ?? (deletable(path) ? undefined : 'three');
  const edit = (): void => (text === undefined ? lab.delete(path) : lab.write(path, text));
  if (by === 'command') return [lab.command(edit)];
  if (by === 'patch') return [lab.patch(path, text)];
  lab.meanwhile(edit);
  return [];
}

function pick(listing: Listing, paths: readonly string[]): readonly (string | undefined)[] {
  return paths.map((path) => listing.get(path));
}

async function after(lab: Lab, ...work: readonly (() => TouchedFiles | void)[]) {
  await lab.turnOf(() => Promise.resolve(work.flatMap((one) => one() ?? [])));
  return lab.restore(1);
}

describe('what is not the turn’s', () => {
  it('a file that the user made while the model thought stays, and is named', async () => {
    const lab = Lab.forTest();
    const report = await after(
      lab,
      () => lab.command(() => lab.write('ours', 'ours')),
      () => lab.meanwhile(() => lab.write('mine', 'mine')),
      () => lab.command(() => lab.write('ours too', 'ours')),
    );
    expect(report).toMatchObject({ deleted: ['ours', 'ours too'], kept: [{ path: 'mine', why: 'meanwhile' }] });
    expect([...lab.list()]).toEqual([['mine', 'file 644 mine']]);
  });

  it('goes back with the option of its own name, and comes back with --undo', async () => {
    const lab = Lab.forTest();
    await lab.turnOf(() => {
      const touched = lab.command(() => lab.write('ours', 'ours'));
      lab.meanwhile(() => lab.write('mine', 'mine'));
      return Promise.resolve([touched]);
    });
    const now = lab.list();
    expect(await lab.restore(1, { force: true, dryRun: true })).toMatchObject({ deleted: ['ours'] });
    expect(await lab.restore(1, { meanwhile: true })).toMatchObject({ deleted: ['mine', 'ours'], kept: [] });
    expect(lab.list()).toEqual(new Map());
    await lab.restore('undo');
    expect(lab.list()).toEqual(now);
  });

  it('a file of the turn that the user changed again before its end is kept', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'old');
    const report = await after(
      lab,
      () => lab.patch('f', 'new'),
      () => lab.meanwhile(() => lab.write('f', 'mine')),
    );
    expect(report).toMatchObject({ restored: [], kept: [{ path: 'f', why: 'meanwhile' }] });
  });

  it('a patch over the user’s change does not make that change the turn’s', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'old');
    const report = await after(
      lab,
      () => lab.meanwhile(() => writeFileSync(lab.at('f'), 'mine')),
      () => lab.patch('f', 'mine and new'),
    );
    expect(report).toMatchObject({ restored: [], kept: [{ path: 'f', why: 'meanwhile' }] });
  });

  describe('a change of the user that a patch finds after a command', () => {
    const foundBy: Readonly<Record<string, (lab: Lab) => readonly TouchedFiles[]>> = {
      'an update': (lab) => [lab.applyPatch('*** Update File: f', '@@', ' mine', '+new')],
      'an addition over it': (lab) => [lab.applyPatch('*** Add File: f', '+new')],
      'a deletion': (lab) => [lab.applyPatch('*** Delete File: f')],
      'a move': (lab) => [lab.applyPatch('*** Update File: f', '*** Move to: moved', '@@', ' mine', '+new')],
      'an update before another command': (lab) => [
        lab.applyPatch('*** Update File: f', '@@', ' mine', '+new'),
        lab.command(() => lab.write('f', 'mine, new and formatted')),
      ],
    };
    for (const [name, patch] of Object.entries(foundBy)) {
      it(`is not the turn’s: ${name}`, async () => {
        const lab = Lab.forTest();
        lab.write('f', 'old');
        const now: { list?: Listing } = {};
        await lab.turnOf(() => {
          const command = lab.command(() => undefined);
          lab.meanwhile(() => writeFileSync(lab.at('f'), 'mine\n'));
          const patched = patch(lab);
          now.list = lab.list();
          return Promise.resolve([command, ...patched]);
        });
        const report = await lab.restore(1);
        expect(report).toMatchObject({ restored: [], deleted: [] });
        expect(report.kept[0]).toEqual({ path: 'f', why: 'meanwhile' });
        expect(lab.list()).toEqual(now.list);
      });
    }

    it('is not the turn’s: a file that the user made', async () => {
      const lab = Lab.forTest();
      const report = await after(
        lab,
        () => lab.command(() => undefined),
        () => lab.meanwhile(() => lab.write('notes', 'mine')),
        () => lab.patch('notes', 'mine and new'),
      );
      expect(report).toMatchObject({ deleted: [], kept: [{ path: 'notes', why: 'meanwhile' }] });
      expect([...lab.list()]).toEqual([['notes', 'file 644 mine and new']]);
    });

    it('is not the turn’s: a file that the user deleted and the patch made again', async () => {
      const lab = Lab.forTest();
      lab.write('f', 'old');
      lab.write('d/f', 'old');
      const report = await after(
        lab,
        () => lab.command(() => lab.write('d/x', 'x')),
        () => lab.meanwhile(() => ['f', 'd/f'].forEach((path) => lab.delete(path))),
        () => lab.applyPatch('*** Add File: f', '+new', '*** Add File: d/f', '+new'),
      );
      expect(report).toMatchObject({
        restored: [],
        kept: ['d/f', 'f'].map((path) => ({ path, why: 'meanwhile' })),
      });
    });
  });

  it('a folder that the user moved in stays with all that is in it, though a command wrote into it', async () => {
    const lab = Lab.forTest();
    mkdirSync(join(lab.base, 'elsewhere'));
    writeFileSync(join(lab.base, 'elsewhere/mine'), 'mine');
    const report = await after(
      lab,
      () => lab.meanwhile(() => renameSync(join(lab.base, 'elsewhere'), lab.at('moved'))),
      () => lab.command(() => lab.write('moved/ours', 'ours')),
    );
    expect(report).toMatchObject({ deleted: ['moved/ours'], kept: [{ path: 'moved/mine', why: 'meanwhile' }] });
    expect([...lab.list().keys()]).toEqual(['moved', 'moved/mine']);
  });

  it('what changed while a call of another thread ran in the same folder has no certain author', async () => {
    const lab = Lab.forTest();
    const other = createChangeWatch(lab.home);
    lab.write('gone', 'gone');
    const report = await after(lab, () =>
      lab.command(() => {
        const open = other.begin(lab.root);
        lab.write('whose', '?');
        lab.delete('gone');
        open.end();
        lab.meanwhile(() => lab.write('ours', 'ours'));
      }),
    );
    expect(report).toMatchObject({
      deleted: ['ours'],
      restored: [],
      kept: ['gone', 'whose'].map((path) => ({ path, why: 'meanwhile' })),
    });
  });

  it('a call of another thread that still runs counts, one in another folder does not', async () => {
    const lab = Lab.forTest();
    const other = createChangeWatch(lab.home);
    other.begin(lab.base.replace(/[^/]+$/, 'somewhere-else'));
    expect(await after(lab, () => lab.command(() => lab.write('ours', 'ours')))).toMatchObject({ kept: [] });
    other.begin(lab.root);
    await lab.turn(() => lab.write('whose', '?'));
    expect(await lab.restore(2)).toMatchObject({ deleted: [], kept: [{ path: 'whose', why: 'meanwhile' }] });
  });

  it('a call that a dead program left open does not count, though another process has its number now', async () => {
    const lab = Lab.forTest();
    createChangeWatch(lab.home).begin(lab.root);
    const log = callTimesLogPath(lab.home);
    const left = JSON.parse(readFileSync(log, 'utf8')) as object;
    writeFileSync(log, `${JSON.stringify({ ...left, started_at: 'another start', from: 1 })}\n`);
    expect(await after(lab, () => lab.command(() => lab.write('ours', 'ours')))).toMatchObject({ kept: [] });
  });

  it('what a restore of another thread brings back while a command of this one runs', async () => {
    const lab = Lab.forTest();
    const other = lab.beside();
    lab.write('f', 'old');
    lab.write('d/f', 'old');
    await other.turn(() => {
      lab.write('f', 'new');
      lab.delete('d/f');
      lab.write('made', 'new');
    });
    await lab.turnOf(async () => {
      const open = lab.watch.begin(lab.root);
      lab.meanwhile(() => lab.write('ours', 'ours'));
      expect(await other.restore(1)).toMatchObject({ restored: ['d/f', 'f'], deleted: ['made'] });
      return [{ kind: 'time', time: open.end() }];
    });
    const { changes } = await fileChanges(lab.contents, lab.threads, lab.id, { diffs: false, own: lab.own });
    expect(changes).toMatchObject([
      { files: [{ path: 'ours' }], meanwhile: [{ path: 'd/f' }, { path: 'f' }, { path: 'made' }] },
    ]);
  });

  it('a log of call times that makes no sense changes nothing', async () => {
    const lab = Lab.forTest();
    mkdirSync(join(lab.home, 'capstan'), { recursive: true });
    const odd = ['{', '[]', '{"id":1}', '{"id":"x","process":"1","root":3}', '{"id":"y","to":5}', '\u0000'];
    writeFileSync(callTimesLogPath(lab.home), odd.join('\n'));
    expect(await after(lab, () => lab.command(() => lab.write('ours', 'ours')))).toMatchObject({ deleted: ['ours'] });
  });
});

describe('what is the turn’s', () => {
  it('a folder that a command moved, with all that was in it', async () => {
    const lab = Lab.forTest();
    lab.write('from/deep/a', 'a');
    lab.write('from/b', 'b');
    const before = lab.list();
    const report = await after(lab, () =>
      lab.command(() => {
        renameSync(lab.at('from'), lab.at('to'));
        lab.write('to/new', 'new');
      }),
    );
    expect([report.kept, report.failed]).toEqual([[], []]);
    expect(lab.list()).toEqual(before);
  });

  it('a file that a command touched after another program', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'old');
    const report = await after(
      lab,
      () => lab.meanwhile(() => lab.write('f', 'mine')),
      () => lab.command(() => lab.write('f', 'ours')),
    );
    expect(report).toMatchObject({ restored: ['f'], kept: [] });
  });

  it('a file that a command changed, made or deleted before a patch found it so', async () => {
    const lab = Lab.forTest();
    for (const path of ['changed', 'gone', 'd/gone', 'all/gone']) lab.write(path, 'old');
    const before = lab.list();
    const report = await after(
      lab,
      () =>
        lab.command(() => {
          for (const path of ['changed', 'made']) lab.write(path, 'command');
          for (const path of ['gone', 'd/gone', 'all']) lab.delete(path);
        }),
      ...['changed', 'made', 'gone', 'd/gone', 'all/gone'].map((path) => () => lab.patch(path, 'patch')),
    );
    expect([report.kept, report.failed]).toEqual([[], []]);
    expect(lab.list()).toEqual(before);
  });

  it('a file that a patch found as a command or another patch of the turn had left it', async () => {
    const lab = Lab.forTest();
    for (const path of ['changed', 'deleted', 'gone', 'd/gone', 'all/a', 'all/b']) lab.write(path, 'old\n');
    const before = lab.list();
    const report = await after(
      lab,
      () => lab.applyPatch('*** Update File: deleted', '@@', '-old', '+new'),
      () =>
        lab.command(() => {
          lab.write('changed', 'command\n');
          for (const path of ['gone', 'd/gone', 'all']) lab.delete(path);
        }),
      () => lab.applyPatch('*** Update File: changed', '*** Move to: moved', '@@', ' command', '+patch'),
      () =>
        lab.applyPatch('*** Delete File: deleted', '*** Add File: gone', '+patch', '*** Add File: d/gone', '+patch'),
      () => lab.applyPatch('*** Add File: all/a', '+patch', '*** Add File: all/b', '+patch'),
      () => lab.applyPatch('*** Update File: all/a', '@@', '-patch', '+more'),
      () => lab.meanwhile(() => undefined),
      () => lab.applyPatch('*** Add File: d/new', '+new'),
      () => lab.applyPatch('*** Update File: d/new', '*** Move to: d/newer', '@@', ' new', '+newer'),
      () => lab.applyPatch('*** Update File: d/newer', '*** Move to: d/new', '@@', ' newer', '+newest'),
    );
    expect([report.kept, report.failed]).toEqual([[], []]);
    expect(lab.list()).toEqual(before);
  });

  it('is shown apart from what changed meanwhile', async () => {
    const lab = Lab.forTest();
    await lab.turnOf(() => {
      const touched = lab.command(() => lab.write('ours', 'ours'));
      lab.meanwhile(() => lab.write('mine', 'mine'));
      return Promise.resolve([touched]);
    });
    await lab.turn(() => lab.write('old', 'x'), { old: true });
    const { changes } = await fileChanges(lab.contents, lab.threads, lab.id, { diffs: false, own: lab.own });
    expect(changes.map(({ files, meanwhile }) => ({ files, meanwhile }))).toEqual([
      {
        files: [{ path: 'ours', kind: 'added', sizeAfter: 4 }],
        meanwhile: [{ path: 'mine', kind: 'added', sizeAfter: 4 }],
      },
      { files: [{ path: 'old', kind: 'added', sizeAfter: 1 }], meanwhile: undefined },
    ]);
  });
});

describe('a record that does not tell whose changes they were', () => {
  it('brings back what there was, and deletes nothing unless it is asked to', async () => {
    const lab = Lab.forTest();
    lab.write('f', 'old');
    lab.write('gone', 'gone');
    const edit = (): void => {
      lab.write('f', 'new');
      lab.delete('gone');
      lab.write('folder/made', 'made');
    };
    await lab.turn(edit, { old: true });
    const report = await lab.restore(1);
    expect(report).toMatchObject({
      restored: ['f', 'gone'],
      deleted: [],
      kept: [{ path: 'folder/made', why: 'not-recorded' }],
      notAttributed: lab.turns,
    });
    expect(await lab.restore(1, { meanwhile: true })).toMatchObject({ deleted: ['folder', 'folder/made'] });
  });
});
