import { valueOr } from '../../base/objects.ts';
import { fileSystem as fs, listFolderNames } from '../../adapters/disk/file-system.ts';
import { writeOwnFile } from '../../adapters/disk/own-files.ts';
import { promiseEnd } from '../../adapters/rollout/files/node-files.ts';
import type { IdSource } from '../../ports/system.ts';
import type { ContentsDraft, SnapshotContents } from '../../ports/workspace.ts';
import { decodeKnownWorkspace, knownContents } from './scan-workspace.ts';
import { decodeTree, type ContentHash, contentHash, type SnapshotTree } from './snapshot-tree.ts';
import { join } from 'node:path';

export const snapshotsFolder = (home: string): string => join(home, 'capstan', 'snapshots');

/** `root` must be without links. */
export function contentStoreOf(home: string, root: string): ContentStore {
  const key = contentHash(new TextEncoder().encode(root)).slice(0, 16);
  return new ContentStore(join(snapshotsFolder(home), key));
}

export function createFileContents({ home, ids }: { readonly home: string; readonly ids: IdSource }): SnapshotContents {
  return {
    async of(root) {
      const store = contentStoreOf(home, root);
      return {
        load: async (hash) => store.load(hash),
        has: async (hash) => store.has(hash),
        bytes: async () => store.bytes(),
        begin(): ContentsDraft {
          let pack: PackWriter | undefined;
          return {
            add: (hash, content) => (pack ??= store.startPack(ids.uuid(), root)).add(hash, content),
            finish: async () => pack?.finish(),
            discard: async () => pack?.discard(),
          };
        },
        loadNote: async () => store.loadNote(),
        hasNote: async () => store.hasNote,
        saveNote: async (note) => store.saveNote(note),
      };
    },
  };
}

