import type { UndoSettings } from '../../core/config/defaults.ts';
import { fileTime } from '../../adapters/exec/file-time.ts';
import { diskErrorReason } from '../../adapters/disk/file-system.ts';
import { ownPathMatcher, type OwnHomes } from '../../core/policy/paths/special-places.ts';
import type { Clock } from '../../ports/system.ts';
import {
  type Snapshot,
  type SnapshotContents,
  snapshotNotNeeded,
  type SnapshotRequest,
  type Snapshots,
  type SnapshotTaken,
  type WorkspaceContents,
} from '../../ports/workspace.ts';
import type { WorkspaceDisk } from '../workspace/workspace-disk.ts';
import { decodeKnownWorkspace, encodeKnownWorkspace, NewContents, scanWorkspace } from './scan-workspace.ts';
import type { KnownFolder, KnownWorkspace } from './scan-workspace.ts';
import { loadIgnoreRules, type UserPlaces } from '../workspace/ignore-rules.ts';
import { TimeSlicer, WorkStoppedError } from '../workspace/yield-to-event-loop.ts';
import { type SnapshotMoment, treeLeftByOthers, type AttributionInput } from './attribute-changes.ts';
import type { ContentHash } from './snapshot-tree.ts';

export type SnapshotPlaces = UserPlaces & { readonly home: string; own(): OwnHomes };
type SnapshotPorts = { readonly clock: Clock; readonly disk: WorkspaceDisk; readonly contents: SnapshotContents };
/** After this many slow scans in a row that found nothing new, the workspace is not scanned again. */
const slowEnough = 2;

/** Takes snapshots of workspaces one at a time, each based on what the previous one learnt. */
export class WorkspaceSnapshots implements Snapshots {
  readonly #places: SnapshotPlaces;
  readonly #ports: SnapshotPorts;
  readonly #limits: UndoSettings;
  #last: { readonly root: string; readonly known: KnownWorkspace } | undefined;
  /** Number of slow scans in a row that found nothing new, by workspace. */
  readonly #slow = new Map<string, number>();
  readonly #moments = new WeakMap<SnapshotTaken, SnapshotMoment>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(places: SnapshotPlaces, ports: SnapshotPorts, limits: UndoSettings) {
    this.#places = places;
    this.#ports = ports;
    this.#limits = limits;
  }

  take(request: SnapshotRequest, signal: AbortSignal): Promise<Snapshot> {
    const result = this.#queue
      .then(() => this.#take(request, signal))
      // The store may be unreachable.
      .catch((error: unknown) => failed(request.root, error));
    this.#queue = result;
    return result;
  }

  async #take({ root: asked, denies, since }: SnapshotRequest, signal: AbortSignal): Promise<Snapshot> {
    const { disk, clock } = this.#ports;
    const root = disk.realPath(asked);
    if (root === undefined) return unavailable(asked, `there is no folder ${asked}`);
    const isOwn = ownPathMatcher(this.#places.own(), root);
    if (isOwn(root)) return ofEngine(root);
    if ((this.#slow.get(root) ?? 0) >= slowEnough) return tooSlow(root);
    const contents = await this.#ports.contents.of(root);
    const known = await this.#knownOf(root, contents);
    const added = this.#newContents(contents, known);
    const learnt = new Map<string, KnownFolder>();
    const at = fileTime(root);
    try {
      const { sights, ...taken } = await scanWorkspace({
        root,
        disk,
        known,
        rules: loadIgnoreRules(root, this.#places, { denies }),
        excludes: (path) => isOwn(path) || denies(path),
        maxFileBytes: this.#limits.maxFileBytes,
        now: clock.now(),
        pace: new TimeSlicer(clock, signal),
        added,
        learnt,
      });
      await this.#save(root, contents, added, { known, learnt });
      this.#slow.delete(root);
      const moment = { tree: taken.tree, at, known: learnt };
      const before = since && this.#moments.get(since.snapshot);
      const after = { ...moment, sights };
      const others = before && (await this.#others({ root, contents, before, after, touched: since.touched }));
      const snapshot: SnapshotTaken = { kind: 'taken', root, ...taken, others };
      this.#moments.set(snapshot, moment);
      return snapshot;
    } catch (error) {
      if (!(error instanceof WorkStoppedError)) {
        await added.discard();
        return failed(root, error);
      }
      if (signal.reason === snapshotNotNeeded) await added.discard();
      else await this.#saveProgress(root, contents, added, { known, learnt });
      return tooSlow(root);
    }
  }

  /** Undefined if unknown: then any change may be someone else's. */
  async #others(input: Omit<AttributionInput, 'home' | 'added'>): Promise<ContentHash | undefined> {
    const added = this.#newContents(input.contents, input.after.known);
    try {
      const others = await treeLeftByOthers({ ...input, home: this.#places.home, added });
      await added.finish();
      return others;
    } catch {
      await added.discard();
      return undefined;
    }
  }

  #newContents(contents: WorkspaceContents, known: KnownWorkspace): NewContents {
    return new NewContents(contents, known, this.#limits.maxTotalBytes);
  }

  async #knownOf(root: string, contents: WorkspaceContents): Promise<KnownWorkspace> {
    // If the note is gone, the contents that the memory refers to were removed, too.
    if (this.#last?.root === root && (await contents.hasNote())) return this.#last.known;
    return decodeKnownWorkspace(await contents.loadNote());
  }

  async #save(root: string, contents: WorkspaceContents, added: NewContents, { known, learnt }: Learnt): Promise<void> {
    await added.finish();
    const isSame = known.size === learnt.size && [...learnt].every(([path, folder]) => known.get(path) === folder);
    if (!isSame || !(await contents.hasNote())) await contents.saveNote(encodeKnownWorkspace(learnt));
    this.#last = { root, known: learnt };
  }

  /** Saves what was read, so that the next snapshot gets further. */
  async #saveProgress(root: string, contents: WorkspaceContents, added: NewContents, scan: Learnt): Promise<void> {
    if (added.isEmpty) this.#slow.set(root, (this.#slow.get(root) ?? 0) + 1);
    try {
      await this.#save(root, contents, added, { ...scan, learnt: mergeKnown(scan) });
    } catch {
      await added.discard();
    }
  }
}

type Learnt = Readonly<Record<'known' | 'learnt', KnownWorkspace>>;

/** Marks the folders above a newly seen one, so that their trees are built again. */
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

const failed = (root: string, error: unknown): Snapshot => unavailable(root, `${root}: ${diskErrorReason(error)}`);

function ofEngine(root: string): Snapshot {
  const message = `Capstan takes no snapshot, so file changes of this turn cannot be undone: ${root} is Capstan's home folder or a part of it.`;
  const next = 'The turn continues. To work on files of your own, start Capstan in another folder.';
  return { kind: 'missing', root, outcome: { code: 'undo-unavailable', message, next } };
}

function unavailable(root: string, why: string): Snapshot {
  const message = `Capstan cannot take a snapshot, so file changes of this turn cannot be undone: ${why}.`;
  const next = 'The turn continues. To be able to go back, commit your work first.';
  return { kind: 'missing', root, outcome: { code: 'undo-unavailable', message, next } };
}

function tooSlow(root: string): Snapshot {
  const message = `Capstan cannot take a snapshot, so file changes of this turn cannot be undone: ${root} has too many files to read in time.`;
  const next = 'The turn continues. List files that need no snapshot in .gitignore, or set undo.enabled to false.';
  return { kind: 'missing', root, outcome: { code: 'undo-too-slow', message, next } };
}
