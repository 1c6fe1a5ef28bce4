import { defined } from '../../../base/objects.ts';
import { needsSandbox } from '../paths/access.ts';
import type { CallNeeds, DecisionContext } from './call-decision.ts';
import type { CommandAnalysis } from '../commands/analyse-command.ts';
import { isGit, isSafeGit, changesFolder, startsGit } from '../git/git-commands.ts';
import { isCoverable } from '../commands/shell-builtins.ts';
import { matchRules, type RuleMatch, strictestDecision } from '../rules/match-rules.ts';
import type { RuleDecision } from '../rules/rule-set.ts';

/** One command of a call, by the rules that match it. */
interface JudgedCommand {
  readonly words: readonly string[];
  readonly matches: readonly RuleMatch[];
  /** Of the rules, or what holds for commands without one. */
  readonly decision: 'allow' | 'prompt' | 'forbidden';
  /** A rule could let it out of the sandbox. */
  readonly mayLeave: boolean;
}

export interface CommandJudgement {
  readonly commands: readonly JudgedCommand[];
  readonly decision: RuleDecision;
  /** A rule wants the question, whatever else would. */
  readonly byRule: boolean;
  /** It is known where the commands would run, and so which of them may leave. */
  readonly isLooked: boolean;
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
  context: DecisionContext,
  { argv = [], cwd, typed }: CallNeeds,
  { escalates }: { readonly escalates: boolean },
): CommandJudgement {
  const { approval, rules, analysis } = context;
  const read = analysis?.commands ?? [];
  const all = (read.length === 0 ? [argv] : read).map((words) => {
    const found = matchRules(rules, words, { resolveExecutables: true, ...defined({ cwd }) });
    // What will be typed into it may be anything.
    const mayLeave = typed !== true && isCoverable(words) && isSettled(context, words);
    const matches = found.filter(
      (match) => match.decision !== 'allow' || mayLeave || (isCoverable(words) && isAsNamed(context, match)),
    );
    return { words, matches, mayLeave, byRules: strictestDecision(matches.map(({ decision }) => decision)) };
  });
  const holding = (analysis?.seen ?? []).map((words) => {
    const found = matchRules(rules, words, { resolveExecutables: true, ...defined({ cwd }) });
    const matches = found.filter(({ decision }) => decision !== 'allow');
    return { words, matches, byRules: strictestDecision(matches.map(({ decision }) => decision)) };
  });
  const allowedByRules = all.every(({ byRules }) => byRules === 'allow');
  const danger = allowedByRules ? undefined : analysis?.danger;
  const asksAnyway = approval === 'untrusted' && (typed === true || !isReadOnly(context));
  const otherwise = danger !== undefined || escalates || asksAnyway ? 'prompt' : 'allow';
  const commands = all.map(
    ({ words, matches, mayLeave, byRules }) => ({ words, matches, mayLeave, decision: byRules ?? otherwise }) as const,
  );
  // What is found in a script that cannot be read whole, or behind a wrapper, may still be held back.
  const held = holding.flatMap(({ words, matches, byRules }) =>
    byRules === undefined ? [] : [{ words, matches, mayLeave: false, decision: byRules }],
  );
  const byRule = [...all, ...holding].some(({ byRules }) => byRules === 'prompt');
  // Danger is found in the whole script: a rule that allows one command of it does not allow the others.
  const asked = danger === undefined ? [] : ['prompt' as const];
  const decision =
    strictestDecision([...commands, ...held].map((command) => command.decision).concat(asked)) ?? 'allow';
  return {
    commands: [...commands, ...held],
    decision,
    byRule,
    isLooked: context.ground !== undefined,
    allowedByRules,
    ...defined({ danger }),
  };
}

/**
 * Whether a command that a rule allows starts what the rule means: a program that no command can have put there, and
 * for git also in a repository that commands cannot have changed.
 */
function isSettled(context: DecisionContext, words: readonly string[]): boolean {
  const { ground, analysis } = context;
  const [program = ''] = words;
  // A wrapper that commands can replace could start another program.
  if (![program, ...(analysis?.starters ?? [])].every((name) => ground?.settled.has(name))) return false;
  if (isGit(words)) return isSafeGit(context, [words]);
  return !changesFolder(analysis) || !program.includes('/') || program.startsWith('/');
}

/** Without a sandbox a rule lets nothing out. It is still not about a file that only has the name of a program. */
function isAsNamed({ policy }: DecisionContext, { resolvedProgram }: RuleMatch): boolean {
  return !needsSandbox(policy) && resolvedProgram === undefined;
}

/** Git may run what the settings of another repository than the workspace's name, or, without a sandbox, what commands wrote. */
function isReadOnly({ analysis, ground, policy }: DecisionContext): boolean {
  if (analysis?.isReadOnly !== true) return false;
  if (!startsGit(analysis)) return true;
  if (ground === undefined || ground.repository === 'other') return false;
  return needsSandbox(policy) || ground.openSetting === undefined;
}

/** The rule with that decision that says most about the call. */
export function longestMatch({ commands }: CommandJudgement, decision: RuleDecision): RuleMatch | undefined {
  return commands
    .flatMap(({ matches }) => matches.filter((match) => match.decision === decision))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}
