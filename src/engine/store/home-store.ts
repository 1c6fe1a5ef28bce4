import { fileSystem } from '../../adapters/disk/file-system.ts';
import { makeOwnFolder, readOwnFile, writeOwnFile } from '../../adapters/disk/own-files.ts';
import { systemPrograms } from '../../adapters/exec/find-programs.ts';
import { systemClock, systemIds } from '../../adapters/gather/clock-and-ids.ts';
import { homeSeals } from '../../adapters/gather/home-seals.ts';
import { createFlock } from '../../adapters/rollout/files/file-locks.ts';
import { chooseThread } from '../../adapters/rollout/files/find-threads.ts';
import { nodeFiles } from '../../adapters/rollout/files/node-files.ts';
import { appendThreadName } from '../../adapters/rollout/files/thread-names.ts';
import { openThreadIndex } from '../../adapters/rollout/index/open-thread-index.ts';
import type { ThreadChangePorts } from '../../adapters/rollout/maintenance/archive-and-delete.ts';
import { createBlobs } from '../../adapters/rollout/store/blobs.ts';
import { createRolloutStore, type RolloutStoreOptions } from '../../adapters/rollout/store/rollout-store.ts';
import { threadRollouts } from '../../adapters/rollout/store/store-with-seals-and-blobs.ts';
import type { IdSource } from '../../ports/system.ts';
import type { RolloutStore, Seals, ThreadDirectory, ThreadStore } from '../../ports/thread-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, objectsAt, parseJsonObject } from '../../protocol/json.ts';
import type { EngineOptions } from '../engine-options.ts';

/** Keeps the threads: the files of a home, or the store of a program. */
export interface HomeStore {
  readonly home: string;
  /** For finding other homes. */
  readonly user: Pick<EngineOptions, 'env' | 'osHome'>;
  readonly threadStore: ThreadStore;
  readonly store: RolloutStore;
  readonly seals: Seals;
  readonly ids: IdSource;
  readonly locks: RolloutStoreOptions['locks'];
  /** The files, for operations on them apart from threads. Absent: a program keeps the threads. */
  readonly disk?: RolloutStoreOptions;
  readonly maxBlobBytes: number;
}

interface HomeStoreOptions
  extends Pick<EngineOptions, 'env' | 'osHome'>, Partial<Pick<EngineOptions, 'store' | 'seals'>> {
  readonly maxBlobBytes: number;
}

export function createHomeStore(home: string, options: HomeStoreOptions): HomeStore {
  const { maxBlobBytes, env, osHome, store } = options;
  const locks = createFlock({ clock: systemClock, programs: systemPrograms });
  const ids = systemIds(systemClock);
  // Other engines that share a given store may have other keys than this home.
  const seals =
    options.seals ?? (store === undefined ? homeSeals(home) : { ...homeSeals(home), otherKeys: 'possible' });
  const disk = { home, files: nodeFiles, locks, clock: systemClock };
  const threadStore = store ?? {
    rollouts: createRolloutStore(disk),
    directory: createFileDirectory({ ...disk, codexIndexFolder: env['CODEX_SQLITE_HOME'] ?? home }),
    blobs: createBlobs({ ...disk, ids, maxBytes: maxBlobBytes }),
    contents: {
      of: async (root: string) => (await import('../undo/content-store.ts')).createFileContents({ home, ids }).of(root),
    },
  };
  return {
    home,
    user: { env, osHome },
    threadStore,
    store: threadRollouts(threadStore, seals),
    seals,
    ids,
    locks,
    disk: store === undefined ? disk : undefined,
    maxBlobBytes,
  };
}

/** Clipboard pictures are included as text. */
const mostBytes = 64 * 1024 * 1024;

/** Terminal messages that wait for turns of their own, one file per thread, so that they survive a killed process. */
export class QueuedMessages {
  readonly #folder: string;

  constructor(home: string) {
    this.#folder = `${home}/capstan/queued`;
  }

  /** The messages saved last. Empty if the file is missing, incomplete or another user's. */
  load(id: ThreadId): readonly JsonObject[] {
    const path = this.#path(id);
    const read = path === undefined ? undefined : readOwnFile(path, { maxBytes: mostBytes, toOthers: 'closed' });
    return objectsAt(read && parseJsonObject(read.bytes.toString()), 'messages');
  }

  /** Replaces the messages saved before. Throws if the disk refuses. */
  save(id: ThreadId, messages: readonly JsonObject[]): void {
    const path = this.#path(id);
    if (path === undefined) return;
    if (messages.length === 0) return fileSystem.rmSync(path, { force: true });
    const text = JSON.stringify({ messages });
    if (Buffer.byteLength(text) > mostBytes) throw new Error('They are larger than 64 MB.');
    if (!makeOwnFolder(this.#folder, 'closed')) throw new Error(`${this.#folder} is no folder that only you can open.`);
    writeOwnFile(path, `${path}.${process.pid}`, text);
  }

  /** A thread's name may come from a file, so check it. */
  #path(id: ThreadId): string | undefined {
    return /^[\w-]{1,100}$/.test(id) ? `${this.#folder}/${id}.json` : undefined;
  }
}

/** The threads of a home, from their files. The index for lists and searches is loaded on use. */
export function createFileDirectory(options: ThreadChangePorts): ThreadDirectory {
  const { files, home } = options;
  return {
    list: async (query, progress) => (await openThreadIndex(options)).list(query, progress),
    search: async (text, query, progress) => (await openThreadIndex(options)).search(text, query, progress),
    summary: async (id) => (await openThreadIndex(options)).summary(id),
    choose: (choice) => chooseThread(files, home, choice),
    rename: (id, name) => appendThreadName(options, id, name),
    async changed(changes) {
      const { applyThreadChanges: followChanges } =
        await import('../../adapters/rollout/maintenance/archive-and-delete.ts');
      return followChanges(options, changes);
    },
  };
}
