import type { OpenRefused, RolloutPlace } from '../ports/rollout-store.ts';
import type { JsonObject } from '../protocol/json.ts';
import { lineType } from '../protocol/line.ts';
import { errorCode } from '../disk/file-system.ts';
import { diskFault } from './disk/disk-fault.ts';
import { byteAfterLines, findPlace, type FoundPlace } from './lines/find-place.ts';
import { type HistoryBase, historyMode, withBase } from './lines/history-base.ts';
import { encodeLine } from './lines/line-codec.ts';
import type { OpenRollout, Segment } from './lines/lineage.ts';
import { readHead } from './lines/read-head.ts';
import { unknownPlace } from './refusals.ts';
import type { RolloutFiles } from './rollout-files.ts';

/** What a thread that continues from another one begins with. */
export type ForkSource =
  | { readonly kind: 'base'; readonly base?: HistoryBase; metaFrom(meta: JsonObject): JsonObject }
  /** The old form knows no references: its lines are copied, with the times that they have. */
  | { readonly kind: 'copy'; copyFor(meta: JsonObject, timestamp: string): readonly Uint8Array[] };

export async function forkSource(rollouts: RolloutFiles, place: RolloutPlace): Promise<ForkSource | OpenRefused> {
  const opened = await rollouts.openRollout(place.rolloutId);
  if (opened === undefined) return unknownPlace(place.rolloutId, 'its file is not there');
  const { segments, close } = await rollouts.openHistory(opened);
  try {
    const head = await readHead(opened.file);
    const mode = head.kind === 'meta' ? historyMode(head.meta) : undefined;
    if (mode === undefined) return unknownPlace(place.rolloutId, 'its first line does not describe a thread');
    return await (mode === 'legacy' ? copied(opened, place) : referred(segments, place));
  } catch (error) {
    throw diskFault(error, 'read', opened.path);
  } finally {
    await close();
  }
}

async function referred(segments: readonly Segment[], place: RolloutPlace): Promise<ForkSource | OpenRefused> {
  const found: FoundPlace = await findPlace(segments, place);
  if (found.kind === 'beyond') return unknownPlace(place.rolloutId, `it ends before line ${place.end}`);
  if (found.kind === 'start') return { kind: 'base', metaFrom: (meta) => withBase(meta, undefined) };
  // Its writer may not have synced yet what is about to be built upon.
  await syncIfLet(found.segment);
  return {
    kind: 'base',
    base: found.base,
    metaFrom: (meta) => withBase({ ...meta, forked_from_ordinal_exclusive: found.base.end }, found.base),
  };
}

async function syncIfLet({ file }: OpenRollout): Promise<void> {
  try {
    await file.sync();
  } catch (error) {
    const code = errorCode(error) ?? '';
    // A file that may only be read, or a disk: then no process is writing it either.
    if (!['EBADF', 'EINVAL', 'EPERM', 'EACCES', 'EROFS'].includes(code)) throw error;
  }
}

async function copied({ file }: OpenRollout, place: RolloutPlace): Promise<ForkSource | OpenRefused> {
  const end = await byteAfterLines(file, place.end);
  if (end === undefined) return unknownPlace(place.rolloutId, `it has fewer than ${place.end} lines`);
  const lines = Uint8Array.from(await file.read(0, end));
  return {
    kind: 'copy',
    copyFor(meta, timestamp) {
      const payload = { ...meta, history_mode: 'legacy' };
      return [Buffer.from(encodeLine({ timestamp, type: lineType.sessionMeta, payload })), lines];
    },
  };
}
