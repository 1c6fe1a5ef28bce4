import type { ThreadSummary } from '../../protocol/thread-summary.ts';
import type { StoredThreads } from '../engine/stored-threads.ts';

/** A thread of a list. `writer`: the program that has it open while it waits for an answer, and asks there. */
export interface ListedThread extends ThreadSummary {
  readonly writer?: string;
}

/** Looks only at threads that wait: of the others it says nothing. */
export async function withWriter(stored: StoredThreads, thread: ThreadSummary): Promise<ListedThread> {
  const writer = thread.questions === undefined ? undefined : await stored.writer(thread.id);
  return writer === undefined ? thread : { ...thread, writer };
}
