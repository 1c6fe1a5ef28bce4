import { demandKnown } from '../envelope/read-options.ts';
import { createHash } from 'node:crypto';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { SnapshotContents, WorkspaceContents } from '../ports/snapshot-contents.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { createFoldedDirectory } from './folded-directory.ts';
import { createMemoryRollouts } from './memory-rollouts.ts';

export interface MemoryStoreOptions {
  /** A writer that has not been heard of for so long loses its thread to the next one. Default: never. */
  readonly leaseMs?: number;
}

/** What threads of one process keep, gone with it: for tests that need no disk. */
export function createMemoryStore(clock: Clock, options: MemoryStoreOptions = {}): ThreadStore {
  const { leaseMs = Infinity } = demandKnown(options, { leaseMs: true }, 'createMemoryStore()');
  const { known, ...rollouts } = createMemoryRollouts(clock, leaseMs);
  const names = new Map<ThreadId, string>();
  const directory = createFoldedDirectory({
    rollouts,
    async threads() {
      return known().map((thread) => ({ ...thread, name: names.get(thread.id) ?? '' }));
    },
    async rename(id, name) {
      names.set(id, name);
      return undefined;
    },
  });
  return { rollouts, directory, blobs: createMemoryBlobs(), contents: createMemoryContents() };
}

function createMemoryBlobs(): Blobs {
  const kept = new Map<string, Uint8Array>();
  return {
    keep(bytes) {
      const ref = { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length };
      kept.set(ref.sha256, bytes.slice());
      return { ref, kept: true, durable: Promise.resolve() };
    },
    async load(sha256) {
      const bytes = kept.get(sha256);
      if (bytes !== undefined) return { kind: 'blob', bytes };
      return { kind: 'missing', code: 'blob-missing', message: `There is no blob ${sha256}.`, next: '' };
    },
  };
}

function createMemoryContents(): SnapshotContents {
  const workspaces = new Map<string, WorkspaceContents>();
  return {
    async of(root) {
      const contents = workspaces.get(root) ?? workspaceInMemory();
      workspaces.set(root, contents);
      return contents;
    },
  };
}

function workspaceInMemory(): WorkspaceContents {
  const kept = new Map<string, Uint8Array>();
  let note: string | undefined;
  return {
    load: async (hash) => kept.get(hash),
    has: async (hash) => kept.has(hash),
    bytes: async () => [...kept.values()].reduce((sum, { length }) => sum + length, 0),
    begin() {
      const added = new Map<string, Uint8Array>();
      return {
        add: (hash, content) => void added.set(hash, content.slice()),
        async finish() {
          for (const [hash, content] of added) kept.set(hash, content);
        },
        discard: async () => added.clear(),
      };
    },
    loadNote: async () => note,
    hasNote: async () => note !== undefined,
    async saveNote(text) {
      note = text;
    },
  };
}
