import type { Hooks } from '../../ports/hooks.ts';
import type { ThreadId } from '../../protocol/ids.ts';

/** Hooks of the end of a session, if one began in this process. They have seconds, and what they print is not read. */
export async function endSession(
  hooks: Hooks,
  { id, cwd, transcript }: { readonly id: ThreadId; readonly cwd: string; readonly transcript: string | null },
): Promise<void> {
  const subjects = ['other'];
  if (hooks.hasBegun() && hooks.wants('SessionEnd', subjects)) {
    const names = { session_id: id, transcript_path: transcript, cwd, hook_event_name: 'SessionEnd' };
    const { signal } = new AbortController();
    await hooks.run(
      { event: 'SessionEnd', subjects, input: { ...names, reason: 'other' }, cwd },
      { signal, mostTokens: 0 },
    );
  }
  await hooks.close();
}
