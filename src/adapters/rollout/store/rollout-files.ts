import type { JournalDisk, OpenFile } from '../../../ports/files.ts';
import type { CurrentRollout, OpenRefused } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { openRolloutFile, restoreRollout } from '../files/compressed-rollouts.ts';
import { errorCode } from '../../disk/file-system.ts';
import { diskFault, withDiskFaults } from '../files/node-files.ts';
import { findRolloutFile, findRollouts, type FoundRollout, type FoundRollouts } from '../files/find-threads.ts';
import { historyMode } from '../lines/line-format.ts';
import { openLineage, type OpenRollout, type Segment } from '../lines/lineage.ts';
import { readRolloutHead } from '../lines/read-lines.ts';
import { neverSavedRefusal, unknownThreadRefusal, unreadableThreadRefusal } from './refusals.ts';

/** Finds and opens the rollouts of threads in a home. Disk errors are Faults. */
export class RolloutFiles {
  readonly files: JournalDisk;
  readonly home: string;
  /** Folders whose names are known to survive a crash. Shared by all files of a store, and added to. */
  readonly durableFolders = new Set<string>();

  constructor(files: JournalDisk, home: string) {
    this.files = files;
    this.home = home;
  }

  find(id: ThreadId): Promise<FoundRollouts> {
    return withDiskFaults('open', this.home, () => findRollouts(this.files, this.home, id));
  }

  async current(id: ThreadId): Promise<CurrentRollout | OpenRefused> {
    const found = await this.find(id);
    const opened = await this.openNewest(id, found.rollouts, 'read');
    if (opened.kind === 'refused') return opened;
    const { rolloutId, path, file } = opened;
    const head = await withDiskFaults('read', path, () => readRolloutHead(file)).finally(() => file.close());
    if (head.kind === 'empty') return neverSavedRefusal({ id, path });
    const mode = head.kind === 'meta' ? historyMode(head.meta) : undefined;
    if (head.kind !== 'meta' || mode === undefined) {
      const why = 'its first line does not describe a thread in a format that this version knows';
      return unreadableThreadRefusal({ id, path }, why);
    }
    return { kind: 'current', rolloutId, location: path, mode, archived: found.kind === 'archived', meta: head.meta };
  }

  /** The newest file with saved content. For writing only under the lock, since a compressed file is unpacked then. */
  async openNewest(id: ThreadId, rollouts: readonly FoundRollout[], purpose: 'read' | 'write') {
    for (const [index, { path, name }] of rollouts.entries()) {
      const plain = name.compressed && purpose === 'write' ? await restoreRollout(this.files, path) : path;
      const file = await this.#openIfThere(plain, purpose);
      if (file === undefined) continue;
      const isLast = index === rollouts.length - 1;
      if (isLast || !(await isEmpty(file, plain)))
        return { kind: 'opened', rolloutId: name.rolloutId, path: plain, file } as const;
      await file.close();
    }
    return unknownThreadRefusal(id);
  }

  findRollout(rolloutId: string): Promise<FoundRollout | undefined> {
    return withDiskFaults('open', this.home, () => findRolloutFile(this.files, this.home, rolloutId));
  }

  async openRollout(rolloutId: string): Promise<OpenRollout | undefined> {
    const found = await this.findRollout(rolloutId);
    const file = found && (await this.#openIfThere(found.path, 'read'));
    return file && { rolloutId, path: found.path, file };
  }

  async openHistory(own: OpenRollout): Promise<{ readonly segments: readonly Segment[]; close(): Promise<void> }> {
    const opened = [own.file];
    const close = async (): Promise<void> => {
      for (const file of opened) await file.close();
    };
    try {
      const segments = await openLineage(own, async (rolloutId) => {
        const rollout = await this.openRollout(rolloutId);
        if (rollout !== undefined) opened.push(rollout.file);
        return rollout;
      });
      return { segments, close };
    } catch (error) {
      await close();
      throw diskFault(error, 'read', own.path);
    }
  }

  async #openIfThere(path: string, purpose: 'read' | 'write'): Promise<OpenFile | undefined> {
    try {
      return await (purpose === 'read'
        ? openRolloutFile(this.files, path)
        : this.files.open(path, { create: false, mode: 0o600 }));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw diskFault(error, 'open', path);
    }
  }
}

async function isEmpty(file: OpenFile, path: string): Promise<boolean> {
  try {
    return (await readRolloutHead(file)).kind === 'empty';
  } catch (error) {
    await file.close().catch(() => undefined);
    throw diskFault(error, 'open', path);
  }
}
