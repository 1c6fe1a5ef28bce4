import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges } from './apply-changes.ts';
import { computePatch, noGuard, type PatchedFile } from './compute-patch.ts';
import type { PatchDisk } from '../../../ports/files.ts';
import type { Chunk, Hunk } from './patch.ts';

type Names = Map<string, { readonly id: number; content: Buffer }>;

/** A disk in memory that refuses on request. Folders are those that hold something, and those that were made. */
class FragileDisk implements PatchDisk {
  readonly names: Names = new Map();
  readonly folders = new Set(['/']);
  /** Called before everything that changes something. */
  beforeChange: () => void = () => {};
  #files = 0;
  #asides = 0;

  constructor(files: Readonly<Record<string, string>>) {
    for (const [place, content] of Object.entries(files)) this.#put(place, Buffer.from(content));
  }

  look: PatchDisk['look'] = (place) => {
    if (this.#isFolder(place)) return { kind: 'folder' };
    const file = this.names.get(place);
    return file === undefined ? { kind: 'missing' } : { kind: 'file', identity: `${file.id}`, mode: 0o644 };
  };
  read: PatchDisk['read'] = (place) => this.names.get(place)!.content;
  makeFolder: PatchDisk['makeFolder'] = (place) => {
    this.beforeChange();
    this.folders.add(place);
  };
  removeFolder: PatchDisk['removeFolder'] = (place) => {
    this.beforeChange();
    if ([...this.names.keys()].some((name) => name.startsWith(`${place}/`))) throw new Error('ENOTEMPTY');
    this.folders.delete(place);
  };
  create: PatchDisk['create'] = (place, content) => {
    this.beforeChange();
    this.#put(place, Buffer.from(content));
  };
  overwrite: PatchDisk['overwrite'] = (place, content) => {
    const file = this.names.get(place)!;
    try {
      this.beforeChange();
      file.content = Buffer.from(content);
    } catch (error) {
      file.content = Buffer.from('half of it');
      throw error;
    }
  };
  setAside: PatchDisk['setAside'] = (place) => {
    const aside = `${place}.aside${this.#asides++}`;
    this.rename(place, aside);
    return aside;
  };
  rename: PatchDisk['rename'] = (place, to) => {
    this.beforeChange();
    this.names.set(to, this.names.get(place)!);
    this.names.delete(place);
  };
  remove: PatchDisk['remove'] = (place) => {
    this.beforeChange();
    this.names.delete(place);
  };

  snapshot(): Readonly<Record<string, string>> {
    const files = [...this.names].map(([place, { id, content }]) => [place, `${id} ${content}`] as const);
    const folders = [...this.folders].map((place) => [`${place}/`, ''] as const);
    return Object.fromEntries([...files, ...folders].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #put(place: string, content: Buffer): void {
    this.names.set(place, { id: this.#files++, content });
  }

  #isFolder(place: string): boolean {
    return this.folders.has(place) || [...this.names.keys()].some((name) => name.startsWith(`${place}/`));
  }
}

const before = { '/f': 'one\ntwo\n', '/g': 'three\n', '/d/h': 'four\n' };

function changesFor(hunks: readonly Hunk[], disk: PatchDisk): readonly PatchedFile[] {
  const computed = computePatch({ hunks }, { folder: '/', disk, guard: noGuard });
  if (computed.kind !== 'computed') throw new Error(computed.message);
  return computed.changes;
}

const append = (text: string): readonly Chunk[] => [{ lines: [{ kind: 'add', text }], endOfFile: false }];

/** Hunks that fit the tree, whatever the hunks before them left of it. */
const hunk: fc.Arbitrary<Hunk> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    path: fc.constantFrom('f', 'n', 'd/h', 'new/a', 'new/b', 'new/deep/c'),
    lines: fc.constantFrom(['x'], []),
  }),
  fc.record({ kind: fc.constant('delete' as const), path: fc.constantFrom('f', 'g', 'd/h', 'n') }),
  fc.record(
    {
      kind: fc.constant('update' as const),
      path: fc.constantFrom('f', 'g', 'd/h', 'n', 'new/a'),
      movePath: fc.constantFrom('f', 'g', 'moved/x', 'd/y', 'n'),
      chunks: fc.constantFrom(append('more'), append('other')),
    },
    { requiredKeys: ['kind', 'path', 'chunks'] },
  ),
);
const fittingHunks = fc.array(hunk, { minLength: 1, maxLength: 6 }).filter((hunks) => {
  const disk = new FragileDisk(before);
  return computePatch({ hunks }, { folder: '/', disk, guard: noGuard }).kind === 'computed';
});

