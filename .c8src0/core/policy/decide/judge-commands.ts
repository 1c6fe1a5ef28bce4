import { needsSandbox } from '../paths/access.ts';
import type { CallNeeds, DecisionContext } from './call-decision.ts';
import type { CommandAnalysis } from '../commands/analyse-command.ts';
import { isGit, isSafeGit, changesWorkingFolder, startsGit } from '../git/git-commands.ts';
import { isCoverableByRule } from '../commands/shell-builtins.ts';
import { matchRules, type RuleMatch, strictestDecision } from '../rules/match-rules.ts';
import type { RuleDecision } from '../rules/rule-set.ts';

interface JudgedCommand {
  readonly words: readonly string[];
  readonly matches: readonly RuleMatch[];
  /** From the rules, or the default for commands without one. */
  readonly decision: 'allow' | 'prompt' | 'forbidden';
  /** A rule could let it out of the sandbox. */
  readonly mayLeave: boolean;
}

export interface CommandJudgement {
  readonly commands: readonly JudgedCommand[];
  readonly decision: RuleDecision;
  /** A rule demands the question, even if something else demands it too. */
  readonly byRule: boolean;
  /** Capstan examined the place where the commands would run, and so knows which of them may leave the sandbox. */
  readonly isLooked: boolean;
  readonly allowedByRules: boolean;
  /** It is destructive, and no rule allows all of it. */
  readonly danger?: NonNullable<CommandAnalysis['danger']>;
}

/**
 * Judges each command by its rules; the strictest decides. A call that is known only at run time is one command: the
 * shell with its script. `escalates`: the call wants more than the sandbox grants.
 */
export function judgeCommands(
  context: DecisionContext,
  { argv = [], cwd, typed }: CallNeeds,
  { escalates }: { readonly escalates: boolean },
): CommandJudgement {
  const { approval, rules, analysis } = context;
  const matched = (words: readonly string[], mayLeave: boolean, allows: (match: RuleMatch) => boolean) => {
    const found = matchRules(rules, words, { resolveExecutables: true, cwd });
    const matches = found.filter((match) => match.decision !== 'allow' || allows(match));
    return { words, matches, mayLeave, byRules: strictestDecision(matches.map(({ decision }) => decision)) };
  };
  const read = analysis?.commands ?? [];
  const all = (read.length === 0 ? [argv] : read).map((words) => {
    // Anything may be typed into it later.
    const mayLeave = typed !== true && isCoverableByRule(words) && isSettled(context, words);
    // Without a sandbox a rule lets nothing out. It still does not cover a file that merely shares a program's name.
    const isFree = !needsSandbox(context.policy) && isCoverableByRule(words);
    return matched(words, mayLeave, ({ resolvedProgram }) => mayLeave || (isFree && resolvedProgram === undefined));
  });
  // Commands found in a script that is only partly readable, or behind a wrapper, may still be held back.
  const holding = (analysis?.seen ?? []).map((words) => matched(words, false, () => false));
  const allowedByRules = all.every(({ byRules }) => byRules === 'allow');
  const danger = allowedByRules ? undefined : analysis?.danger;
  const asksAnyway = approval === 'untrusted' && (typed === true || !isReadOnly(context));
  const otherwise = danger !== undefined || escalates || asksAnyway ? 'prompt' : 'allow';
  const held = holding.filter(({ byRules }) => byRules !== undefined);
  const commands = [...all, ...held].map(({ words, matches, mayLeave, byRules }) => {
    return { words, matches, mayLeave, decision: byRules ?? otherwise } as const;
  });
  // Danger concerns the whole script: a rule that allows one of its commands does not allow the others.
  const asked = danger === undefined ? [] : ['prompt' as const];
  return {
    commands,
    decision: strictestDecision([...commands.map((command) => command.decision), ...asked]) ?? 'allow',
    byRule: [...all, ...holding].some(({ byRules }) => byRules === 'prompt'),
    isLooked: context.ground !== undefined,
    allowedByRules,
    danger,
  };
}

/**
 * True if an allowed command starts what its rule means: a program that no command can have placed there, and for git
 * also in a repository that commands cannot have changed.
 */
function isSettled(context: DecisionContext, words: readonly string[]): boolean {
  const { ground, analysis } = context;
  const [program = ''] = words;
  // A wrapper that commands can replace could start another program.
  if (![program, ...(analysis?.starters ?? [])].every((name) => ground?.settled.has(name))) return false;
  if (isGit(words)) return isSafeGit(context, [words]);
  return !changesWorkingFolder(analysis) || !program.includes('/') || program.startsWith('/');
}

/** Git may run programs named by another repository's settings or, without a sandbox, by files that commands wrote. */
function isReadOnly({ analysis, ground, policy }: DecisionContext): boolean {
  if (analysis?.isReadOnly !== true) return false;
  if (!startsGit(analysis)) return true;
  if (ground === undefined || ground.repository === 'other') return false;
  return needsSandbox(policy) || ground.openSetting === undefined;
}

export function longestMatch({ commands }: CommandJudgement, decision: RuleDecision): RuleMatch | undefined {
  return commands
    .flatMap(({ matches }) => matches.filter((match) => match.decision === decision))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}
