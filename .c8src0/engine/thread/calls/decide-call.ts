import type { CommandReader } from '../../../core/policy/commands/analyse-command.ts';
import { canBeAsked } from '../../../core/policy/decide/approval-policy.ts';
import type {
  BlockedFiles,
  CallDecision,
  CallNeeds,
  DecisionContext,
} from '../../../core/policy/decide/call-decision.ts';
import {
  decideCall,
  decideUnderHook,
  dependsOnAnalysis,
  isHeldByManagedRules,
} from '../../../core/policy/decide/decide-call.ts';
import { decideRetry } from '../../../core/policy/decide/decide-command.ts';
import type { TamperState } from '../../../core/policy/environment/tamper-state.ts';
import { isGit, reasonGitStaysInside } from '../../../core/policy/git/git-commands.ts';
import { grantedPolicy, standingPermissions } from '../../../core/policy/grants/granted-policy.ts';
import { decideConnection } from '../../../core/policy/network/decide-connection.ts';
import { needsSandbox } from '../../../core/policy/paths/access.ts';
import { matchRules } from '../../../core/policy/rules/match-rules.ts';
import type { RequestedHost, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { grantsNow, rulesNow, userFacts } from '../context/turn-contract.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';

/** `approval`: the policy under which the user was asked, if another. `canAsk`, by default: true if a user is there. */
export type DecideOptions = Partial<Pick<DecisionContext, 'approval' | 'canAsk'>>;

/** Facts for a decision about a call. `read`, about its command, is absent if nothing depends on the command. */
export interface CallToDecide {
  readonly needs: CallNeeds;
  readonly hook?: 'allow' | 'ask';
  readonly read?: Awaited<ReturnType<CommandReader['read']>> & { readonly ground?: TamperState };
}

/** The only place that asks the policy about a call, with all that the thread knows now. */
export function decideCallNow(turn: Turn, known: CallToDecide, options: DecideOptions = {}): CallDecision {
  const { needs, ...context } = onGround(known, contextNow(turn, options));
  const decided = decideCall(context, needs);
  const { hook, read } = known;
  // No hook answers for the user or the client.
  if (hook === undefined || needs.input !== undefined || needs.client !== undefined) return withGround(decided, known);
  const asked = decideCall({ ...context, canAsk: true }, needs);
  const seen = read && [...(read.analysis.commands ?? []), ...read.analysis.seen, needs.argv ?? []];
  const isManaged = needs.argv !== undefined && isHeldByManagedRules(turn.parts.requirements.rules, seen);
  const changesNothing = turn.envelope.policy.changesNothing !== undefined;
  const under = { hook, decided, asked, canAsk: context.canAsk, isManaged, changesNothing };
  return withGround(decideUnderHook(under, needs), known);
}

/** Decides about a call that the sandbox stopped. Undefined: it does not run again, and its result counts. */
export function decideCallRetry(turn: Turn, known: CallToDecide, blocked: BlockedFiles): CallDecision | undefined {
  const { needs, ...context } = onGround(known, contextNow(turn));
  const decided = decideRetry(context, needs, blocked);
  return decided && withGround(decided, known);
}

/** Replaces the call's folder by its real path, which rules, answers and the start of the command all use. */
function onGround({ needs, read }: CallToDecide, context: DecisionContext) {
  return { ...context, ...read, needs: { ...needs, cwd: read?.ground?.folder ?? needs.cwd } };
}

function withGround(decided: CallDecision, { read }: CallToDecide): CallDecision {
  return decided.kind === 'refuse' ? decided : { ...decided, ground: read?.ground };
}

/** Decides about a host for a call that runs under `policy`: the call's grants count for its hosts, too. */
export function decideNetworkHost(
  turn: Turn,
  { needs, policy }: Pick<CallToDecide, 'needs'> & { readonly policy: ResolvedPolicy },
  host: RequestedHost,
): CallDecision {
  return decideConnection({ ...contextNow(turn), policy }, needs, host);
}

/** Analyses the command if the decision depends on it. Undefined if it does not: then the caller need not await. */
export function readCommandIfNeeded(turn: Turn, needs: CallNeeds, options: DecideOptions = {}) {
  const { commands } = turn.parts;
  const { argv } = needs;
  if (commands === undefined || argv === undefined) return undefined;
  const maybeDangerous = commands.mayBeDangerous(argv);
  return dependsOnAnalysis(contextNow(turn, options), needs, { maybeDangerous })
    ? readOn(turn, needs, { mayLeave: needs.escalation !== undefined })
    : undefined;
}

/** A second try may leave the sandbox, so the command must be read even where the first did not need it. */
export async function readCommandBeforeRetry(turn: Turn, { needs }: CallToDecide): Promise<CallToDecide> {
  return { needs, read: await readOn(turn, needs, { mayLeave: true }) };
}

/** Reads the command and its ground. `mayLeave`: it may leave the sandbox without a rule. */
async function readOn(
  turn: Turn,
  { argv, cwd }: CallNeeds,
  { mayLeave }: { readonly mayLeave: boolean },
): Promise<CallToDecide['read']> {
  const { parts, envelope, signal } = turn;
  const read = argv && (await parts.commands?.read(argv));
  if (read === undefined || parts.ground === undefined) return read;
  const { commands, seen, starters = [] } = read.analysis;
  const named = [argv, ...(commands ?? []), ...seen].map((words) => words?.[0] ?? '');
  const programs = new Set([...named, ...starters]);
  const { policy: resolved, grants } = contextNow(turn);
  const extra = standingPermissions(resolved, grants);
  const git = commands?.filter(isGit) ?? [];
  const isRuled = git.some((words) => isAllowed(turn, words));
  const ground = await parts.ground.look({
    programs: [...programs],
    hasCompany: parts.sessions?.runs() === true,
    reachOfGit: git.length > 0 && (mayLeave || isRuled || !needsSandbox(resolved)),
    cwd: cwd ?? envelope.workspace.cwd,
    workspace: envelope.workspace.cwd,
    policy: grantedPolicy(resolved, { where: 'sandbox', extra }),
    variables: envelope.policy.shellEnvironment,
    signal,
    warn: (outcome) => void warnOnce(turn, outcome, 'code'),
  });
  const kept = isRuled && needsSandbox(resolved) ? reasonGitStaysInside(ground, git) : undefined;
  if (kept !== undefined) {
    const message = `A rule allows git, but Capstan keeps it in the sandbox: ${kept.why}.`;
    warnOnce(turn, { code: 'git-kept-inside', message, next: kept.next }, 'message');
  }
  return { ...read, ground };
}

function isAllowed(turn: Turn, words: readonly string[]): boolean {
  return matchRules(rulesNow(turn), words, { resolveExecutables: true }).some(({ decision }) => decision === 'allow');
}

function contextNow(turn: Turn, { approval: asked, canAsk }: DecideOptions = {}): DecisionContext {
  const { policy } = turn.envelope;
  const approval = asked ?? policy.approval;
  const granted = grantsNow(turn, { approval, profile: policy.profile });
  return {
    approval,
    policy: policy.resolved,
    rules: rulesNow(turn),
    grants: [...granted.session, ...granted.turn],
    canAsk: canAsk ?? canBeAsked(userFacts(turn.parts), policy),
    hasUser: canAsk ?? userFacts(turn.parts).canAsk === true,
    changesNothing: policy.changesNothing === 'thread',
  };
}

/** True if a command under this policy may do what was granted for the turn alone. */
export function usesTurnGrants(turn: Turn, policy: ResolvedPolicy): boolean {
  const { resolved } = turn.envelope.policy;
  const grants = grantsNow(turn, turn.envelope.policy);
  // Outside a sandbox it runs by an answer of its own.
  if (grants.turn.length === 0 || !needsSandbox(policy)) return false;
  const lasting = grantedPolicy(resolved, { where: 'sandbox', extra: standingPermissions(resolved, grants.session) });
  return JSON.stringify(policy) !== JSON.stringify(lasting);
}
