import { join } from 'node:path';
import type { UndoSettings } from '../config/defaults.ts';
import { fileTime } from '../exec/file-time.ts';
import { reasonOf } from '../disk/file-system.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import {
  notNeeded,
  type Snapshot,
  type SnapshotRequest,
  type Snapshots,
  type SnapshotTaken,
} from '../ports/snapshots.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { ContentStore } from './content-store.ts';
import type { WorkspaceDisk } from './disk.ts';
import type { KnownFolder, KnownWorkspace } from './known-workspace.ts';
import { loadIgnoreRules, type UserPlaces } from './load-ignore-rules.ts';
import { Pace, Stopped } from './pace.ts';
import { PackDraft } from './pack-draft.ts';
import { scan } from './scan.ts';
import { type Moment, tellApart, type TellApartInput } from './tell-apart.ts';
import { type Hash, hashOf } from './tree.ts';

export interface SnapshotPlaces extends UserPlaces {
  /** Where threads are kept. */
  readonly home: string;
}

export interface SnapshotPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly disk: WorkspaceDisk;
}

/** Where the contents of a workspace are kept. `root` is without links. */
export function storeOf(home: string, root: string): ContentStore {
  const key = hashOf(new TextEncoder().encode(root)).slice(0, 16);
  return new ContentStore(join(snapshotsFolder(home), key));
}

export function snapshotsFolder(home: string): string {
  return join(home, 'capstan', 'snapshots');
}

/** After so many times nobody is kept waiting again. */
const slowEnough = 2;

/** Takes snapshots of workspaces, one at a time, each from what the one before it learnt. */
export class WorkspaceSnapshots implements Snapshots {
  readonly #places: SnapshotPlaces;
  readonly #ports: SnapshotPorts;
  readonly #limits: UndoSettings;
  #last: { readonly root: string; readonly known: KnownWorkspace } | undefined;
  /** How often in a row looking alone took too long, by workspace. */
  readonly #slow = new Map<string, number>();
  readonly #moments = new WeakMap<SnapshotTaken, Moment>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(places: SnapshotPlaces, ports: SnapshotPorts, limits: UndoSettings) {
    this.#places = places;
    this.#ports = ports;
    this.#limits = limits;
  }

  take(request: SnapshotRequest, signal: AbortSignal): Promise<Snapshot> {
    const result = this.#queue.then(() => this.#take(request, signal));
    this.#queue = result;
    return result;
  }

  async #take({ root: asked, denies, since }: SnapshotRequest, signal: AbortSignal): Promise<Snapshot> {
    const { disk, clock } = this.#ports;
    const root = disk.realPath(asked);
    if (root === undefined)
      return { kind: 'missing', root: asked, outcome: unavailable(`there is no folder ${asked}`) };
    if ((this.#slow.get(root) ?? 0) >= slowEnough) return { kind: 'missing', root, outcome: tooSlow(root) };
    const store = storeOf(this.#places.home, root);
    const known = this.#knownOf(root, store);
    const pack = this.#draft(root, store, known);
    const learnt = new Map<string, KnownFolder>();
    const own = disk.realPath(this.#places.home);
    const at = fileTime(root);
    try {
      const scanned = await scan({
        root,
        disk,
        known,
        rules: loadIgnoreRules(root, this.#places, { denies }),
        excludes: (path) => path === own || denies(path),
        maxFileBytes: this.#limits.maxFileBytes,
        now: clock.now(),
        pace: new Pace(clock, signal),
        hasRoom: (bytes) => pack.hasRoom(bytes),
        keep: (hash, bytes) => pack.keep(hash, bytes),
        learn: (path, folder) => learnt.set(path, folder),
      });
      await this.#save(root, store, pack, { known, learnt });
      this.#slow.delete(root);
      const { leftOut, sights, ...taken } = scanned;
      const moment = { tree: taken.tree, at, known: learnt };
      const before = since === undefined ? undefined : this.#moments.get(since.snapshot);
      const others =
        since === undefined || before === undefined
          ? undefined
          : await this.#others({ root, store, before, after: { ...moment, sights }, touched: since.touched });
      const whose = others === undefined ? {} : { others };
      const snapshot: SnapshotTaken = { kind: 'taken', root, ...taken, ...whose, skipped: leftOut };
      this.#moments.set(snapshot, moment);
      return snapshot;
    } catch (error) {
      if (!(error instanceof Stopped)) {
        pack.discard();
        return { kind: 'missing', root, outcome: unavailable(`${root}: ${reasonOf(error)}`) };
      }
      if (signal.reason === notNeeded) pack.discard();
      else await this.#saveProgress(root, store, pack, { known, learnt });
      return { kind: 'missing', root, outcome: tooSlow(root) };
    }
  }

  /** Undefined when it cannot be told: then every change counts as one that others may have made. */
  async #others(input: Omit<TellApartInput, 'home' | 'pack'>): Promise<Hash | undefined> {
    const { store, root, after } = input;
    const pack = this.#draft(root, store, after.known);
    try {
      const others = tellApart({ ...input, home: this.#places.home, pack });
      await pack.finish();
      return others;
    } catch {
      pack.discard();
      return undefined;
    }
  }

  #draft(root: string, store: ContentStore, known: KnownWorkspace): PackDraft {
    return new PackDraft(store, { known, root, name: this.#ports.ids.uuid(), maxBytes: this.#limits.maxTotalBytes });
  }

  #knownOf(root: string, store: ContentStore): KnownWorkspace {
    // Whoever removed the store has removed what the memory refers to.
    if (this.#last?.root === root && store.hasKnown) return this.#last.known;
    return store.loadKnown();
  }

  async #save(root: string, store: ContentStore, pack: PackDraft, { known, learnt }: Learnt): Promise<void> {
    await pack.finish();
    const isSame = known.size === learnt.size && [...learnt].every(([path, folder]) => known.get(path) === folder);
    if (!isSame || !store.hasKnown) store.saveKnown(learnt);
    this.#last = { root, known: learnt };
  }

  /** What was read need not be read again: the next snapshot comes further. */
  async #saveProgress(root: string, store: ContentStore, pack: PackDraft, scan: Learnt): Promise<void> {
    if (pack.isEmpty) this.#slow.set(root, (this.#slow.get(root) ?? 0) + 1);
    try {
      await this.#save(root, store, pack, { ...scan, learnt: mergeKnown(scan) });
    } catch {
      pack.discard();
    }
  }
}

interface Learnt {
  /** Before. */
  readonly known: KnownWorkspace;
  readonly learnt: KnownWorkspace;
}

/** Folders above one that was seen anew must be put together again. */
function mergeKnown({ known, learnt }: Learnt): KnownWorkspace {
  const merged = new Map([...known, ...learnt]);
  for (const path of learnt.keys()) {
    for (let above = path; above !== '';) {
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
      const folder = learnt.has(above) ? undefined : known.get(above);
      if (folder !== undefined) merged.set(above, { ...folder, count: -1 });
    }
  }
  return merged;
}

function unavailable(why: string): Outcome<'undo-unavailable'> {
  return {
    code: 'undo-unavailable',
    message: `What this turn does to files cannot be undone: ${why}.`,
    next: 'The turn goes on. Commit your work first if you want to be able to go back.',
  };
}

function tooSlow(root: string): Outcome<'undo-too-slow'> {
  return {
    code: 'undo-too-slow',
    message: `What this turn does to files cannot be undone: ${root} holds too much to be looked at in time.`,
    next: 'The turn goes on. Let .gitignore name what need not be kept, or set undo.enabled to false.',
  };
}
