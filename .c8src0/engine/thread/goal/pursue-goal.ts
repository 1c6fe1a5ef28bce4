import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import { goalFragment } from '../../../core/fragments/events/turns-and-goals.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { defined } from '../../../base/objects.ts';
import { isCall } from '../../../protocol/item.ts';
import type { RecordedGoal } from '../../../core/state/fold/goals.ts';
import { callArgumentText } from '../../../core/state/review-request.ts';
import { outputOf } from '../../../core/state/recorded/conversation-items.ts';
import type { Turn } from '../thread-parts.ts';
import { recordEvent } from '../record/record-context.ts';
import { currentGoal, recordGoal, pauseGoal } from './goal.ts';

/** After this many rounds in a row without anything new, the goal waits for the user. */
const mostIdle = 3;
const mostWaitMs = 3_600_000;

/** Ends a goal that has spent its budget; the model is informed before its next request. */
export function endGoalOverBudget(turn: Turn): boolean {
  const goal = currentGoal(turn);
  if (goal?.status !== 'active' || goal.tokenBudget === undefined || goal.tokensUsed < goal.tokenBudget) return false;
  recordGoal(turn, { ...goal, status: 'budgetLimited', reason: 'It has used its tokens.' });
  tell(turn, 'budget', goal);
  turn.log.tell({ kind: 'warning', outcome: outOfTokens(goal.tokenBudget) });
  return true;
}

/** The model is done. True if its goal is not reached and the turn continues with another round. */
export async function beginNextGoalRound(turn: Turn): Promise<boolean> {
  if (!isPursued(turn)) return false;
  const { rounds } = turn.memory;
  const isNew = hasNews(turn);
  // While an agent works, a model that does nothing new waits for it.
  const waits = !isNew && turn.parts.agents?.isRunning === true;
  if (waits) await waitForAgent(turn);
  else rounds.idle = isNew ? 0 : rounds.idle + 1;
  // An interrupt of the wait ends the turn at its next step, with its agents.
  if (waits && turn.signal.aborted) return true;
  const goal = currentGoal(turn);
  if (goal === undefined || !isPursued(turn)) return false;
  if (endGoalOverBudget(turn)) return true;
  if (rounds.idle >= mostIdle) {
    pauseGoal(turn, goal, { why: 'stalled', status: 'blocked', reason: stalled.message, outcome: stalled });
    return false;
  }
  recordGoal(turn, goal);
  // The reason why the wait ended arrives as a message of its own.
  if (!turn.inbox.pending) tell(turn, 'goes-on', goal);
  return true;
}

function isPursued(turn: Turn): boolean {
  return currentGoal(turn)?.status === 'active' && !turn.signal.aborted && !turn.inbox.hasSubmitted;
}

async function waitForAgent({ parts: { agents }, signal, inbox, log }: Turn): Promise<void> {
  // Followers get the answer now: the wait may take an hour.
  await log.durable();
  const hasWords = (): boolean => inbox.pending || inbox.hasSubmitted;
  await agents?.wait({ targets: [], until: 'any', timeoutMs: mostWaitMs }, { signal, hasWords });
}

function tell(turn: Turn, about: 'goes-on' | 'budget', { objective, tokensUsed, tokenBudget }: RecordedGoal): void {
  turn.memory.rounds.alone = true;
  recordEvent(turn, goalFragment, { about, objective, used: tokensUsed, ...defined({ budget: tokenBudget }) });
}

const aboutWork: ReadonlySet<string> = new Set(['get_goal', 'create_goal', 'update_goal', 'update_plan']);

function hasNews({ log, memory: { rounds } }: Turn): boolean {
  const all = historyEntries(log.state.history);
  // If history is shorter than before, it was replaced: then all of it counts as new.
  const fresh = all.slice(rounds.read <= all.length ? rounds.read : 0);
  rounds.read = all.length;
  const calls = new Map<unknown, string>();
  let isNew = false;
  for (const { item } of fresh) {
    if (isCall(item) && !aboutWork.has(item.name)) calls.set(item.call_id, `${item.name} ${callArgumentText(item)}`);
    const call = item.type.endsWith('_output') ? calls.get(item['call_id']) : undefined;
    if (call === undefined) continue;
    // Numbers are ignored: times and counts differ anyway.
    const seen = `${call}\n${outputOf(item).text.replace(/\d+/g, '0')}`;
    isNew ||= !rounds.seen.has(seen);
    rounds.seen.add(seen);
  }
  return isNew;
}

function outOfTokens(budget: number): Outcome<'goal-out-of-tokens'> {
  return {
    code: 'goal-out-of-tokens',
    message: `The goal has used its budget of ${groupDigits(budget)} tokens. The model gets one more answer.`,
    next: 'To continue, ask to resume the goal: it gets as many tokens again, or the number that you name.',
  };
}

const stalled: Outcome<'goal-stalled'> = {
  code: 'goal-stalled',
  message: `The goal made no progress in ${mostIdle} answers, so Capstan stopped working on it.`,
  next: 'Say what is missing, and ask to resume the goal.',
};
