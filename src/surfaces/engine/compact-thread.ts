import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { CompactionResult } from '../../thread/parts/compaction-result.ts';
import type { EngineParts } from './engine-parts.ts';
import type { EngineRefused } from './engine-refused.ts';
import { resumeThread } from './open-thread.ts';
import type { ThreadRequest } from './thread-request.ts';

/** A checkpoint on request. */
export interface CompactRequest extends ThreadRequest {
  /** What it shall keep in view. */
  readonly focus?: string;
  readonly signal: AbortSignal;
}

/** Opens a thread for a checkpoint and closes it again. */
export async function compactThread(
  engine: EngineParts,
  id: ThreadId,
  { focus, signal, ...request }: CompactRequest,
): Promise<CompactionResult | EngineRefused> {
  const opened = await resumeThread(engine, id, request);
  if (opened.kind === 'refused') return opened;
  for (const outcome of opened.notices) request.listener?.({ kind: 'warning', outcome });
  const { thread } = opened;
  try {
    return await thread.compact({ signal, ...defined({ focus }) });
  } finally {
    await thread.close();
  }
}
