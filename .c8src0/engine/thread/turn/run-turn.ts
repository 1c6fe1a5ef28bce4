import type { Step } from '../../../core/envelope/envelope.ts';
import { lineType } from '../../../protocol/line.ts';
import { compactWhenFull, leavesTooLittleSpace } from '../checkpoint/compact-when-full.ts';
import { makeHistoryReadable, findReadableHistory } from '../checkpoint/make-history-readable.ts';
import { applyThreadState, contextToSend, gatherNextStep, withToolsNow } from '../context/current-step.ts';
import { mustContinueForGoal } from '../goal/goal.ts';
import { recordSettings, recordUpdate } from '../record/record-context.ts';
import { drainInbox } from '../record/record-items.ts';
import { readNamedSkills } from '../record/record-skills.ts';
import { costProblem } from '../request/spending-limits.ts';
import type { Turn, TurnEnding } from '../thread-parts.ts';
import { runModelStep } from './model-step.ts';
import { beginTurn } from './open-turn.ts';
import { dropTooLongMessages, promptSizeProblem } from './prompt-size.ts';
import { retryAfterCompaction } from './refused-as-too-long.ts';
import { internalError, refuseTurn, settle, type TurnResult } from './settle-turn.ts';
import { reportEndedSessions } from './turn-sessions.ts';

/** Runs one turn until nothing is left to do. Every exit goes through `settle`, once. Rejects only with a Fault. */
export async function runTurn(turn: Turn): Promise<TurnResult> {
  const tooLong = turn.words === undefined ? undefined : await promptSizeProblem(turn, turn.words.input);
  if (tooLong !== undefined) return refuseTurn(turn, tooLong);
  const unpriced = await costProblem(turn);
  if (unpriced !== undefined) return refuseTurn(turn, unpriced);
  await dropTooLongMessages(turn);
  const way = await findReadableHistory(turn);
  if (way?.kind === 'refused') return refuseTurn(turn, way.outcome);
  if (turn.words?.isWithdrawn === true) return { kind: 'aborted', isWithdrawn: true };
  await beginTurn(turn);
  let lastMessage: string | undefined;

  const work = async (): Promise<TurnEnding> => {
    // A suspended turn finishes its waiting calls first.
    const { continues } = turn;
    const held = continues && (await (await import('./suspended-turn.ts')).finishCalls(turn, continues));
    if (held !== undefined) return held;
    const unread = await makeHistoryReadable(turn, way);
    if (unread !== undefined) return unread;
    const hooks = turn.parts.hooks && (await import('../hooks/turn-hooks.ts'));
    for (let index = 0; ; index++) {
      await hooks?.runSessionStartHooks(turn);
      const step = await enterStep(turn, index);
      await readNamedSkills(turn);
      if (hooks === undefined) drainInbox(turn);
      else await hooks.admitInbox(turn);
      if (turn.memory.endedBy === 'hook') return { kind: 'done' };
      const answer = await retryAfterCompaction(turn, step, await runModelStep(turn, step));
      lastMessage = answer.lastMessage ?? lastMessage;
      if (answer.kind === 'go-on') await mustContinueForGoal(turn, 'go-on');
      if (answer.kind === 'go-on' || (answer.kind === 'done' && turn.inbox.pending)) continue;
      const heard = answer.kind === 'done' ? await hooks?.runStopHooks(turn, lastMessage) : undefined;
      if (heard === 'go-on') continue;
      if (answer.kind === 'done' && heard !== 'end' && (await mustContinueForGoal(turn, 'done'))) continue;
      if (answer.kind === 'done' && leavesTooLittleSpace(turn, step)) turn.memory.leaves = 'too-little';
      return answer;
    }
  };
  const ending = await work().catch((error: unknown) => ({ kind: 'failed', failure: internalError(error) }) as const);
  return settle(turn, ending, lastMessage);
}

/** Gathers what may have changed, sends the model what it does not know yet, and records that. */
async function enterStep(turn: Turn, index: number): Promise<Step> {
  reportEndedSessions(turn);
  const looked = await gatherNextStep(turn, index);
  const { log } = turn;
  const { history } = log.state;
  const planned = contextToSend(log.state, looked);
  await compactWhenFull(turn, looked, planned);
  if (turn.parts.hooks !== undefined) await (await import('../hooks/turn-hooks.ts')).runSessionStartHooks(turn);
  const isRewritten = log.state.history !== history;
  // A checkpoint may have given the model its instructions and other tools, and a refusal may have named its window.
  const step = applyThreadState(turn, isRewritten ? withToolsNow(turn, looked) : looked);
  const { baseline } = log.state;
  const isPlanned = !isRewritten && step.window.effective === looked.window.effective;
  const update = isPlanned ? planned : contextToSend(log.state, step);
  recordUpdate(turn, update, baseline);
  if (update.record !== undefined) log.record({ type: lineType.worldState, payload: { ...update.record } });
  // After the context that it explains.
  if (index === 0) recordSettings(turn);
  return step;
}
