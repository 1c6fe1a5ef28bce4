import type { Step } from '../../../core/envelope/envelope.ts';
import { lineType } from '../../../protocol/line.ts';
import { compactWhenFull, leavesTooLittle } from '../checkpoint/compact-when-full.ts';
import { makeReadable, findReadableHistory } from '../checkpoint/make-history-readable.ts';
import { applyThreadState, dueContext, gatherNextStep, withToolsNow } from '../context/current-step.ts';
import { nextRound } from '../goal/goal.ts';
import { recordSettings, recordTelling } from '../record/record-context.ts';
import { drainInbox } from '../record/record-items.ts';
import { readNamedSkills } from '../record/record-skills.ts';
import { costProblem } from '../request/spending-limits.ts';
import type { Turn, TurnEnding } from '../thread-parts.ts';
import { runModelStep } from './model-step.ts';
import { beginTurn } from './open-turn.ts';
import { dropTooLong, promptProblem } from './prompt-size.ts';
import { retryAfterCompaction } from './refused-as-too-long.ts';
import { internalError, refuseTurn, settle, type TurnResult } from './settle-turn.ts';
import { reportEndedSessions } from './turn-sessions.ts';

/** Runs one turn until nothing is left to do. Every exit goes through `settle`, once. Rejects only with a Fault. */
export async function runTurn(turn: Turn): Promise<TurnResult> {
  const tooLong = turn.words === undefined ? undefined : await promptProblem(turn, turn.words.input);
  if (tooLong !== undefined) return refuseTurn(turn, tooLong);
  const unpriced = await costProblem(turn);
  if (unpriced !== undefined) return refuseTurn(turn, unpriced);
  await dropTooLong(turn);
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
    const unread = await makeReadable(turn, way);
    if (unread !== undefined) return unread;
    const hooks = turn.parts.hooks && (await import('../hooks/turn-hooks.ts'));
    for (let index = 0; ; index++) {
      await hooks?.startSession(turn);
      const step = await enterStep(turn, index);
      await readNamedSkills(turn);
      if (hooks === undefined) drainInbox(turn);
      else await hooks.admitInbox(turn);
      if (turn.memory.endedBy === 'hook') return { kind: 'done' };
      const answer = await retryAfterCompaction(turn, step, await runModelStep(turn, step));
      lastMessage = answer.lastMessage ?? lastMessage;
      if (answer.kind === 'go-on') await nextRound(turn, 'go-on');
      if (answer.kind === 'go-on' || (answer.kind === 'done' && turn.inbox.pending)) continue;
      const heard = answer.kind === 'done' ? await hooks?.runStopHooks(turn, lastMessage) : undefined;
      if (heard === 'go-on') continue;
      if (answer.kind === 'done' && heard !== 'end' && (await nextRound(turn, 'done'))) continue;
      if (answer.kind === 'done' && leavesTooLittle(turn, step)) turn.memory.leaves = 'too-little';
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
  const planned = dueContext(log.state, looked);
  await compactWhenFull(turn, looked, planned);
  if (turn.parts.hooks !== undefined) await (await import('../hooks/turn-hooks.ts')).startSession(turn);
  const isRewritten = log.state.history !== history;
  // A checkpoint may have given the model its instructions and other tools, and a refusal may have named its window.
  const step = applyThreadState(turn, isRewritten ? withToolsNow(turn, looked) : looked);
  const { baseline } = log.state;
  const isPlanned = !isRewritten && step.window.effective === looked.window.effective;
  const telling = isPlanned ? planned : dueContext(log.state, step);
  recordTelling(turn, telling, baseline);
  if (telling.record !== undefined) log.record({ type: lineType.worldState, payload: { ...telling.record } });
  // After the context that it explains.
  if (index === 0) recordSettings(turn);
  return step;
}
