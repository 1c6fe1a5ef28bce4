import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { nodeWorkspaceDisk, type WorkspaceDisk } from '../../src/engine/workspace/workspace-disk.ts';
import { Lab, type Listing } from './lab.ts';

type Edit =
  | { readonly kind: 'write'; readonly path: string; readonly content: string; readonly mode: number }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'delete'; readonly path: string };

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'ü x');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      path,
      content: fc.constantFrom('', 'one', 'two', '\u0000ÿ\u0080'),
      mode: fc.constantFrom(0o644, 0o600, 0o755),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('link' as const), path, target: fc.constantFrom('a', '/nowhere', '..') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('folder' as const), path, mode: fc.constantFrom(0o755, 0o700) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), path }) },
);
const edits = fc.array(edit, { maxLength: 5 });
const story = fc.record({
  start: fc.array(edit, { maxLength: 8 }),
  turns: fc.array(fc.record({ turn: edits, user: edits }), { minLength: 1, maxLength: 3 }),
});

function perform(lab: Lab, all: readonly Edit[]): void {
  for (const one of all) {
    if (one.kind === 'write') lab.write(one.path, Buffer.from(one.content, 'latin1'), one.mode);
    if (one.kind === 'link') lab.link(one.path, one.target);
    if (one.kind === 'folder') lab.folder(one.path, one.mode);
    if (one.kind === 'delete') lab.delete(one.path);
  }
}

interface Played {
  /** Before the first turn, after it, after the user, and so on; the last is how things are now. */
  readonly moments: readonly Listing[];
}

async function play(
  lab: Lab,
  { start, turns }: { start: readonly Edit[]; turns: readonly { turn: readonly Edit[]; user: readonly Edit[] }[] },
): Promise<Played> {
  perform(lab, start);
  const moments = [lab.list()];
  for (const { turn, user } of turns) {
    await lab.turn(() => perform(lab, turn));
    moments.push(lab.list());
    perform(lab, user);
    moments.push(lab.list());
    // Another process goes on now and then.
    if (moments.length % 4 === 1) lab.snapshots = lab.fresh();
  }
  return { moments };
}

/** The state of a path before the thread first touched it, and whether the user changed it after that. */
function expectation(moments: readonly Listing[], path: string) {
  const at = (moment: number) => moments[moment]?.get(path);
  const first = moments.findIndex(
    (_, moment) => moment % 2 === 0 && moment + 1 < moments.length && at(moment) !== at(moment + 1),
  );
  if (first < 0) return { touched: false, target: moments.at(-1)?.get(path), disputed: false };
  const disputed = moments.some((_, moment) => moment % 2 === 1 && moment > first && at(moment) !== at(moment + 1));
  return { touched: true, target: at(first), disputed };
}

function pathsOf(moments: readonly Listing[]): readonly string[] {
  return [...new Set(moments.flatMap((moment) => [...moment.keys()]))];
}

async function inLab(run: (lab: Lab) => Promise<void>): Promise<void> {
  const lab = new Lab();
  try {
    await run(lab);
  } finally {
    lab.remove();
  }
}

it('without other writers, the tree is exactly what it was before the turn', async () => {
  const alone = story.map(({ start, turns }) => ({ start, turns: turns.map(({ turn }) => ({ turn, user: [] })) }));
  await fc.assert(
    fc.asyncProperty(alone, fc.nat(2), (played, pick) =>
      inLab(async (lab) => {
        const { moments } = await play(lab, played);
        const target = pick % played.turns.length;
        const report = await lab.restore(target + 1);
        expect(lab.list()).toEqual(moments[target * 2]);
        expect([report.kept, report.failed]).toEqual([[], []]);
        const isChanged = report.restored.length + report.deleted.length > 0;
        if (isChanged) await lab.restore('undo');
        expect(lab.list()).toEqual(moments.at(-1));
      }),
    ),
    { numRuns: 12 * inject('runFactor') },
  );
});

