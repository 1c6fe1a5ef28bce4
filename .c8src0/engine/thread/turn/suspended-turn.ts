import type { Settings } from '../../../core/envelope/settings.ts';
import { changedByHookText } from '../../../core/fragments/answers/refusals.ts';
import { programEndedBeforeRunning } from '../../../core/fragments/answers/tool-calls.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { messagesOfUser } from '../../../core/history/user-words.ts';
import { canBeAsked } from '../../../core/policy/decide/approval-policy.ts';
import { narrowerApproval, narrowerProfile } from '../../../core/policy/profiles/narrower-profile.ts';
import { callAfterHooks, shownCallInput } from '../../../core/state/questions/call-arguments.ts';
import { isSuspended, questionsToAsk } from '../../../core/state/questions/pending-questions.ts';
import { lastSettings } from '../../../core/state/resumed-settings.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { CallItem } from '../../../protocol/item.ts';
import { objectAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../../protocol/permissions.ts';
import { StepCalls } from '../calls/calls.ts';
import { gatherNextStep } from '../context/current-step.ts';
import { userFacts } from '../context/turn-contract.ts';
import { recordCallOutput } from '../record/record-items.ts';
import type { SuspendedTurn, Turn, TurnEnding } from '../thread-parts.ts';
import { answerCallsInFlight, unansweredCalls } from './cut-off-turn.ts';

/** The turn continues in this process. Calls in flight when the other process ended have an unknown outcome (I3). */
export async function continueSuspendedTurn(turn: Turn, { openTurn }: SuspendedTurn): Promise<void> {
  const { log, turnId, memory } = turn;
  log.tellPassing({ kind: 'turn-started', turnId, usage: log.state.usage.total, isContinued: true });
  await answerCallsInFlight(turn, openTurn);
  const spoken = messagesOfUser(log.state.history).filter(
    ({ turn: of, author }) => of === turnId && author === undefined,
  );
  memory.rounds.alone = spoken.length === 0;
  memory.phase = 'open';
}

/** Finishes calls that waited for the user. Only a question that this home recorded proves that a call waited. */
export async function finishCalls(turn: Turn, { openTurn, approval }: SuspendedTurn): Promise<TurnEnding | undefined> {
  const questions = new Map(openTurn.questions?.map((question) => [question.callId, question]));
  const calls = new StepCalls(turn, await gatherNextStep(turn, 0));
  for (const call of callsOf(turn.log.state, openTurn.id)) {
    const { id, about, answer, hook } = questions.get(call.call_id) ?? {};
    // Only once, even if the model reused the id.
    questions.delete(call.call_id);
    if (id === undefined || about === undefined) {
      recordCallOutput(turn, call, { output: programEndedBeforeRunning });
      continue;
    }
    if (hook !== undefined) turn.memory.hookedCalls.set(call.call_id, hook);
    for (const text of hook?.texts ?? []) turn.memory.hookTexts.push({ text, callId: call.call_id });
    const again = callAfterHooks(call, hook);
    const note = hook?.input === undefined ? undefined : changedByHookText(shownCallInput(again));
    calls.start(again, { id, about, approval, hooked: { hook: hook?.asks && 'ask', note }, answer });
  }
  // A call that is not in history is not run.
  for (const { id } of questions.values()) turn.questions.lapse(id);
  await calls.finish();
  if (calls.isSuspended) return { kind: 'suspended' };
  return turn.signal.aborted ? { kind: 'aborted' } : undefined;
}

function callsOf({ history }: ThreadState, turnId: string): readonly CallItem[] {
  const all = historyEntries(history);
  const own = all.filter(({ origin, turn }) => origin.family === 'model' && turn === turnId);
  return unansweredCalls(all, own);
}

/**
 * The suspended turn's policy, narrowed by the current one. If neither is the narrower one, the user's intent is
 * unknown, and the turn is not continued. A turn that is only to be ended runs nothing, under any policy.
 */
export async function prepareSuspended(
  { id, parts, log }: Pick<Turn, 'parts' | 'log'> & { readonly id: ThreadId },
  now: Settings,
  { ends }: { readonly ends: boolean },
): Promise<{ readonly settings: Settings; readonly continues: SuspendedTurn } | { readonly outcome: Outcome }> {
  const { state } = log;
  const { openTurn } = state;
  if (openTurn === undefined || !isSuspended(state)) return { outcome: nothingSuspended(id) };
  if (ends) return { settings: now, continues: { openTurn, approval: now.approvals } };
  const canAsk = canBeAsked(userFacts(parts), { approval: now.approvals, reviewer: now.reviewer });
  if (!canAsk && questionsToAsk(state).length > 0) return { outcome: noOneToAsk(id) };
  const then = policyOf(state);
  if (then === undefined) return { outcome: policyChanged(id) };
  const { places } = await parts.gatherFacts(now);
  const profile = narrowerOf(now.sandbox, then.profile, (one, other) => narrowerProfile(one, other, places));
  if (profile === undefined) return { outcome: policyChanged(id) };
  // A surface that cannot ask sets its own policy, which says nothing about earlier questions.
  const isHeld = now.origins?.['approvals'] === 'surface';
  const approval = isHeld ? then.approval : narrowerApproval(now.approvals, then.approval);
  const ruling = isHeld ? now.approvals : approval;
  const isSame = profile === now.sandbox && ruling === now.approvals;
  const settings = isSame ? now : { ...now, sandbox: profile, approvals: ruling };
  return { settings, continues: { openTurn, approval } };
}

function policyOf({ openTurn, context, envelope, ...state }: ThreadState) {
  if (stringAt(context, 'turn_id') !== openTurn?.id) return undefined;
  const approval = objectAt(envelope, 'policy')?.['approval'] as ApprovalPolicy | undefined;
  const { sandbox: profile } = lastSettings({ ...state, ...(context && { context }), newest: 'context' });
  return approval === undefined || profile === undefined ? undefined : { approval, profile };
}

/** Undefined if each grants something that the other does not. `narrower` returns `claimed` if it is no wider. */
function narrowerOf<Value>(one: Value, other: Value, narrower: (wide: Value, claimed: Value) => Value) {
  if (narrower(one, other) === other) return other;
  return narrower(other, one) === one ? one : undefined;
}

function nothingSuspended(id: ThreadId): Outcome<'nothing-suspended'> {
  const message = `Thread ${id} has no turn that waits for an answer.`;
  return { code: 'nothing-suspended', message, next: 'Send a message to continue the thread.' };
}

function noOneToAsk(id: ThreadId): Outcome<'no-one-to-ask'> {
  return {
    code: 'no-one-to-ask',
    message: `Thread ${id} waits for your answer, and this program cannot ask.`,
    next: `Nothing was changed. Answer with \`capstan exec resume ${id} --approvals ask\`, or send a new message, which leaves the question unanswered.`,
  };
}

function policyChanged(id: ThreadId): Outcome<'policy-changed'> {
  return {
    code: 'policy-changed',
    message: `The turn of thread ${id} that waits for your answer cannot be continued: its permissions and the current ones differ, and neither set includes the other.`,
    next: 'Nothing was changed. Resume with the permissions of that turn, or send a new message, which leaves the question unanswered.',
  };
}
