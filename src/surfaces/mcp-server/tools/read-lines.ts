import type { ThreadId } from '../../../protocol/ids.ts';
import type { ThreadLines } from '../../engine/stored-threads.ts';
import type { ServedEngine } from './tool-parts.ts';

/** The lines of a thread that is known. One without a turn has no file yet, and so no lines. */
export async function readLines({ stored }: Pick<ServedEngine, 'stored'>, id: ThreadId): Promise<ThreadLines> {
  return (await stored.location(id)) === undefined ? { lines: [], skipped: 0 } : stored.read(id);
}
