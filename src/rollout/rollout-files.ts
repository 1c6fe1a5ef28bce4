import type { Files, OpenFile } from '../ports/files.ts';
import type { OpenRefused } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { openRolloutFile } from './compressed/compressed-file.ts';
import { restoreRollout } from './compressed/compressed-rollout.ts';
import { errorCode } from '../disk/file-system.ts';
import { diskFault } from './disk/disk-fault.ts';
import { findRolloutFile, findRollouts, type FoundRollout, type FoundRollouts } from './find/find-rollout.ts';
import { openLineage, type OpenRollout, type Segment } from './lines/lineage.ts';
import { readHead } from './lines/read-head.ts';
import { unknownThread } from './refusals.ts';

export interface OpenHistory {
  readonly segments: readonly Segment[];
  close(): Promise<void>;
}

/** Finds the rollouts of threads under a home and opens them. What the disk refuses is a Fault. */
export class RolloutFiles {
  readonly files: Files;
  readonly home: string;

  constructor(files: Files, home: string) {
    this.files = files;
    this.home = home;
  }

  async find(id: ThreadId): Promise<FoundRollouts> {
    try {
      return await findRollouts(this.files, this.home, id);
    } catch (error) {
      throw diskFault(error, 'open', this.home);
    }
  }

  /**
   * The newest file in which something was saved; a writer that died before its first sync hides no older one. For
   * writing only under the writer lock: a compressed file is unpacked then.
   */
  async openNewest(
    id: ThreadId,
    rollouts: readonly FoundRollout[],
    purpose: 'read' | 'write',
  ): Promise<OpenRefused | (OpenRollout & { readonly kind: 'opened' })> {
    for (const [index, { path, name }] of rollouts.entries()) {
      const plain = name.compressed && purpose === 'write' ? await restoreRollout(this.files, path) : path;
      const file = await this.#openIfThere(plain, purpose);
      if (file === undefined) continue;
      const isLast = index === rollouts.length - 1;
      if (isLast || !(await isEmpty(file, plain)))
        return { kind: 'opened', rolloutId: name.rolloutId, path: plain, file };
      await file.close();
    }
    return unknownThread(id);
  }

  /** The file of a rollout, if that is compressed. */
  async findCompressed(rolloutId: string): Promise<FoundRollout | undefined> {
    const found = await this.#findRollout(rolloutId);
    return found?.name.compressed === true ? found : undefined;
  }

  async openRollout(rolloutId: string): Promise<OpenRollout | undefined> {
    const found = await this.#findRollout(rolloutId);
    if (found === undefined) return undefined;
    const file = await this.#openIfThere(found.path, 'read');
    return file === undefined ? undefined : { rolloutId, path: found.path, file };
  }

  /** All files of a rollout's history, its own first. */
  async openHistory(own: OpenRollout): Promise<OpenHistory> {
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

  async #findRollout(rolloutId: string): Promise<FoundRollout | undefined> {
    try {
      return await findRolloutFile(this.files, this.home, rolloutId);
    } catch (error) {
      throw diskFault(error, 'open', this.home);
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
    return (await readHead(file)).kind === 'empty';
  } catch (error) {
    await file.close().catch(() => undefined);
    throw diskFault(error, 'open', path);
  }
}