/** The number of changes that an undisturbed run makes to the disk. */
function countChanges(hunks: readonly Hunk[]): number {
  const disk = new FragileDisk(before);
  let count = 0;
  disk.beforeChange = () => void count++;
  applyChanges(changesFor(hunks, disk), disk);
  return count;
}

describe('applyChanges', () => {
  it('keeps the order of the patch', () => {
    const disk = new FragileDisk(before);
    const hunks: readonly Hunk[] = [
      { kind: 'delete', path: 'f' },
      { kind: 'add', path: 'f/inside', lines: ['x'] },
      { kind: 'update', path: 'g', movePath: 'h', chunks: append('y') },
      { kind: 'add', path: 'g', lines: ['again'] },
    ];
    expect(applyChanges(changesFor(hunks, disk), disk)).toEqual({ kind: 'applied', leftBehind: [] });
    const contents = [...disk.names].map(([place, { content }]) => [place, content.toString()]).toSorted();
    expect(Object.fromEntries(contents)).toEqual({
      '/d/h': 'four\n',
      '/f/inside': 'x\n',
      '/g': 'again\n',
      '/h': 'three\ny\n',
    });
  });

  it('says what it could not take back', () => {
    const disk = new FragileDisk(before);
    const changes = changesFor(
      [
        { kind: 'update', path: 'f', chunks: append('x') },
        { kind: 'delete', path: 'g' },
      ],
      disk,
    );
    let count = 0;
    disk.beforeChange = () => {
      if (++count >= 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    expect(applyChanges(changes, disk)).toEqual({
      kind: 'failed',
      message: 'Failed to delete file /g: No space left on device (ENOSPC)',
      left: ['/f'],
    });
  });
});

describe('law', () => {
  it('a failure at any moment leaves the tree as it was, or only what waits to be removed', () => {
    fc.assert(
      fc.property(fittingHunks, (hunks) => {
        for (let failing = 0; failing < countChanges(hunks); failing++) {
          const disk = new FragileDisk(before);
          const untouched = disk.snapshot();
          let count = 0;
          const changes = changesFor(hunks, disk);
          disk.beforeChange = () => {
            if (count++ === failing) throw new Error('refused once');
          };
          const applied = applyChanges(changes, disk);
          const asides = [...disk.names.keys()].filter((place) => place.includes('.aside'));
          const whole = applied.kind === 'failed' ? disk.snapshot() : untouched;
          expect(whole).toEqual(untouched);
          expect(applied).toMatchObject(
            applied.kind === 'failed' ? { left: [] } : { leftBehind: asides, kind: 'applied' },
          );
          expect(asides).toHaveLength(applied.kind === 'failed' ? 0 : 1);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('when nothing can be taken back either, everything that changed is named', () => {
    fc.assert(
      fc.property(fittingHunks, (hunks) => {
        for (let failing = 0; failing < countChanges(hunks); failing++) {
          const disk = new FragileDisk(before);
          const untouched = disk.snapshot();
          let count = 0;
          const changes = changesFor(hunks, disk);
          disk.beforeChange = () => {
            if (count++ >= failing) throw new Error('refused for ever');
          };
          const applied = applyChanges(changes, disk);
          if (applied.kind !== 'failed') continue;
          const now = disk.snapshot();
          const changed = [...new Set([...Object.keys(untouched), ...Object.keys(now)])]
            .filter((place) => untouched[place] !== now[place])
            // A folder is named as itself, a file that waits for its removal by its own name.
            .map((place) => place.replace(/\/$/, '').replace(/\.aside\d+$/, ''));
          expect([...new Set(changed)].filter((place) => !applied.left.includes(place))).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });
});