/** The stored contents of one workspace: packs, and a note of what its last snapshot saw. */
export class ContentStore {
  readonly folder: string;
  readonly #notePath: string;
  #contents: Map<ContentHash, PackedContent> | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.#notePath = `${folder}/known.json`;
  }

  loadNote(): string | undefined {
    return textOf(this.#notePath);
  }

  /** False if the note is gone: then contents that it names may be gone, too. */
  get hasNote(): boolean {
    return fs.existsSync(this.#notePath);
  }

  saveNote(note: string): void {
    writeOwnFile(this.#notePath, `${this.#notePath}.${process.pid}`, note);
  }

  /** Begins a pack. Writes `root` beside it once, for people who look around. */
  startPack(name: string, root: string): PackWriter {
    fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const rootFile = `${this.folder}/root`;
    if (!fs.existsSync(rootFile)) fs.writeFileSync(rootFile, `${root}\n`, { mode: 0o600, flag: 'wx' });
    this.#contents = undefined;
    return new PackWriter(`${this.folder}/${name}`);
  }

  bytes(): number {
    const sizes = this.packs().map((pack) => fs.statSync(`${pack}.pack`, { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Paths of all packs, finished or not, without their ending. */
  packs(): readonly string[] {
    const names = listFolderNames(this.folder).filter((name) => name.endsWith('.pack'));
    return names.map((name) => `${this.folder}/${name.slice(0, -'.pack'.length)}`);
  }

  has(hash: ContentHash): boolean {
    return this.#find(hash) !== undefined;
  }

  /** Undefined if it is missing or damaged. */
  load(hash: ContentHash): Uint8Array | undefined {
    const found = this.#find(hash);
    try {
      const content = found && readPacked(found);
      return content && contentHash(content) === hash ? content : undefined;
    } catch {
      return undefined;
    }
  }

  /** Empty if it is gone. */
  readTree(hash: ContentHash): SnapshotTree {
    const content = this.load(hash);
    return content === undefined ? [] : decodeTree(content);
  }

  forgetPack(pack: string): void {
    removePack(pack);
    this.#contents = undefined;
  }

  #find(hash: ContentHash): PackedContent | undefined {
    this.#contents ??= new Map(this.packs().flatMap((pack) => [...readPackIndex(pack)]));
    return this.#contents.get(hash);
  }
}

type PackedContent = { readonly pack: string; readonly offset: number; readonly length: number };
/** Contents are buffered up to this size before they are written. */
const gatheredBytes = 1024 * 1024;

/**
 * Stores many contents in one file, which gets its final name only when complete. The index is written last: a pack
 * without one does not count.
 */
class PackWriter {
  readonly path: string;
  readonly #index: string[] = [];
  readonly #file: number;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #bytes = 0;
  #isOpen = true;

  /** Creates the file. `path` is without an ending. */
  constructor(path: string) {
    this.path = path;
    this.#file = fs.openSync(`${path}.pack`, 'wx', 0o600);
  }

  add(hash: ContentHash, content: Uint8Array): void {
    this.#index.push(`${hash} ${this.#bytes} ${content.length}\n`);
    this.#gathered.push(content);
    this.#bytes += content.length;
    this.#gatheredBytes += content.length;
    if (this.#gatheredBytes >= gatheredBytes || this.#gathered.length >= 512) this.#write();
  }

  /** Once this resolves the pack counts, even after a power cut. */
  async finish(): Promise<void> {
    this.#write();
    await synced(this.#file);
    this.#close();
    const [half, whole] = [`${this.path}.index.half`, `${this.path}.index`];
    const file = fs.openSync(half, 'wx', 0o600);
    try {
      fs.writeFileSync(file, this.#index.join(''));
      await synced(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(half, whole);
    // Sync the names too, or notes about the contents could outlive them.
    const folder = fs.openSync(this.path.slice(0, this.path.lastIndexOf('/')), 'r');
    await synced(folder).finally(() => fs.closeSync(folder));
  }

  discard(): void {
    this.#close();
    removePack(this.path);
    fs.rmSync(`${this.path}.index.half`, { force: true });
  }

  /** Close only once: the system soon gives the number to another file. */
  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    fs.closeSync(this.#file);
  }

  #write(): void {
    const all = Buffer.concat(this.#gathered);
    for (let written = 0; written < all.length;) written += fs.writeSync(this.#file, all, written);
    this.#gathered = [];
    this.#gatheredBytes = 0;
  }
}

const synced = (file: number): Promise<void> => promiseEnd((done) => fs.fsync(file, done));

/** Remove the index first, so that a half-removed pack does not count. */
function removePack(path: string): void {
  fs.rmSync(`${path}.index`, { force: true });
  fs.rmSync(`${path}.pack`, { force: true });
}

/** Empty if the index cannot be read. */
function readPackIndex(path: string): ReadonlyMap<ContentHash, PackedContent> {
  const contents = new Map<ContentHash, PackedContent>();
  for (const line of (textOf(`${path}.index`) ?? '').split('\n')) {
    const [hash = '', offset, length] = line.split(' ');
    if (length !== undefined) contents.set(hash, { pack: path, offset: Number(offset), length: Number(length) });
  }
  return contents;
}

function textOf(path: string): string | undefined {
  return valueOr(undefined, () => fs.readFileSync(path, 'utf8'));
}

function readPacked({ pack, offset, length }: PackedContent): Uint8Array {
  const file = fs.openSync(`${pack}.pack`, 'r');
  try {
    const content = Buffer.alloc(length);
    return content.subarray(0, fs.readSync(file, content, 0, length, offset));
  } finally {
    fs.closeSync(file);
  }
}

/** Contents younger than `graceMs` always stay: a turn may be about to refer to them. */
export type SnapshotCleanup = { readonly now: number; readonly graceMs: number };

/**
 * Removes unreferenced contents. `referredTrees` are those in all lines of all threads. What the last snapshot of a
 * workspace saw stays while any tree of that workspace is referred to, since the next one builds on it.
 */
export async function removeUnusedSnapshots(
  home: string,
  referredTrees: ReadonlySet<ContentHash>,
  options: SnapshotCleanup,
) {
  let [freedBytes, keptBytes] = [0, 0];
  for (const name of listFolderNames(snapshotsFolder(home))) {
    const store = new ContentStore(join(snapshotsFolder(home), name));
    const before = store.bytes();
    await collectStore(store, referredTrees, options);
    const after = store.bytes();
    freedBytes += before - after;
    keptBytes += after;
  }
  return { freedBytes, keptBytes };
}

async function collectStore(
  store: ContentStore,
  referredTrees: ReadonlySet<ContentHash>,
  { now, graceMs }: SnapshotCleanup,
): Promise<void> {
  const changedAt = (pack: string) => fs.statSync(`${pack}.pack`, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  const old = store.packs().filter((pack) => now - changedAt(pack) >= graceMs);
  const live = new Set<ContentHash>();
  for (const tree of referredTrees) if (store.has(tree)) mark(store, tree, live);
  for (const pack of store.packs()) if (!old.includes(pack)) markTreesIn(store, pack, live);
  const isUsed = live.size > 0 || old.length < store.packs().length;
  if (!isUsed) return fs.rmSync(store.folder, { recursive: true, force: true });
  for (const hash of knownContents(decodeKnownWorkspace(store.loadNote()))) live.add(hash);
  for (const pack of old) await sweep(store, pack, live);
}

function mark(store: ContentStore, tree: ContentHash, live: Set<ContentHash>): void {
  if (live.has(tree)) return;
  live.add(tree);
  for (const [, entry] of store.readTree(tree)) {
    if (entry.kind === 'folder') mark(store, entry.tree, live);
    if (entry.kind === 'file') live.add(entry.hash);
  }
}

/** Marks the trees of a young pack: lines may not name them yet, and they may need contents of older packs. */
function markTreesIn(store: ContentStore, pack: string, live: Set<ContentHash>): void {
  for (const [hash, content] of readPackIndex(pack)) if (isTree(readPacked(content))) mark(store, hash, live);
}

/** A file that only looks like a tree does no harm. */
function isTree(content: Uint8Array): boolean {
  if (content[0] !== 0x5b) return false;
  return valueOr(false, () =>
    decodeTree(content).every(([name, entry]) => typeof name === 'string' && typeof entry === 'object'),
  );
}

/** Rewrites a pack of which more than half is useless. */
async function sweep(store: ContentStore, pack: string, live: ReadonlySet<ContentHash>): Promise<void> {
  const contents = [...readPackIndex(pack)];
  const used = contents.filter(([hash]) => live.has(hash));
  const weigh = (some: typeof contents) => some.reduce((sum, [, { length }]) => sum + length, 0);
  if (used.length > 0 && weigh(used) * 2 >= weigh(contents)) return;
  if (used.length > 0) {
    const again = new PackWriter(`${pack}-again`);
    for (const [hash, content] of used) again.add(hash, readPacked(content));
    await again.finish();
  }
  store.forgetPack(pack);
}
