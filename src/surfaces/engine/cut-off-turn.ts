import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadState } from '../../state/thread-state.ts';

/**
 * What the user should know about calls that were cut off with the last turn of a thread that no program writes. Only
 * Capstan records how calls begin: without such lines, nothing says that no other program writes the thread.
 */
export async function cutOffTurn(
  id: ThreadId,
  state: ThreadState,
  writer: Promise<string | undefined>,
): Promise<Outcome | undefined> {
  if ((await writer) !== undefined) return undefined;
  if ((state.openTurn?.calls ?? []).length === 0) return undefined;
  const { deadTurnNotice } = await import('../../thread/turn/dead-turn.ts');
  const notice = deadTurnNotice(id, state);
  return notice?.code === 'turn-cut-off' ? notice : undefined;
}
