import type { CallDecision, DecisionContext } from '../../policy/call-decision.ts';
import { decideCall, dependsOnAnalysis } from '../../policy/decide-call.ts';
import type { Blocked, CallNeeds } from '../../policy/approval.ts';
import { decideRetry } from '../../policy/decide-retry.ts';
import { defined } from '../../protocol/defined.ts';
import type { CommandReader } from '../../policy/command-reader.ts';
import type { Turn } from '../parts/parts.ts';
import { canBeAsked } from '../review/asker.ts';

export interface DecideOptions {
  /** That of the turn, unless the call was asked about under another one. */
  readonly approval?: DecisionContext['approval'];
  /** Whether a question can be answered; by default whether there is someone to ask. */
  readonly canAsk?: boolean;
}

/** What is known of the command of a call. Absent: nothing depends on it. */
export interface CallToDecide {
  readonly needs: CallNeeds;
  readonly read?: Awaited<ReturnType<CommandReader['read']>>;
}

/** The one place that asks the policy about a call, with all that the thread knows by now. */
export function decideNow(turn: Turn, { needs, read }: CallToDecide, options: DecideOptions = {}): CallDecision {
  return decideCall({ ...contextNow(turn, options), ...read }, needs);
}

/** The same about a call that the sandbox stopped. Undefined: what came of it stands. */
export function decideAgain(turn: Turn, { needs, read }: CallToDecide, blocked: Blocked): CallDecision | undefined {
  return decideRetry({ ...contextNow(turn, {}), ...read }, needs, blocked);
}

/** Looks into the command where the decision depends on it. Undefined: it does not, and nothing is waited for. */
export function readCommand(
  turn: Turn,
  needs: CallNeeds,
  options: DecideOptions = {},
): Promise<CallToDecide['read']> | undefined {
  const { commands } = turn.parts;
  const { argv } = needs;
  if (commands === undefined || argv === undefined) return undefined;
  const maybeDangerous = commands.mayBeDangerous(argv);
  return dependsOnAnalysis(contextNow(turn, options), needs, { maybeDangerous }) ? commands.read(argv) : undefined;
}

/** Before another try: what it may do outside depends on it, also where the first try did not. */
export async function readBeforeRetry({ parts }: Turn, { needs, read }: CallToDecide): Promise<CallToDecide> {
  const known = read ?? (needs.argv && (await parts.commands?.read(needs.argv)));
  return { needs, ...defined({ read: known }) };
}

function contextNow(turn: Turn, { approval, canAsk }: DecideOptions): DecisionContext {
  const { envelope, log, memory, savedRules } = turn;
  const { policy } = envelope;
  const session = log.state.grants.flatMap(({ keys }) => keys);
  return {
    approval: approval ?? policy.approval,
    policy: policy.resolved,
    rules: { ...policy.rules, prefixes: [...policy.rules.prefixes, ...savedRules] },
    grants: [...session, ...memory.grants].map((key) => ({ key })),
    canAsk: canAsk ?? canBeAsked(turn),
  };
}
