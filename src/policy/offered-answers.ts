import type { CallNeeds } from './approval.ts';
import type { DecisionContext, NotOffered, WhyNotOffered } from './call-decision.ts';
import type { WhyUnknown } from './commands/evaluate.ts';
import { builtinEffect } from './commands/shell-builtins.ts';
import { isGit, startsGit } from './git-danger.ts';
import type { Judged } from './judge-commands.ts';
import { quotedPath } from './quoted-path.ts';
import { isBannedPrefix } from './rules/banned-prefixes.ts';

type RuleContext = Pick<DecisionContext, 'rules' | 'analysis' | 'ground'>;
type RuleNeeds = Pick<CallNeeds, 'escalation' | 'typed'>;

/**
 * The rule that the user may save with a yes: what the model proposes, if that would do, or else the command that
 * needs the question. None where it would allow anything, or nothing: a rule lets out neither what commands can replace
 * nor what is typed into.
 */
export function offeredRule(
  context: RuleContext,
  judged: Judged,
  { escalation, typed }: RuleNeeds,
): { readonly prefix: readonly string[] } | { readonly why: WhyNotOffered } {
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
    if (commands.every(({ words }) => proposed.every((word, i) => word === words[i]))) return { prefix: proposed };
  }
  const [first = [], ...others] = commands.flatMap(({ decision, words }) => (decision === 'prompt' ? [words] : []));
  // A rule for one of several commands would not let the script run: it would be asked about again.
  const isEnough = others.every((words) => first.every((word, i) => word === words[i]));
  if (!isEnough && others.every((words) => isEndOf(words, first)))
    return { why: { kind: 'wrapper', name: first[0] ?? '' } };
  if (first.length === 0 || !isEnough) return { why: { kind: 'several' } };
  return isBannedPrefix(first) ? { why: { kind: 'broad', words: first } } : { prefix: withoutMessage(first) };
}

function isEndOf(words: readonly string[], whole: readonly string[]): boolean {
  const before = whole.length - words.length;
  return before > 0 && words.every((word, at) => word === whole[before + at]);
}

/** Why no rule lets this command out. */
function whyHeld({ ground, analysis }: RuleContext, words: readonly string[]): WhyNotOffered {
  const [named = ''] = words;
  const effect = builtinEffect(words) ?? 'plain';
  if (effect !== 'plain') return { kind: 'builtin', name: named, effect };
  const program = [named, ...(analysis?.starters ?? [])].find((name) => ground?.settled.has(name) !== true) ?? named;
  if (ground?.openVariable !== undefined) return { kind: 'variable', name: ground.openVariable };
  if (ground?.settled.has(program) !== true && !program.includes('/') && ground?.writablePathFolder !== undefined)
    return { kind: 'search-path', folder: ground.writablePathFolder };
  return isGit(words) && ground?.settled.has(program) === true ? { kind: 'git' } : { kind: 'program', program };
}

/** Why an answer for the session is not offered to what may run once. Undefined: it is. */
export function whyNoSession(
  context: Pick<DecisionContext, 'analysis'>,
  { danger }: Pick<Judged, 'danger'>,
  { typed, isByUser, leaves }: { readonly typed: boolean; readonly isByUser: boolean; readonly leaves: boolean },
): WhyNotOffered | undefined {
  const { evaluating, hasOpenWords } = context.analysis ?? {};
  if (danger !== undefined) return { kind: 'danger' };
  if (isByUser) {
    if (typed) return { kind: 'typed' };
    if (evaluating !== undefined) return { kind: 'builtin', name: evaluating, effect: 'evaluates' };
    if (startsGit(context.analysis)) return { kind: 'git' };
  }
  return leaves && hasOpenWords === true ? { kind: 'script', why: { kind: 'open-words' } } : undefined;
}

/** A sentence for the question. Undefined: all is offered. `isSaid`: the question names what a yes would also let happen. */
export function notOfferedWords(
  { rule, session }: NotOffered,
  { isSaid = false }: { readonly isSaid?: boolean } = {},
): string | undefined {
  const sentence = (what: string, why: WhyNotOffered): string => {
    const cause = isSaid && isNamedAsDanger(why) ? undefined : causeWords(why);
    return `${what}${cause === undefined ? '' : `: ${cause}`}.`;
  };
  if (rule !== undefined && session !== undefined && causeWords(rule) === causeWords(session))
    return sentence('A yes counts for this call alone', session);
  const words = [
    ...(rule === undefined ? [] : [sentence('No rule can be saved', rule)]),
    ...(session === undefined ? [] : [sentence('A yes does not count for the session', session)]),
  ];
  return words.length === 0 ? undefined : words.join(' ');
}

function isNamedAsDanger(why: WhyNotOffered): boolean {
  return why.kind === 'git' || (why.kind === 'builtin' && why.effect === 'evaluates');
}

/** Undefined: the question says it already. */
function causeWords(why: WhyNotOffered): string | undefined {
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

function scriptWords(why: WhyUnknown): string {
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

/** A rule with the message of a commit in it would never match again. */
function withoutMessage(words: readonly string[]): readonly string[] {
  const [program, subcommand, ...rest] = words;
  const isCommit = program === 'git' && subcommand === 'commit';
  return isCommit && rest.some((word) => /^-\w*[mF]|^--(?:message|file)/.test(word)) ? [program, subcommand] : words;
}
