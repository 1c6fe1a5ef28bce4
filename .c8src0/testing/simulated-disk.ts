import type { FileFacts, JournalDisk, Lock, LockHeld, Locks, OpenFile } from '../ports/files.ts';
import { dirname } from 'node:path/posix';

type FileOperation = 'size' | 'read' | 'append' | 'truncate' | 'sync' | 'close';
type NameOperation = 'makeDirectory' | 'open' | 'list' | 'move' | 'link' | 'remove' | 'syncDirectory';
export type DiskOperation = NameOperation | FileOperation;

interface Entry {
  mode: number;
  /** True once `syncDirectory` of the parent has seen this name. */
  durable: boolean;
  readonly content?: SimulatedFile;
}

/**
 * An in-memory disk that keeps only what was synced. Paths are absolute, with `/`; the root exists. `crash` and `kill`
 * end this disk and return the one that the next process finds.
 */
export class SimulatedDisk implements JournalDisk {
  /** Held by the processes that use this disk; released when it ends. */
  readonly locks = new SimulatedLocks();
  /** Bytes that fit on the disk. A write beyond it is partial and rejects with ENOSPC. */
  capacity = Number.POSITIVE_INFINITY;
  /** Awaited before a sync of a file or folder takes effect. */
  slow: ((path: string) => Promise<void>) | undefined;
  /** Successful calls of a file's `sync` and of `syncDirectory`. */
  syncs = 0;
  directorySyncs = 0;

  readonly #entries: Map<string, Entry>;
  readonly #leaving = new Map<string, { readonly entry: Entry; readonly to?: string }>();
  readonly #failures = new Map<DiskOperation, string[]>();
  #gone: string | undefined;

  constructor() {
    this.#entries = new Map([['/', { mode: 0o755, durable: true }]]);
  }

  /** The next call of the operation without an earlier pending failure rejects with this code. */
  failNext(operation: DiskOperation, code: string): void {
    this.#failures.set(operation, [...(this.#failures.get(operation) ?? []), code]);
  }

