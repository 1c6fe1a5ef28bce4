import { notBegun } from '../../fragments/answers/call-answers.ts';
import { changedByHook } from '../../fragments/answers/hook-answers.ts';
import { entries } from '../../history/history.ts';
import { usersWords } from '../../history/users-words.ts';
import { defined } from '../../protocol/defined.ts';
import { type CallItem, isCall } from '../../protocol/item.ts';
import { asHooksLeft, shownInputOf } from '../../state/said-by-hooks.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { Calls } from '../calls/calls.ts';
import type { SuspendedAsking } from '../calls/grant-call.ts';
import { lookAround } from '../contract/step-now.ts';
import type { SuspendedTurn, Turn, TurnEnding } from '../parts/parts.ts';
import { recordAnswer } from '../record/record.ts';
import { answerInFlight } from './dead-turn.ts';

/** The turn goes on in this process. What was in flight when the other one ended has an unknown outcome (I3). */
export async function takeUp(turn: Turn, { openTurn }: SuspendedTurn): Promise<void> {
  const { log, turnId, memory } = turn;
  log.tellPassing({ kind: 'turn-started', turnId, usage: log.state.usage.total, isContinued: true });
  await answerInFlight(turn, openTurn);
  const spoken = usersWords(log.state.history).filter(({ turn: of, author }) => of === turnId && author === undefined);
  memory.rounds.alone = spoken.length === 0;
  memory.phase = 'open';
}

/**
 * The calls that waited for the user, or for their turn to begin with the user's answer. Each has a question that this
 * home recorded: of any other, nothing says that the model asked for it in this turn.
 */
export async function finishCalls(turn: Turn, { openTurn, approval }: SuspendedTurn): Promise<TurnEnding | undefined> {
  const questions = new Map(openTurn.questions?.map((question) => [question.callId, question]));
  const calls = new Calls(turn, await lookAround(turn, 0));
  for (const call of callsOf(turn.log.state, openTurn.id)) {
    const { id, about, answer, hook } = questions.get(call.call_id) ?? {};
    // Once, however often the model used the name.
    questions.delete(call.call_id);
    if (id === undefined || about === undefined) {
      recordAnswer(turn, call, { output: notBegun });
      continue;
    }
    if (hook !== undefined) turn.memory.hookedCalls.set(call.call_id, hook);
    for (const text of hook?.texts ?? []) turn.memory.hookTexts.push({ text, callId: call.call_id });
    const hooked = defined({
      hook: hook?.asks && ('ask' as const),
      note: hook?.input === undefined ? undefined : changedByHook(shownInputOf(asHooksLeft(call, hook))),
    });
    const asking: SuspendedAsking = { id, about, approval, hooked, ...defined({ answer }) };
    calls.start(asHooksLeft(call, hook), asking);
  }
  // A call that is not in history is not run.
  for (const { id } of questions.values()) turn.questions.lapse(id);
  await calls.finish();
  if (calls.isSuspended) return { kind: 'suspended' };
  return turn.signal.aborted ? { kind: 'aborted' } : undefined;
}

/** Those that the model made in the turn and that have no answer. */
function callsOf({ history }: ThreadState, turnId: string): readonly CallItem[] {
  const all = entries(history);
  const answered = new Set(all.filter(({ item }) => item.type.endsWith('_output')).map(({ item }) => item['call_id']));
  return all
    .filter(({ origin, turn }) => origin.family === 'model' && turn === turnId)
    .flatMap(({ item }) => (isCall(item) && !answered.has(item.call_id) ? [item] : []));
}
