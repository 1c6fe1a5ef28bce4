import {
  chmodSync,
  existsSync,
  lstatSync,
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
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { defaultUndo, type UndoSettings } from '../../src/core/config/defaults.ts';
import { createChangeWatch } from '../../src/adapters/exec/call-times.ts';
import { fileTime } from '../../src/adapters/exec/file-time.ts';
import { systemClock, systemIds } from '../../src/adapters/gather/clock-and-ids.ts';
import { type OwnHomes } from '../../src/core/policy/paths/special-places.ts';
import type {
  CallTimeRecorder,
  ContentBeforeCall,
  Snapshot,
  SnapshotContents,
  SnapshotRequest,
  TouchedFiles,
} from '../../src/ports/workspace.ts';
import type { Clock } from '../../src/ports/system.ts';
import type { ThreadId, TurnId } from '../../src/protocol/ids.ts';
import { lineType } from '../../src/protocol/line.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { createRolloutStore } from '../../src/adapters/rollout/store/rollout-store.ts';
import { snapshotLine } from '../../src/core/state/drafts/workspace-lines.ts';
import { SimulatedLocks } from '../../src/testing/index.ts';
import { ownHomes } from '../../src/engine/sandbox/protected-paths.ts';
import { applyChanges } from '../../src/adapters/tools/apply-patch/apply-changes.ts';
import { computePatch } from '../../src/adapters/tools/apply-patch/compute-patch.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { parsePatch } from '../../src/adapters/tools/apply-patch/parse-patch.ts';
import { touchedPaths } from '../../src/adapters/tools/apply-patch/prepare-patch.ts';
import { nodeWorkspaceDisk, type OpenFolder, type WorkspaceDisk } from '../../src/engine/workspace/workspace-disk.ts';
import { createFileContents, contentStoreOf } from '../../src/engine/undo/content-store.ts';
import { type RestoreOptions, restoreFiles, type RestoreTarget } from '../../src/engine/undo/restore-files.ts';
import { contentHash } from '../../src/engine/undo/snapshot-tree.ts';
import { WorkspaceSnapshots } from '../../src/engine/undo/workspace-snapshots.ts';

/** In memory where there is such a place: these tests sync a lot. */
const fastFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** The entry at each path: kind, mode and content in one text. */
export type Listing = ReadonlyMap<string, string>;

/** The disk of this machine with folders that do some things otherwise. */
export function diskWith(change: (folder: OpenFolder, path: string) => Partial<OpenFolder>): WorkspaceDisk {
  const changed = (folder: OpenFolder, path: string): OpenFolder => ({
    enter: (name) => changed(folder.enter(name), join(path, name)),
    names: (size) => folder.names(size),
    look: (name) => folder.look(name),
    glance: (name) => folder.glance(name),
    read: (name, maxBytes) => folder.read(name, maxBytes),
    readLink: (name) => folder.readLink(name),
    close: () => folder.close(),
    ...change(folder, path),
  });
  return { ...nodeWorkspaceDisk, open: (path) => changed(nodeWorkspaceDisk.open(path), path) };
}

/** A workspace, a home with real snapshots and a real rollout, and turns that are played by the test. */
export class Lab {
  readonly base = realpathSync(mkdtempSync(join(fastFolder, 'capstan-undo-')));
  readonly root = join(this.base, 'workspace');
  readonly home = join(this.base, 'home');
  readonly id = systemIds(systemClock).uuid() as ThreadId;
  readonly threads = createRolloutStore({
    home: this.home,
    files: nodeFiles,
    locks: new SimulatedLocks(),
    clock: systemClock,
  });
  limits: UndoSettings = defaultUndo;
  snapshots = this.fresh();
  readonly watch: CallTimeRecorder = createChangeWatch(this.home);
  readonly turns: TurnId[] = [];

  constructor() {
    mkdirSync(this.root);
    mkdirSync(this.home);
  }

  static forTest(): Lab {
    const lab = new Lab();
    onTestFinished(() => lab.remove());
    return lab;
  }

  /** Another thread in the same home, and in the same workspace unless another is named. */
  beside(root = this.root): Lab {
    const lab = Object.assign(Object.create(Lab.prototype) as Lab, this, {
      id: systemIds(systemClock).uuid() as ThreadId,
      turns: [],
      root,
    });
    lab.snapshots = lab.fresh();
    return lab;
  }

  /** As a new process would make them. */
  fresh(disk: WorkspaceDisk = nodeWorkspaceDisk, clock: Clock = systemClock): WorkspaceSnapshots {
    const places = { home: this.home, osHome: this.base, env: {}, own: () => this.own };
    return new WorkspaceSnapshots(places, { clock, disk, contents: this.contents }, this.limits);
  }

  get own(): OwnHomes {
    return ownHomes({ home: this.home, osHome: this.base, env: {}, mounts: [] });
  }

  get contents(): SnapshotContents {
    return createFileContents({ home: this.home, ids: systemIds(systemClock) });
  }

  take(signal = new AbortController().signal, since?: SnapshotRequest['since']): Promise<Snapshot> {
    return this.snapshots.take({ root: this.root, denies: () => false, ...(since && { since }) }, signal);
  }

  /** A call that changes files, which are attributed to it by their times, as those of a command. */
  command(edit: () => void): TouchedFiles {
    const open = this.watch.begin(this.root);
    edit();
    return { kind: 'time', time: open.end() };
  }

  /** A call that writes, or deletes, one file and knows it, as a patch does. */
  patch(path: string, content: string | undefined): TouchedFiles {
    const found = contentAt(this.at(path));
    const foundSince = sinceAt(this.at(path));
    const open = this.watch.begin(this.root);
    const missing = foldersAbove(path).filter((folder) => !existsSync(this.at(folder)));
    if (content === undefined) this.delete(path);
    else {
      for (const folder of missing) mkdirSync(this.at(folder));
      writeFileSync(this.at(path), content);
    }
    const paths = [
      ...missing.map((folder) => ({ path: this.at(folder), found: 'nothing', foundSince, left: 'folder' }) as const),
      { path: this.at(path), found, foundSince, left: contentAt(this.at(path)) },
    ];
    return { kind: 'paths', paths, timeId: open.end().id };
  }

  /** A call of the tool that applies patches. The lines stand between the first line and the last of a patch. */
  applyPatch(...lines: readonly string[]): TouchedFiles {
    const parsed = parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
    if (parsed.kind === 'problem') throw new Error(parsed.message);
    const [folder, disk] = [this.root, nodeDisk()];
    const computed = computePatch(parsed.patch, { folder, disk, guard: { check: () => undefined } });
    if (computed.kind !== 'computed') throw new Error(computed.message);
    const open = this.watch.begin(this.root);
    applyChanges(computed.changes, disk);
    return { kind: 'paths', paths: touchedPaths(computed.changes), timeId: open.end().id };
  }

  /** Another program changes files between two calls: by the clock of files before one and after the other. */
  meanwhile(edit: () => void): void {
    nextTick(this.root);
    edit();
    nextTick(this.root);
  }

  /** A turn whose only call changes files. `cutOff`: its process dies before its end. `old`: its record does not tell whose changes they are. */
  turn(edit: () => void, options: { readonly cutOff?: boolean; readonly old?: boolean } = {}) {
    return this.turnOf(() => Promise.resolve([this.command(edit)]), options);
  }

  /** A turn that is whatever the test makes of it. */
  async turnOf(
    work: () => Promise<readonly TouchedFiles[]>,
    { cutOff = false, old = false } = {},
  ): Promise<readonly [Snapshot, Snapshot | undefined]> {
    const owned = await (this.turns.length === 0
      ? this.threads.create(this.id, { id: this.id })
      : this.threads.open(this.id));
    if (owned.kind === 'refused') throw new Error(owned.message);
    const turnId = systemIds(systemClock).uuid() as TurnId;
    this.turns.push(turnId);
    const before = await this.take();
    const changer = { kind: 'turn', turnId } as const;
    owned.append([
      { type: lineType.event, payload: { type: 'task_started', turn_id: turnId } },
      snapshotLine(changer, 'before', before),
    ]);
    const touched = await work();
    const since = before.kind === 'missing' || old ? undefined : { snapshot: before, touched };
    const after = cutOff ? undefined : await this.take(undefined, since);
    if (after !== undefined) owned.append([snapshotLine(changer, 'after', after)]);
    await owned.close();
    return [before, after];
  }

  /** `disk`: one that fails, where that is the point. */
  async restore(target: number | 'undo', options: Partial<RestoreOptions> = {}, disk = nodeWorkspaceDisk) {
    const to: RestoreTarget = target === 'undo' ? { beforeRestore: 'last' } : { beforeTurn: this.turns[target - 1]! };
    const parts = {
      home: this.home,
      threads: this.threads,
      contents: this.contents,
      snapshots: this.snapshots,
      disk,
      ids: systemIds(systemClock),
      denies: () => false,
      own: () => this.own,
    };
    const report = await restoreFiles(parts, this.id, to, { dryRun: false, force: false, ...options });
    if (report.kind === 'refused') throw new Error(`${report.outcome.code}: ${report.outcome.message}`);
    return report;
  }

  /** As a kill leaves the thread after a restore has begun: nothing follows the line that says so. */
  forgetEndOfRestore(): void {
    const names = readdirSync(this.home, { recursive: true, encoding: 'utf8' });
    const file = join(
      this.home,
      names.find((name) => /rollout-.*\.jsonl$/.test(name))!,
    );
    const lines = readFileSync(file, 'utf8').split('\n');
    const began = lines.findLastIndex((line) => line.includes('"restore_id"') && line.includes('"when":"before"'));
    writeFileSync(file, `${lines.slice(0, began + 1).join('\n')}\n`);
  }

  at(path: string): string {
    return join(this.root, path);
  }

  /** Puts a file there, whatever stands there or on the way. */
  write(path: string, content: string | Buffer, mode = 0o644): void {
    this.clear(path);
    writeFileSync(this.at(path), content);
    chmodSync(this.at(path), mode);
  }

  link(path: string, target: string): void {
    this.clear(path);
    symlinkSync(target, this.at(path));
  }

  folder(path: string, mode = 0o755): void {
    this.clearWay(path);
    if (lstatSync(this.at(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
      rmSync(this.at(path), { force: true });
      mkdirSync(this.at(path));
    }
    chmodSync(this.at(path), mode);
  }

  delete(path: string): void {
    // Never through a link.
    const way = path
      .split('/')
      .slice(0, -1)
      .map((_, index, parts) => this.at(parts.slice(0, index + 1).join('/')));
    if (way.some((above) => lstatSync(above, { throwIfNoEntry: false })?.isDirectory() !== true)) return;
    rmSync(this.at(path), { recursive: true, force: true });
  }

  private clear(path: string): void {
    this.clearWay(path);
    rmSync(this.at(path), { recursive: true, force: true });
  }

  private clearWay(path: string): void {
    const parts = path.split('/').slice(0, -1);
    for (const [index] of parts.entries()) {
      const above = this.at(parts.slice(0, index + 1).join('/'));
      if (lstatSync(above, { throwIfNoEntry: false })?.isDirectory() === true) continue;
      rmSync(above, { force: true });
      mkdirSync(above);
    }
  }

  list(): Listing {
    const listing = new Map<string, string>();
    const walk = (folder: string, inside: string): void => {
      for (const name of readdirSync(folder).toSorted()) {
        const [path, below] = [join(folder, name), inside === '' ? name : `${inside}/${name}`];
        const found = lstatSync(path);
        const mode = (found.mode & 0o7777).toString(8);
        if (found.isSymbolicLink()) listing.set(below, `link ${readlinkSync(path)}`);
        else if (found.isDirectory()) {
          listing.set(below, `folder ${mode}`);
          walk(path, below);
        } else if (found.isFile()) listing.set(below, `file ${mode} ${readFileSync(path, 'latin1')}`);
        else listing.set(below, 'other');
      }
    };
    walk(this.root, '');
    return listing;
  }

  /** Everything in a snapshot, folders before what is in them. */
  entriesIn(snapshot: Snapshot): readonly (readonly [path: string, kind: string])[] {
    if (snapshot.kind === 'missing') throw new Error(snapshot.outcome.message);
    const store = contentStoreOf(this.home, this.root);
    const walk = (tree: string, inside: string): readonly (readonly [string, string])[] =>
      store.readTree(tree).flatMap(([name, entry]) => {
        const path = `${inside}${name}`;
        return [[path, entry.kind] as const, ...(entry.kind === 'folder' ? walk(entry.tree, `${path}/`) : [])];
      });
    return walk(snapshot.tree, '');
  }

  /** Paths of its files, in order. */
  filesIn(snapshot: Snapshot): readonly string[] {
    return this.entriesIn(snapshot)
      .flatMap(([path, kind]) => (kind === 'file' ? [path] : []))
      .toSorted();
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** Until the clock that stamps files has moved. */
export function nextTick(folder: string): void {
  const { latest } = fileTime(folder);
  while (fileTime(folder).earliest <= latest);
}

function contentAt(path: string): ContentBeforeCall {
  const sight = lstatSync(path, { throwIfNoEntry: false });
  return sight === undefined ? 'nothing' : { sha256: contentHash(readFileSync(path)) };
}

/** Since when a place has been as it is; of a missing one, the lowest folder on the way. */
function sinceAt(path: string): number {
  const sight = lstatSync(path, { throwIfNoEntry: false });
  if (sight !== undefined) return sight.ctimeMs;
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return lstatSync(folder).mtimeMs;
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