it('what the user did since stays, and everything else goes back', async () => {
  await fc.assert(
    fc.asyncProperty(story, (played) =>
      inLab(async (lab) => {
        const { moments } = await play(lab, played);
        const now = moments.at(-1)!;
        const report = await lab.restore(1);
        const after = lab.list();
        const kept = new Map(report.kept.map(({ path, why }) => [path, why]));
        expect(report.failed).toEqual([]);
        const wrong = pathsOf(moments).filter((path) => {
          const { touched, target, disputed } = expectation(moments, path);
          const why = kept.get(path);
          const wanted = why === undefined && touched ? target : now.get(path);
          // A folder that a restored file needs comes back with it.
          const isNeeded = wanted === undefined && report.restored.some((other) => other.startsWith(`${path}/`));
          const isAsWanted = isNeeded || after.get(path) === wanted;
          const isTold = !disputed || target === now.get(path) || why !== undefined;
          return !isAsWanted || !isTold || (why === 'changed-since' && !disputed);
        });
        expect(wrong).toEqual([]);
      }),
    ),
    { numRuns: 12 * inject('runFactor') },
  );
});

it('force takes back what the user did too, and can be undone whole', async () => {
  await fc.assert(
    fc.asyncProperty(story, (played) =>
      inLab(async (lab) => {
        const { moments } = await play(lab, played);
        const now = moments.at(-1)!;
        const report = await lab.restore(1, { force: true });
        const after = lab.list();
        expect(report.kept.filter(({ why }) => why !== 'in-the-way')).toEqual([]);
        const kept = new Set(report.kept.map(({ path }) => path));
        const wrong = pathsOf(moments).filter((path) => {
          const { touched, target } = expectation(moments, path);
          const isNeeded = report.restored.some((other) => other.startsWith(`${path}/`));
          return touched && !kept.has(path) && !isNeeded && after.get(path) !== target;
        });
        expect(wrong).toEqual([]);
        if (report.restored.length + report.deleted.length > 0) await lab.restore('undo');
        expect(lab.list()).toEqual(now);
      }),
    ),
    { numRuns: 12 * inject('runFactor') },
  );
});

/** A disk that refuses every change after so many. A file that it refuses may stand there half, under no name of its own. */
function failingDisk(steps: number, leaves: 'nothing' | 'half a file'): WorkspaceDisk {
  let left = steps;
  const limited = <Words extends readonly [string, ...unknown[]], Result>(
    change: (...words: Words) => Result,
    isFile = false,
  ) => {
    return (...words: Words): Result => {
      if (left-- > 0) return change(...words);
      if (isFile && leaves === 'half a file' && left === -1) {
        writeFileSync(join(dirname(words[0]), '.capstan-4194304-0'), 'hal');
      }
      throw new Error('ENOSPC: no space left on device');
    };
  };
  const { putFile, putLink, makeFolder, removeFolder, remove, setMode } = nodeWorkspaceDisk;
  return {
    ...nodeWorkspaceDisk,
    putFile: limited(putFile, true),
    putLink: limited(putLink),
    makeFolder: limited(makeFolder),
    removeFolder: limited(removeFolder),
    remove: limited(remove),
    setMode: limited(setMode),
  };
}

it.each(['fails', 'is killed'] as const)('a restore that %s after any step can be undone whole', async (end) => {
  const leaves =
    end === 'is killed' ? fc.constantFrom('nothing' as const, 'half a file' as const) : fc.constant('nothing' as const);
  await fc.assert(
    fc.asyncProperty(story, fc.nat(8), leaves, fc.boolean(), (played, steps, rest, force) =>
      inLab(async (lab) => {
        const { moments } = await play(lab, played);
        const { restored, deleted } = await lab.restore(1, { force, dryRun: true });
        if (restored.length + deleted.length === 0) return;
        await lab.restore(1, { force }, failingDisk(steps, rest));
        if (end === 'is killed') lab.forgetEndOfRestore();
        lab.snapshots = lab.fresh();
        const report = await lab.restore('undo');
        expect([lab.list(), report.kept, report.failed]).toEqual([moments.at(-1), [], []]);
      }),
    ),
    { numRuns: 25 * inject('runFactor') },
  );
});
