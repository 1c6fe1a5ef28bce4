import type { NetworkLists, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { Question } from '../../../protocol/question.ts';
import type { UnknownReason } from '../commands/evaluate-command.ts';
import { builtinEffect } from '../commands/shell-builtins.ts';
import { isGit, startsGit } from '../git/git-commands.ts';
import { deniesReading } from '../grants/granted-policy.ts';
import { needsSandbox } from '../paths/access.ts';
import { quotedPath } from '../paths/walk-path.ts';
import { isBannedPrefix } from '../rules/banned-prefixes.ts';
import type { CallNeeds, DecisionContext, NotOfferedAnswers, NotOfferedReason } from './call-decision.ts';
import type { CommandJudgement } from './judge-commands.ts';

type RuleContext = Pick<DecisionContext, 'rules' | 'analysis' | 'ground'>;
/** `why`: the reason if no rule is offered. */
export type OfferedRule = { readonly prefix?: readonly string[]; readonly why?: NotOfferedReason };

/**
 * The rule that the user may save on approval: the model's proposal if it suffices, else the command that needs the
 * question. None if the rule would allow any command, or none: rules never let out commands that other commands can
 * replace, or that keep their input open.
 */
export function offeredRule(
  context: RuleContext,
  judged: CommandJudgement,
  { escalation, typed }: Pick<CallNeeds, 'escalation' | 'typed'>,
): OfferedRule {
  const { commands, byRule, danger, isLooked } = judged;
  if (typed === true) return { why: { kind: 'typed' } };
  if (context.rules.savesNone === true) return { why: { kind: 'no-rules' } };
  if (byRule) return { why: { kind: 'rule' } };
  if (danger !== undefined) return { why: { kind: 'danger' } };
  if (context.analysis !== undefined && context.analysis.commands === undefined)
    return { why: { kind: 'script', why: context.analysis.whyUnknown ?? { kind: 'syntax' } } };
  const held = isLooked ? commands.find(({ mayLeave }) => !mayLeave) : undefined;
  if (held !== undefined) return { why: whyHeld(context, held.words) };
  const proposed = escalation?.prefix;
  const isMatched = commands.some(({ matches }) => matches.length > 0);
  if (proposed !== undefined && proposed.length > 0 && !isMatched && !isBannedPrefix(proposed)) {
    if (commands.every(({ words }) => begins(words, proposed))) return { prefix: proposed };
  }
  const [first = [], ...others] = commands.flatMap(({ decision, words }) => (decision === 'prompt' ? [words] : []));
  // A rule for one of several commands would not let the script run: it would be asked about again.
  const isEnough = others.every((words) => begins(words, first));
  if (!isEnough && others.every((words) => isEndOf(words, first)))
    return { why: { kind: 'wrapper', name: first[0] ?? '' } };
  if (first.length === 0 || !isEnough) return { why: { kind: 'several' } };
  return isBannedPrefix(first) ? { why: { kind: 'broad', words: first } } : { prefix: withoutMessage(first) };
}

function isEndOf(words: readonly string[], whole: readonly string[]): boolean {
  const before = whole.length - words.length;
  return before > 0 && begins(whole.slice(before), words);
}

function whyHeld({ ground, analysis }: RuleContext, words: readonly string[]): NotOfferedReason {
  const [named = ''] = words;
  const effect = builtinEffect(words) ?? 'plain';
  if (effect !== 'plain') return { kind: 'builtin', name: named, effect };
  const program = [named, ...(analysis?.starters ?? [])].find((name) => ground?.settled.has(name) !== true) ?? named;
  if (ground?.openVariable !== undefined) return { kind: 'variable', name: ground.openVariable };
  if (ground?.settled.has(program) !== true && !program.includes('/') && ground?.writablePathFolder !== undefined)
    return { kind: 'search-path', folder: ground.writablePathFolder };
  return isGit(words) && ground?.settled.has(program) === true ? { kind: 'git' } : { kind: 'program', program };
}

/** Why an approved call gets no session answer. Undefined if that answer is offered. */
export function reasonNoSessionAnswer(
  context: Pick<DecisionContext, 'analysis'>,
  { danger }: Pick<CommandJudgement, 'danger'>,
  { typed, isByUser, leaves }: { readonly typed: boolean; readonly isByUser: boolean; readonly leaves: boolean },
): NotOfferedReason | undefined {
  const { evaluating, hasOpenWords } = context.analysis ?? {};
  if (danger !== undefined) return { kind: 'danger' };
  if (isByUser) {
    if (typed) return { kind: 'typed' };
    if (evaluating !== undefined) return { kind: 'builtin', name: evaluating, effect: 'evaluates' };
    if (startsGit(context.analysis)) return { kind: 'git' };
  }
  return leaves && hasOpenWords === true ? { kind: 'script', why: { kind: 'open-words' } } : undefined;
}

/** A sentence for the question. Undefined if all is offered. `isSaid`: the question already names further effects. */
export function describeNotOffered(
  { rule, session }: NotOfferedAnswers,
  { isSaid = false }: { readonly isSaid?: boolean } = {},
): string | undefined {
  const sentence = (what: string, why: NotOfferedReason): string => {
    const cause = isSaid && isNamedAsDanger(why) ? undefined : causeWords(why);
    return `${what}${cause === undefined ? '' : `: ${cause}`}.`;
  };
  if (rule !== undefined && session !== undefined && causeWords(rule) === causeWords(session))
    return sentence('A yes counts for this call alone', session);
  const noRule = rule && sentence('No rule can be saved', rule);
  const noSession = session && sentence('A yes does not count for the session', session);
  return noRule && noSession ? `${noRule} ${noSession}` : (noRule ?? noSession);
}

const isNamedAsDanger = (why: NotOfferedReason): boolean =>
  why.kind === 'git' || (why.kind === 'builtin' && why.effect === 'evaluates');

function causeWords(why: NotOfferedReason): string | undefined {
  switch (why.kind) {
    case 'typed':
    case 'danger':
      return undefined;
    case 'rule':
      return 'that rule asks each time';
    case 'no-rules':
      return 'the administrator turned rules off for this model';
    case 'permissions':
      return 'rules do not grant single permissions';
    case 'script':
      return scriptWords(why.why);
    case 'several':
      return 'it has several commands, and no one rule covers them';
    case 'wrapper':
      return `\`${short([why.name])}\` starts another command, and no one rule covers both`;
    case 'broad':
      return `a rule for \`${short(why.words)}\` would allow too much`;
    case 'builtin':
      return why.effect === 'evaluates'
        ? `the shell may run what stands in the words of \`${why.name}\``
        : `\`${why.name}\` changes what later commands mean`;
    case 'variable':
      return `the variable ${why.name} has programs load code from where commands can write`;
    case 'search-path':
      return `commands can write ${quotedPath(why.folder)}, a folder of the PATH`;
    case 'program':
      return `commands can write or replace \`${short([why.program])}\``;
    case 'git':
      return 'git could run what commands have written';
    case 'port':
      return 'rules do not name ports, and this one is unusual';
    case 'each-time':
      return `${why.by} asks each time`;
  }
}

function scriptWords(why: UnknownReason): string {
  switch (why.kind) {
    case 'syntax':
      return 'Capstan cannot read all of the script';
    case 'open-words':
      return 'some of its words are known only when it runs';
    case 'assignment':
      return `it sets the variable ${short([why.name])}, which may change what runs`;
    case 'redirection':
      return `rules do not cover the redirection \`${short([why.written])}\``;
  }
}

function short(words: readonly string[]): string {
  const text = words.join(' ');
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

/** Drops a commit's message from a rule, which would never match again with it. */
function withoutMessage(words: readonly string[]): readonly string[] {
  const [program, subcommand, ...rest] = words;
  const isCommit = program === 'git' && subcommand === 'commit';
  return isCommit && rest.some((word) => /^-\w*[mF]|^--(?:message|file)/.test(word)) ? [program, subcommand] : words;
}

type Savable = Pick<Question, 'prefix' | 'commands'>;

/**
 * Rules that may be saved on approval, widest first: the proposed one, and shorter and longer beginnings of the same
 * commands. None that would allow anything. Longer ones are known only while the question is new.
 */
export function savablePrefixes({ prefix, commands = [] }: Savable): readonly (readonly string[])[] {
  if (prefix === undefined) return [];
  const [first = prefix, ...others] = commands.filter((words) => begins(words, prefix));
  // A rule for one of several commands would not let the script run.
  const differs = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  const longest = differs === -1 ? first : first.slice(0, differs);
  return longest.map((_, at) => longest.slice(0, at + 1)).filter((words) => !isBannedPrefix(words));
}

export const isSavable = (question: Savable, wanted: readonly string[]): boolean =>
  savablePrefixes(question).some((words) => words.length === wanted.length && begins(words, wanted));
const begins = (words: readonly string[], beginning: readonly string[]): boolean =>
  beginning.length <= words.length && beginning.every((word, at) => word === words[at]);

/** Describes where commands run that leave the sandbox under a policy that denies reading. */
export const widerSandboxText = 'in a sandbox that only hides denied paths';

/** Describes where a command runs that the user lets out. No answer opens paths that are denied for reading. */
export const describeOutsideRun = (policy: ResolvedPolicy): string =>
  deniesReading(policy) ? widerSandboxText : 'outside the sandbox';

/** True if commands allowed by a saved rule stay in such a sandbox. Undefined: they do not, or no rule is offered. */
export const ruleKeepsSandbox = (policy: ResolvedPolicy, prefix: readonly string[] | undefined): true | undefined =>
  (prefix !== undefined && deniesReading(policy)) || undefined;
export const describeInsideRun = (policy: ResolvedPolicy): string =>
  needsSandbox(policy) ? 'inside the sandbox' : 'without a sandbox';
const mostNamed = 8;

/** The effect of a network grant, in a sentence for the user. */
export function describeOpenedNetwork(lists: NetworkLists | undefined): string {
  if (lists === undefined) return 'All hosts could be reached, including this machine and private networks.';
  const { deny, ask = [], local, methods } = lists;
  const named = bounded(deny, 'more that are denied');
  const hosts = `All hosts ${named.length === 0 ? '' : `except ${named.join(', ')} `}could be reached`;
  const places = `, ${local ? 'including' : 'but not'} this machine and private networks`;
  const all = `${hosts}${places}${methods === 'any' ? '' : ', with requests that only read'}.`;
  return ask.length === 0 ? all : `${all} Rules still ask before ${bounded(ask, 'more hosts').join(', ')}.`;
}

function bounded(hosts: readonly string[], others: string): readonly string[] {
  const left = hosts.length - mostNamed;
  return [...hosts.slice(0, mostNamed), ...(left > 0 ? [`${left} ${others}`] : [])];
}
