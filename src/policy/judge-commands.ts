import { defined } from '../protocol/defined.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { access, needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import type { CommandAnalysis } from './commands/analyse.ts';
import type { DecisionContext } from './call-decision.ts';
import { matchRules, type RuleMatch, strictest } from './rules/match-rules.ts';
import type { RuleDecision } from './rules/rule-set.ts';

/** One command of a call, by the rules that match it. */
interface JudgedCommand {
  readonly words: readonly string[];
  readonly matches: readonly RuleMatch[];
  /** Of the rules, or what holds for commands without one. */
  readonly decision: 'allow' | 'prompt' | 'forbidden';
}

export interface Judged {
  readonly commands: readonly JudgedCommand[];
  readonly decision: RuleDecision;
  /** A rule wants the question, whatever else would. */
  readonly byRule: boolean;
  /** Every command has a rule of its own that allows it. */
  readonly allowedByRules: boolean;
  /** It destroys, and no rule allows all of it. */
  readonly danger?: NonNullable<CommandAnalysis['danger']>;
}

/**
 * The commands of a call, each by its rules; the strictest decides. What is known only when it runs is judged as one
 * command: the shell with its script. `escalates`: the call wants more than the sandbox grants.
 */
export function judgeCommands(
  { approval, rules, analysis, policy }: DecisionContext,
  { argv = [], cwd }: CallNeeds,
  { escalates }: { readonly escalates: boolean },
): Judged {
  const read = analysis?.commands ?? [];
  const all = (read.length === 0 ? [argv] : read).map((words) => {
    const found = matchRules(rules, words, { resolveExecutables: true, ...defined({ cwd }) });
    const matches = found.filter((match) => !isReplaceable(policy, match));
    return { words, matches, byRules: strictest(matches.map(({ decision }) => decision)) };
  });
  const holding = (analysis?.seen ?? []).map((words) => {
    const found = matchRules(rules, words, { resolveExecutables: true, ...defined({ cwd }) });
    const matches = found.filter(({ decision }) => decision !== 'allow');
    return { words, matches, byRules: strictest(matches.map(({ decision }) => decision)) };
  });
  const allowedByRules = all.every(({ byRules }) => byRules === 'allow');
  const danger = allowedByRules ? undefined : analysis?.danger;
  const asksAnyway = approval === 'untrusted' && analysis?.isReadOnly !== true;
  const otherwise = danger !== undefined || escalates || asksAnyway ? 'prompt' : 'allow';
  const commands = all.map(
    ({ words, matches, byRules }) => ({ words, matches, decision: byRules ?? otherwise }) as const,
  );
  // What is found in a script that cannot be read whole, or behind a wrapper, may still be held back.
  const held = holding.flatMap(({ words, matches, byRules }) =>
    byRules === undefined ? [] : [{ words, matches, decision: byRules }],
  );
  const byRule = [...all, ...holding].some(({ byRules }) => byRules === 'prompt');
  // Danger is found in the whole script: a rule that allows one command of it does not allow the others.
  const asked = danger === undefined ? [] : ['prompt' as const];
  const decision = strictest([...commands, ...held].map((command) => command.decision).concat(asked)) ?? 'allow';
  return { commands: [...commands, ...held], decision, byRule, allowedByRules, ...defined({ danger }) };
}

/** A rule that allows a program by its name does not mean a file that commands can put there. */
function isReplaceable(policy: ResolvedPolicy, { decision, resolvedProgram }: RuleMatch): boolean {
  if (decision !== 'allow' || resolvedProgram === undefined || !needsSandbox(policy)) return false;
  return access(policy, resolvedProgram) === 'write';
}

/** The rule with that decision that says most about the call. */
export function longestOf({ commands }: Judged, decision: RuleDecision): RuleMatch | undefined {
  return commands
    .flatMap(({ matches }) => matches.filter((match) => match.decision === decision))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}
