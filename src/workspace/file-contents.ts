import { join } from 'node:path';
import type { Ids } from '../ports/ids.ts';
import type { ContentsDraft, SnapshotContents, WorkspaceContents } from '../ports/snapshot-contents.ts';
import { ContentStore } from './content-store.ts';
import { ContentGone } from './load-content.ts';
import type { PackWriter } from './pack.ts';
import { hashOf } from './tree.ts';

export interface FileContentsOptions {
  readonly home: string;
  readonly ids: Ids;
}

export function snapshotsFolder(home: string): string {
  return join(home, 'capstan', 'snapshots');
}

/** Where the contents of a workspace are kept. `root` is without links. */
export function storeOf(home: string, root: string): ContentStore {
  const key = hashOf(new TextEncoder().encode(root)).slice(0, 16);
  return new ContentStore(join(snapshotsFolder(home), key));
}

/** The contents of each workspace as packs under the home. */
export function createFileContents(options: FileContentsOptions): SnapshotContents {
  return { of: async (root) => contentsOf(options, root) };
}

function contentsOf({ home, ids }: FileContentsOptions, root: string): WorkspaceContents {
  const store = storeOf(home, root);
  return {
    async load(hash) {
      try {
        return store.read(hash);
      } catch (error) {
        if (error instanceof ContentGone) return undefined;
        throw error;
      }
    },
    has: async (hash) => store.has(hash),
    bytes: async () => store.bytes(),
    begin: () => packDraft(() => store.startPack(ids.uuid(), root)),
    loadNote: async () => store.loadNote(),
    hasNote: async () => store.hasNote,
    saveNote: async (note) => store.saveNote(note),
  };
}

function packDraft(start: () => PackWriter): ContentsDraft {
  let pack: PackWriter | undefined;
  return {
    add(hash, content) {
      pack ??= start();
      pack.add(hash, content);
    },
    async finish() {
      await pack?.finish();
    },
    async discard() {
      pack?.discard();
    },
  };
}