  /** Power loss: synced bytes under durable names stay; the choice decides about the rest. */
  crash(choice: CrashChoice): SimulatedDisk {
    this.#end('the simulated disk crashed');
    const survivor = this.#successor();
    for (const [path, { entry, to }] of this.#leaving) {
      if (choiceAbout(choice, path, 'change', 1) === 1) continue;
      if (to !== undefined) this.#entries.delete(to);
      if (!this.#entries.has(path)) this.#entries.set(path, entry);
    }
    for (const [path, entry] of [...this.#entries].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      if (path === '/' || !survivor.#entries.has(dirname(path))) continue;
      if (!entry.durable && choiceAbout(choice, path, 'name', 1) === 0) continue;
      const { mode, content } = entry;
      const kept = content?.afterCrash((most) => choiceAbout(choice, path, 'bytes', most));
      survivor.#entries.set(path, { mode, durable: true, content: kept });
    }
    return survivor;
  }

  /** The process dies, the machine runs on: all bytes stay, unsynced ones remain unsynced, and locks are free. */
  kill(): SimulatedDisk {
    this.#end('the process that used the simulated disk was killed');
    const survivor = this.#successor();
    for (const [path, entry] of this.#entries) survivor.#entries.set(path, entry);
    for (const [path, gone] of this.#leaving) survivor.#leaving.set(path, gone);
    return survivor;
  }

  /** The content for readers now, or undefined if the file does not exist. */
  contents(path: string): Uint8Array | undefined {
    const content = this.#entries.get(path)?.content;
    return content?.seen.slice(0, content.seen.length);
  }

  /** Every name with its mode bits, in order; folders end with `/`. */
  names(): ReadonlyMap<string, number> {
    const shown = (path: string, { content }: Entry) => (content === undefined && path !== '/' ? `${path}/` : path);
    const named = [...this.#entries].map(([path, entry]) => [shown(path, entry), entry.mode] as const);
    return new Map(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  async makeDirectory(path: string, mode: number): Promise<void> {
    this.#enter('makeDirectory', path);
    const missing: string[] = [];
    for (let at = path; !this.#entries.has(at); at = dirname(at)) missing.push(at);
    const existing = missing.length === 0 ? path : dirname(missing[missing.length - 1] ?? path);
    if (this.#entries.get(existing)?.content !== undefined) throw diskError('ENOTDIR', 'makeDirectory', path);
    for (const at of missing.toReversed()) this.#entries.set(at, { mode, durable: false });
  }

  openToRead(path: string): Promise<OpenFile> {
    return this.open(path, { create: false, mode: 0o600 });
  }

  async open(path: string, options: { readonly create: boolean; readonly mode: number }): Promise<OpenFile> {
    this.#enter('open', path);
    const entry = this.#entries.get(path);
    if (entry !== undefined && entry.content === undefined) throw diskError('EISDIR', 'open', path);
    if (entry?.content !== undefined) return this.#handle(path, entry.content);
    if (!options.create || !this.#isFolder(dirname(path))) throw diskError('ENOENT', 'open', path);
    const content = new SimulatedFile();
    this.#entries.set(path, { mode: options.mode, durable: false, content });
    return this.#handle(path, content);
  }

  async list(path: string): Promise<readonly string[]> {
    this.#enter('list', path);
    return this.#children(path).map((child) => child.slice(child.lastIndexOf('/') + 1));
  }

  /** The simulated disk has no clock: files count their changes. */
  async modified(path: string): Promise<number | undefined> {
    return (await this.describe(path))?.modified;
  }

  async describe(path: string): Promise<FileFacts | undefined> {
    this.#enter('list', path);
    const entry = this.#entries.get(path);
    if (entry?.content === undefined) return undefined;
    return { size: entry.content.seen.length, modified: entry.content.modified, mode: entry.mode };
  }

  async setFacts(path: string, { modified, mode }: Pick<FileFacts, 'modified' | 'mode'>): Promise<void> {
    this.#enter('list', path);
    const entry = this.#entries.get(path);
    if (entry?.content === undefined) throw diskError('ENOENT', 'list', path);
    entry.mode = mode;
    entry.content.modified = modified;
  }

  async link(path: string, name: string): Promise<void> {
    this.#enter('link', path);
    const entry = this.#entries.get(path);
    if (entry?.content === undefined || !this.#isFolder(dirname(name))) throw diskError('ENOENT', 'link', path);
    if (this.#entries.has(name)) throw diskError('EEXIST', 'link', name);
    this.#entries.set(name, { mode: entry.mode, durable: false, content: entry.content });
  }

  async move(from: string, to: string): Promise<void> {
    this.#enter('move', from);
    const entry = this.#entries.get(from);
    if (entry === undefined || !this.#isFolder(dirname(to))) throw diskError('ENOENT', 'move', from);
    this.#entries.delete(from);
    // A crash may leave either name, but always one of them.
    this.#entries.set(to, entry);
    this.#leaving.set(from, { entry, to });
  }

  async remove(path: string): Promise<void> {
    this.#enter('remove', path);
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    const { content } = entry;
    if (content !== undefined) content.named = [...this.#entries.values()].some((other) => other.content === content);
    this.#leaving.set(path, { entry });
  }

  async syncDirectory(path: string): Promise<void> {
    this.#enter('syncDirectory', path);
    if (!this.#isFolder(path)) throw diskError('ENOENT', 'syncDirectory', path);
    const children = this.#children(path).map((child) => this.#entries.get(child));
    await this.slow?.(path);
    this.#alive('syncDirectory', path);
    for (const child of children) if (child !== undefined) child.durable = true;
    for (const [from, { to = from }] of this.#leaving) {
      if (dirname(from) === path || dirname(to) === path) this.#leaving.delete(from);
    }
    this.directorySyncs += 1;
  }

  #handle(path: string, content: SimulatedFile): OpenFile {
    let closed = false;
    const enter = (operation: DiskOperation): void => {
      if (closed) throw diskError('EBADF', operation, path);
      this.#enter(operation, path);
    };
    return {
      size: async () => {
        enter('size');
        return content.seen.length;
      },
      read: async (position, length) => {
        enter('read');
        return content.seen.slice(position, Math.min(position + length, content.seen.length));
      },
      append: async (bytes) => {
        if (closed) throw diskError('EBADF', 'append', path);
        const code = this.#failure('append', path);
        const space = Math.max(0, this.capacity - this.#used());
        // A real write that fails may leave a part behind, so this one does.
        const fits = Math.min(space, code === undefined ? bytes.length : bytes.length >> 1);
        if (fits > 0) content.take({ kind: 'append', bytes: bytes.slice(0, fits) });
        if (code !== undefined) throw diskError(code, 'append', path);
        if (fits < bytes.length) throw diskError('ENOSPC', 'append', path);
      },
      truncate: async (size) => {
        enter('truncate');
        content.take({ kind: 'truncate', size });
      },
      sync: async () => {
        enter('sync');
        const upTo = content.taken;
        await this.slow?.(path);
        this.#alive('sync', path);
        content.settle(upTo);
        this.syncs += 1;
      },
      isNamed: async () => content.named,
      close: async () => {
        enter('close');
        closed = true;
      },
    };
  }

  #children(path: string): readonly string[] {
    return [...this.#entries.keys()].filter((other) => other !== '/' && dirname(other) === path);
  }

  #isFolder(path: string): boolean {
    const entry = this.#entries.get(path);
    return entry !== undefined && entry.content === undefined;
  }

  #used(): number {
    return [...this.#entries.values()].reduce((sum, { content }) => sum + (content?.seen.length ?? 0), 0);
  }

  #successor(): SimulatedDisk {
    const next = new SimulatedDisk();
    next.capacity = this.capacity;
    return next;
  }

  #end(why: string): void {
    this.#gone ??= why;
    this.locks.releaseAll();
  }

  #enter(operation: DiskOperation, path: string): void {
    const code = this.#failure(operation, path);
    if (code !== undefined) throw diskError(code, operation, path);
  }

  #failure(operation: DiskOperation, path: string): string | undefined {
    this.#alive(operation, path);
    return this.#failures.get(operation)?.shift();
  }

  #alive(operation: DiskOperation, path: string): void {
    if (this.#gone !== undefined) throw new Error(`${this.#gone}: ${operation} '${path}'`);
  }
}

const diskError = (code: string, operation: DiskOperation, path: string): Error =>
  Object.assign(new Error(`${code}: simulated, ${operation} '${path}'`), { code, path, syscall: operation });

/**
 * Decides what a crash leaves of an unsynced change. The answer is a number from 0 to `most`. New name: 0 (gone) or 1
 * (kept). Moved or removed name: 0 (as before) or 1 (done). File: how many of its unsynced steps reached the disk, in
 * order; each appended byte and each truncation is one step.
 */
export type CrashChoice = (about: {
  readonly path: string;
  readonly what: 'name' | 'bytes' | 'change';
  readonly most: number;
}) => number;

function choiceAbout(choice: CrashChoice, path: string, what: 'name' | 'bytes' | 'change', most: number): number {
  const chosen = choice({ path, what, most });
  if (!Number.isInteger(chosen) || chosen < 0 || chosen > most) {
    throw new RangeError(`a crash choice about '${path}' must be a whole number from 0 to ${most}, not ${chosen}`);
  }
  return chosen;
}

type Step =
  | { readonly kind: 'append'; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** A file's bytes twice: as a reader sees them, and as the disk has them. */
class SimulatedFile {
  readonly seen = new Growing();
  readonly #onDisk = new Growing();
  readonly #unsynced: Step[] = [];
  named = true;
  /** Steps taken in all. A sync settles the steps counted at its start, whatever other syncs did meanwhile. */
  taken = 0;
  /** Counts changes, unless the test has set another time. */
  modified = 0;

  take(step: Step): void {
    this.seen.apply(step);
    this.#unsynced.push(step);
    this.taken += 1;
    this.modified += 1;
  }

  settle(upTo: number): void {
    const settled = this.taken - this.#unsynced.length;
    for (const step of this.#unsynced.splice(0, Math.max(0, upTo - settled))) this.#onDisk.apply(step);
  }

  afterCrash(chosen: (most: number) => number): SimulatedFile {
    const after = new SimulatedFile();
    after.take({ kind: 'append', bytes: this.#onDisk.slice(0, this.#onDisk.length) });
    const most = this.#unsynced.reduce((sum, step) => sum + weight(step), 0);
    let left = most === 0 ? 0 : chosen(most);
    for (const step of this.#unsynced) {
      if (left === 0) break;
      after.take(step.kind === 'append' ? { ...step, bytes: step.bytes.slice(0, left) } : step);
      left -= Math.min(left, weight(step));
    }
    after.settle(after.taken);
    after.modified = this.modified;
    return after;
  }
}

const weight = (step: Step): number => (step.kind === 'append' ? step.bytes.length : 1);

/** Bytes that grow at the end without being copied each time. */
class Growing {
  #bytes = new Uint8Array(64);
  length = 0;

  slice(start: number, end: number): Uint8Array {
    return this.#bytes.slice(start, end);
  }

  apply(step: Step): void {
    const length = step.kind === 'append' ? this.length + step.bytes.length : step.size;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    if (step.kind === 'append') this.#bytes.set(step.bytes, this.length);
    else if (step.size > this.length) this.#bytes.fill(0, this.length, step.size);
    this.length = length;
  }
}

/** Locks in memory. `SimulatedDisk` has its own set, which its crash releases. */
export class SimulatedLocks implements Locks {
  readonly #held = new Map<string, symbol>();
  #taken = 0;

  async take(path: string): Promise<Lock | LockHeld> {
    if (this.#held.has(path)) return { kind: 'held', owner: 'the simulated writer' };
    const mine = Symbol(path);
    this.#held.set(path, mine);
    return {
      kind: 'lock',
      epoch: ++this.#taken,
      isLost: async () => (this.#held.get(path) ?? mine) !== mine,
      release: async () => {
        if (this.#held.get(path) === mine) this.#held.delete(path);
      },
    };
  }

  takeNew(path: string): Promise<Lock | LockHeld> {
    return this.take(path);
  }

  releaseAll(): void {
    this.#held.clear();
  }
}
