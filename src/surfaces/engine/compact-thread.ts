import type { ThreadId } from '../../protocol/ids.ts';
import type { CompactionResult } from '../../thread/compaction-result.ts';
import type { EngineRefused } from './engine-refused.ts';
import { resumeThread, type ThreadRequest } from './open-thread.ts';
import type { OpeningParts } from './prepare-thread.ts';

/** A checkpoint that somebody asks for. */
export interface CompactRequest extends ThreadRequest {
  /** What it shall keep in view. */
  readonly focus?: string;
  readonly signal: AbortSignal;
}

/** Opens a thread for a checkpoint and closes it again. */
export async function compactThread(
  opening: OpeningParts,
  id: ThreadId,
  { focus, signal, ...request }: CompactRequest,
): Promise<CompactionResult | EngineRefused> {
  const opened = await resumeThread(opening, id, request);
  if (opened.kind === 'refused') return opened;
  for (const outcome of opened.notices) request.listener?.({ kind: 'warning', outcome });
  const { thread } = opened;
  try {
    return await thread.compact({ signal, ...(focus === undefined ? {} : { focus }) });
  } finally {
    await thread.close();
  }
}
