import { defined } from '../../../base/objects.ts';
import type { CompactionWindow } from '../../../core/compaction/plan/compaction-plan.ts';
import type { Envelope } from '../../../core/envelope/envelope.ts';
import type {
  BaseInstructions,
  GatheredFacts,
  ReportedWindow,
  ThreadFacts,
  TurnFacts,
} from '../../../core/envelope/facts.ts';
import { type ContextWindow, applyReportedWindows } from '../../../core/envelope/window.ts';
import { requestTokens } from '../../../core/history/window-usage.ts';
import { type ChosenPolicy, type Grant, grantsUnder } from '../../../core/policy/grants/grants.ts';
import { allowedPrefixes } from '../../../core/policy/rules/match-rules.ts';
import type { RuleSet } from '../../../core/policy/rules/rule-set.ts';
import { instructionsOf, type ThreadState } from '../../../core/state/thread-state.ts';
import type { ThreadLog } from '../log.ts';
import type { ThreadParts, Turn } from '../thread-parts.ts';

export interface TurnContract {
  readonly parts: Pick<ThreadParts, 'router' | 'hooks' | 'skills'>;
  readonly log: Pick<ThreadLog, 'state'>;
  readonly envelope: Envelope;
}

/** The budgets under the contract, limited to windows that servers have named in this thread. */
export function contextWindowNow({ parts, log, envelope }: TurnContract): ContextWindow {
  return applyReportedWindows(envelope, namedWindows(parts, log.state));
}

/** The base instructions of the thread, or those of the contract if the thread has recorded none yet. */
export function instructionsNow({ log, envelope }: TurnContract): BaseInstructions {
  return instructionsOf(log.state) ?? envelope.instructions.base;
}

/** Four fifths of a window must leave this many tokens besides instructions and tools. In less no conversation fits. */
const leastSpace = 4000;
const usedShare = 0.8;

/** A file may claim anything: a window that leaves no space for a conversation is ignored. */
function namedWindows({ router }: TurnContract['parts'], state: ThreadState): readonly ReportedWindow[] {
  const named = state.limits.flatMap(({ provider, model, named: claim }) =>
    claim === undefined ? [] : [{ provider, model, ...claim }],
  );
  if (named.length === 0) return named;
  const instructions = instructionsOf(state)?.text ?? '';
  const names = router.tools.map(({ name }) => name);
  const fixed = requestTokens({ instructions, tools: router.specs(names, 'plain'), input: [] });
  return named.filter(({ tokens }) => tokens * usedShare >= fixed + leastSpace);
}

export function pastFacts(parts: TurnContract['parts'], state: ThreadState): Pick<ThreadFacts, 'base' | 'windows'> {
  const windows = namedWindows(parts, state);
  return defined({ base: instructionsOf(state), windows: windows.length === 0 ? undefined : windows });
}

export function factsForTurn(
  parts: Pick<ThreadParts, 'router' | 'askUser'>,
  gathered: GatheredFacts,
  thread: ThreadFacts,
): TurnFacts {
  return { ...gathered, thread, tools: parts.router.tools, ...userFacts(parts) };
}

/** The part of a contract that the compactor reads: the turn's, or that under which another model is asked. */
export function compactionContract(contract: TurnContract) {
  const { identity, instructions, modes, capabilities } = contract.envelope;
  return {
    model: identity.model.slug,
    compatibility: identity.model.compatibility,
    strategy: modes.compaction,
    prompt: instructions.compactPrompt,
    instructions: instructionsNow(contract).text,
    tools: capabilities.tools,
    modalities: capabilities.modalities,
    window: compactionWindow(contract),
  };
}

export function compactionWindow(contract: TurnContract): CompactionWindow {
  const { effective, autoCompact, autoCompactScope, compactionReserve, checkpoint } = contextWindowNow(contract);
  return { effective, autoCompact, autoCompactScope, compactionReserve, checkpoint };
}

export function userFacts({ askUser }: Pick<ThreadParts, 'askUser'>): Pick<TurnFacts, 'canAsk' | 'answersOnce'> {
  // Only `true` promises that someone answers; a Promise does not.
  if (askUser === undefined || (askUser.isThere?.() ?? true) !== true) return {};
  return { canAsk: true, ...defined({ answersOnce: askUser.answersOnce }) };
}

/** Permissions from earlier answers under this policy: permanent or for the session, and for the turn. */
export function grantsNow(
  { log, continues, savedRules }: Pick<Turn, 'log' | 'continues' | 'savedRules'>,
  { approval, profile }: ChosenPolicy,
): { readonly session: readonly Grant[]; readonly turn: readonly Grant[] } {
  const { grants, openTurn } = log.state;
  const session = [...grantsUnder(grants, { approval, profile }), ...savedRules.hosts, ...savedRules.tools];
  // Use the policy of the suspended turn: a surface that cannot ask may hold another one.
  const turn = grantsUnder(openTurn?.grants ?? [], { approval: continues?.approval ?? approval, profile });
  return { session, turn };
}

type Ruled = Pick<Turn, 'envelope' | 'savedRules'>;

/** The turn's rules and those saved by answers since: they decide about calls. */
export function rulesNow({ envelope: { policy }, savedRules }: Ruled): RuleSet {
  if (policy.rules.savesNone === true) return policy.rules;
  return { ...policy.rules, prefixes: [...policy.rules.prefixes, ...savedRules.prefixes] };
}

export function approvedPrefixesNow(turn: Ruled): readonly (readonly string[])[] {
  const { approvedPrefixes } = turn.envelope.policy;
  const { prefixes } = turn.savedRules;
  if (prefixes.length === 0 || turn.envelope.policy.rules.savesNone === true) return approvedPrefixes;
  const known = new Set(approvedPrefixes.map((prefix) => JSON.stringify(prefix)));
  const saved = allowedPrefixes(rulesNow(turn), prefixes);
  const added = new Map(saved.map((prefix) => [JSON.stringify(prefix), prefix]));
  return [...approvedPrefixes, ...[...added].flatMap(([key, prefix]) => (known.has(key) ? [] : [prefix]))];
}
