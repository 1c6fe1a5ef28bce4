import type { Settings } from '../../envelope/settings.ts';
import { narrowerApproval, narrowerProfile } from '../../policy/narrower.ts';
import { canBeAsked } from '../../policy/review/can-be-asked.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../../protocol/permission-profile.ts';
import { isSuspended, questionsToAsk } from '../../state/questions.ts';
import { lastSettings } from '../../state/resumed-settings.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { SuspendedTurn, Turn } from '../parts/parts.ts';
import { userFacts } from '../parts/user-facts.ts';

/** What a suspended turn continues under. */
export interface PreparedSuspended {
  readonly settings: Settings;
  readonly continues: SuspendedTurn;
}

/**
 * The policy of the suspended turn, narrowed by what holds now. If neither is the narrower one, nothing says what the
 * user wants to allow, and the turn is not continued. A turn that is only to be ended runs nothing, under any policy.
 */
export async function prepareSuspended(
  { id, parts, log }: Pick<Turn, 'parts' | 'log'> & { readonly id: ThreadId },
  now: Settings,
  { ends }: { readonly ends: boolean },
): Promise<PreparedSuspended | { readonly outcome: Outcome }> {
  const { state } = log;
  const { openTurn } = state;
  if (openTurn === undefined || !isSuspended(state)) return { outcome: nothingSuspended(id) };
  if (ends) return { settings: now, continues: { openTurn, approval: now.approvals } };
  if (
    !canBeAsked(userFacts(parts), { approval: now.approvals, ...defined({ reviewer: now.reviewer }) }) &&
    questionsToAsk(state).length > 0
  )
    return { outcome: noOneToAsk(id) };
  const then = policyOf(state);
  if (then === undefined) return { outcome: policyChanged(id) };
  const { places } = await parts.gatherFacts(now);
  const profile = narrowerOf(now.sandbox, then.profile, (one, other) => narrowerProfile(one, other, places));
  if (profile === undefined) return { outcome: policyChanged(id) };
  // A surface that cannot ask holds its own policy: that says nothing about what was asked before.
  const isHeld = now.origins?.['approvals'] === 'surface';
  const approval = isHeld ? then.approval : narrowerApproval(now.approvals, then.approval);
  const ruling = isHeld ? now.approvals : approval;
  const isSame = profile === now.sandbox && ruling === now.approvals;
  const settings = isSame ? now : { ...now, sandbox: profile, approvals: ruling };
  return { settings, continues: { openTurn, approval } };
}

interface TurnPolicy {
  readonly approval: ApprovalPolicy;
  readonly profile: PermissionProfile;
}

/** As the line of the turn says it. */
function policyOf({ openTurn, context, envelope, ...state }: ThreadState): TurnPolicy | undefined {
  if (stringAt(context, 'turn_id') !== openTurn?.id) return undefined;
  const approval = objectAt(envelope, 'policy')?.['approval'] as ApprovalPolicy | undefined;
  const { sandbox: profile } = lastSettings({ ...state, ...(context && { context }), newest: 'context' });
  return approval === undefined || profile === undefined ? undefined : { approval, profile };
}

/** Undefined when each grants something that the other does not. `narrower` gives its second argument if it is no wider. */
function narrowerOf<Value>(
  one: Value,
  other: Value,
  narrower: (wide: Value, claimed: Value) => Value,
): Value | undefined {
  if (narrower(one, other) === other) return other;
  return narrower(other, one) === one ? one : undefined;
}

function nothingSuspended(id: ThreadId): Outcome<'nothing-suspended'> {
  return {
    code: 'nothing-suspended',
    message: `Thread ${id} has no turn that waits for an answer.`,
    next: 'Send a message to continue the thread.',
  };
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
