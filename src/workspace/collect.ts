import { join } from 'node:path';
import { fileSystem as fs } from '../disk/file-system.ts';
import { namesIn } from '../disk/folders.ts';
import { ContentStore, snapshotsFolder } from './file-contents.ts';
import { decodeKnown, knownContents } from './known-workspace.ts';
import { PackWriter, readPacked, readPackIndex } from './pack.ts';
import { decodeTree, type Hash } from './tree.ts';

export interface SnapshotCollection {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** What is younger stays whatever refers to it: a turn may be about to. */
  readonly graceMs: number;
}

/**
 * Removes the contents that no tree refers to. `referredTrees` are those of all lines of all threads. What the last
 * snapshot of a workspace saw stays as long as any tree of that workspace is referred to: the next one builds on it.
 */
export async function collectSnapshots(
  home: string,
  referredTrees: ReadonlySet<Hash>,
  options: SnapshotCollection,
): Promise<{ readonly freedBytes: number; readonly keptBytes: number }> {
  let [freedBytes, keptBytes] = [0, 0];
  for (const name of namesIn(snapshotsFolder(home))) {
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
  referredTrees: ReadonlySet<Hash>,
  { now, graceMs }: SnapshotCollection,
): Promise<void> {
  const changedAt = (pack: string) => fs.statSync(`${pack}.pack`, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  const old = store.packs().filter((pack) => now - changedAt(pack) >= graceMs);
  const live = new Set<Hash>();
  for (const tree of referredTrees) if (store.has(tree)) mark(store, tree, live);
  for (const pack of store.packs()) if (!old.includes(pack)) markTreesIn(store, pack, live);
  const isUsed = live.size > 0 || old.length < store.packs().length;
  if (!isUsed) return fs.rmSync(store.folder, { recursive: true, force: true });
  for (const hash of knownContents(decodeKnown(store.loadNote()))) live.add(hash);
  for (const pack of old) await sweep(store, pack, live);
}

function mark(store: ContentStore, tree: Hash, live: Set<Hash>): void {
  if (live.has(tree)) return;
  live.add(tree);
  for (const [, entry] of store.readTree(tree)) {
    if (entry.kind === 'folder') mark(store, entry.tree, live);
    if (entry.kind === 'file') live.add(entry.hash);
  }
}

/** No line may name the trees of a young pack yet, and they may refer to contents of older ones. */
function markTreesIn(store: ContentStore, pack: string, live: Set<Hash>): void {
  for (const [hash, content] of readPackIndex(pack)) if (isTree(readPacked(content))) mark(store, hash, live);
}

/** A file that looks like a tree does no harm. */
function isTree(content: Uint8Array): boolean {
  if (content[0] !== 0x5b) return false;
  try {
    return decodeTree(content).every(([name, entry]) => typeof name === 'string' && typeof entry === 'object');
  } catch {
    return false;
  }
}

/** A pack of which more than half is of no use is written anew. */
async function sweep(store: ContentStore, pack: string, live: ReadonlySet<Hash>): Promise<void> {
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
