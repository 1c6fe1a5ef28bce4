import { defined } from '../../../protocol/defined.ts';
import { type Json, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { PlaceCursor } from '../../engine/live/place-cursor.ts';
import type { CallContext, InputRequired, ToolAnswer } from '../offer/server-tool.ts';
import { giveResponses } from './ask-client.ts';
import { type Attendance, attendTurn } from './attend-turn.ts';
import { refusedAnswer } from './call-answers.ts';
import { findLiveThread } from './find-thread-by-name.ts';
import type { ToolParts } from './tool-parts.ts';

/** The call that brings the answers of a user: gives them to the turn and waits on. */
export async function continueCall(
  parts: ToolParts,
  context: CallContext,
  attendance: Attendance,
): Promise<ToolAnswer | InputRequired> {
  const { state = {}, responses = {} } = context;
  const thread = await findLiveThread(parts, String(state['thread_id'] ?? ''));
  if ('code' in thread) return refusedAnswer(thread);
  const turnId = String(state['turn_id'] ?? '');
  const isHere = thread.turnId === turnId || thread.questions.some((question) => question.turnId === turnId);
  const run = parts.runs.find(turnId) ?? (isHere ? parts.runs.observe(thread) : undefined);
  if (run === undefined) return refusedAnswer(turnGone, { thread_id: thread.id, turn_id: turnId, status: 'idle' });
  const more: Record<string, Json> = {};
  const first = async (): Promise<ToolAnswer | undefined> => {
    const { refused, isOutdone } = await giveResponses(run, responses, state);
    if (isOutdone) more['notice'] = outdone;
    return refused && refusedAnswer(refused, { thread_id: thread.id });
  };
  const back = defined({ after: stringAt(state, 'after') as PlaceCursor | undefined, asked: stringAt(state, 'asker') });
  const isSteered = state['steered'] === true;
  Object.assign(more, attendance.more, isSteered && { steered: true });
  return attendTurn(parts, run, context, { ...attendance, ...(isSteered && { keeps: false }), ...back, first, more });
}

const outdone = 'The question had been answered already, or had lapsed. This answer does not count.';

const turnGone: Outcome = {
  code: 'turn-over',
  message: 'The turn that asked the question is over.',
  next: 'Call thread_read to see how it ended.',
};
