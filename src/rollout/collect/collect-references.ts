import type { Files } from '../../ports/files.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { lineType } from '../../protocol/line.ts';
import type { CollectOptions } from './collect-options.ts';
import { openRolloutFile } from '../compressed/compressed-file.ts';
import { withOpen } from '../disk/open-file.ts';
import { errorCode } from '../../disk/file-system.ts';
import { findAllRollouts, type FoundRollout } from '../find/find-rollout.ts';
import { type HistoryBase, historyBase } from '../lines/history-base.ts';
import { decodeLine } from '../lines/line-codec.ts';
import { readHead } from '../lines/read-head.ts';
import { splitForward } from '../lines/split-lines.ts';

/** What the rollouts under a home refer to. */
export interface References {
  readonly rollouts: readonly ReadRollout[];
  /** By hash, with the threads that refer to them. `needed`: requests cannot be rebuilt without it. */
  readonly blobs: ReadonlyMap<string, { readonly threads: ReadonlySet<ThreadId>; readonly needed: boolean }>;
  /** Names of the trees that snapshots of workspaces begin with. */
  readonly trees: ReadonlySet<string>;
  /** Rollouts that could not be read to their end. What they refer to is not known. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

export interface ReadRollout extends FoundRollout {
  /** Payload of the first line; absent when that is not one. */
  readonly meta?: JsonObject;
  readonly base?: HistoryBase;
}

/** Reads every rollout there is, plain or compressed, without a lock: lines are only ever added. */
export async function findReferences({
  files,
  home,
  progress,
}: Pick<CollectOptions, 'files' | 'home' | 'progress'>): Promise<References> {
  const rollouts: ReadRollout[] = [];
  const blobs = new Map<string, { readonly threads: Set<ThreadId>; needed: boolean }>();
  const trees = new Set<string>();
  const unread: { path: string; why: string }[] = [];
  const all = await findAllRollouts(files, home);
  for (const [at, found] of all.entries()) {
    await progress?.(at, all.length);
    try {
      const head = await readRollout(files, found.path, (line) => {
        for (const sha256 of line.blobs) {
          const use = blobs.get(sha256) ?? { threads: new Set<ThreadId>(), needed: false };
          use.threads.add(found.name.threadId);
          use.needed ||= line.needed;
          blobs.set(sha256, use);
        }
        for (const tree of line.trees) trees.add(tree);
      });
      rollouts.push({ ...found, ...head });
    } catch (error) {
      // Removed since it was found: then it refers to nothing.
      if (errorCode(error) === 'ENOENT') continue;
      unread.push({ path: found.path, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return { rollouts, blobs, trees, unread };
}

function readRollout(files: Files, path: string, visit: (line: ReturnType<typeof referencesIn>) => void) {
  return withOpen(openRolloutFile(files, path), async (file) => {
    const head = await readHead(file);
    for await (const block of splitForward(file)) {
      for (const { bytes, isTooLong, at } of block) {
        // Its references are unknown, so nothing may be removed.
        if (isTooLong) throw new Error(`the line at byte ${at} is too long to be read`);
        visit(referencesIn(bytes));
      }
    }
    const meta = head.kind === 'meta' ? head.meta : undefined;
    return defined({ meta, base: meta && historyBase(meta) });
  });
}

const hashKey = Buffer.from('"sha256":"');
const snapshotType = Buffer.from(`"type":"${lineType.snapshot}"`);

/**
 * By the bytes: whatever looks like a reference is one, and most lines need not be parsed. Words of users and outputs
 * of commands cannot look like one, because quotation marks inside of strings are written otherwise.
 */
function referencesIn(bytes: Buffer): { blobs: readonly string[]; needed: boolean; trees: readonly string[] } {
  const isSnapshot = bytes.includes(snapshotType);
  if (!isSnapshot && !bytes.includes(hashKey)) return { blobs: [], needed: false, trees: [] };
  const blobs = [...bytes.toString('latin1').matchAll(/"sha256":"([0-9a-f]{64})"/g)].map(([, sha256]) => sha256!);
  const line = decodeLine(bytes);
  // Half a line may become a whole one.
  if (line === 'bad' || line === 'blank') return { blobs, needed: true, trees: [] };
  const trees = isSnapshot ? ['tree', 'others', 'aim'].flatMap((key) => stringAt(line.payload, key) ?? []) : [];
  return { blobs, needed: line.type !== lineType.responseItem, trees };
}
