import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { StoredThreads } from '../stored-threads.ts';

/** Of a thread that has no file yet. */
export async function noMessageYet(
  stored: Pick<StoredThreads, 'location'>,
  thread: { readonly id: ThreadId; readonly isHere: boolean } | undefined,
): Promise<Outcome<'thread-empty'> | undefined> {
  if (thread?.isHere !== true || (await stored.location(thread.id)) !== undefined) return undefined;
  return {
    code: 'thread-empty',
    message: `Thread ${thread.id} has no message yet, so it has no history and no file.`,
    next: 'Send it a message first. Nothing was changed.',
  };
}
