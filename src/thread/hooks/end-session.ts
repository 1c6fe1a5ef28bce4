import type { Hooks } from '../../ports/hooks.ts';
import type { ThreadId } from '../../protocol/ids.ts';

/** Hooks of the end of a session, if one started that has not ended. They have seconds, and what they print is not read. */
export async function endSession(
  hooks: Hooks,
  { id, cwd, transcript }: { readonly id: ThreadId; readonly cwd: string; readonly transcript: string | null },
): Promise<void> {
  const subjects = ['other'];
  if (!hooks.takeEnd(id) || !hooks.wants('SessionEnd', subjects)) return;
  const names = { session_id: id, transcript_path: transcript, cwd, hook_event_name: 'SessionEnd' };
  const { signal } = new AbortController();
  await hooks.run(
    { event: 'SessionEnd', subjects, input: { ...names, reason: 'other' }, cwd },
    { signal, mostTokens: 0 },
  );
}
