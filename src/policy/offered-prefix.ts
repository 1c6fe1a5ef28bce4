import type { CallNeeds } from './approval.ts';
import type { DecisionContext } from './call-decision.ts';
import type { Judged } from './judge-commands.ts';
import { isBannedPrefix } from './rules/banned-prefixes.ts';

/**
 * The rule that the user may save with a yes: what the model proposes, if that would do, or else the command that
 * needs the question. None where several do, where rules do not count for the model, where a rule had a say, where something is destroyed,
 * or where it would allow anything, or nothing: a rule lets out neither what commands can replace nor what is typed into.
 */
export function offeredPrefix(
  { rules }: Pick<DecisionContext, 'rules'>,
  { commands, byRule, danger, isLooked }: Judged,
  { escalation, typed }: Pick<CallNeeds, 'escalation' | 'typed'>,
): readonly string[] | undefined {
  const proposed = escalation?.prefix;
  if (
    typed === true ||
    rules.savesNone === true ||
    byRule ||
    danger !== undefined ||
    (isLooked && !commands.every(({ mayLeave }) => mayLeave))
  )
    return undefined;
  const isMatched = commands.some(({ matches }) => matches.length > 0);
  if (proposed !== undefined && proposed.length > 0 && !isMatched && !isBannedPrefix(proposed)) {
    if (commands.every(({ words }) => proposed.every((word, i) => word === words[i]))) return proposed;
  }
  const [first = [], ...others] = commands.flatMap(({ decision, words }) => (decision === 'prompt' ? [words] : []));
  // A rule for one of several commands would not let the script run: it would be asked about again.
  const isEnough = others.every((words) => first.every((word, i) => word === words[i]));
  return first.length === 0 || !isEnough || isBannedPrefix(first) ? undefined : withoutMessage(first);
}

/** A rule with the message of a commit in it would never match again. */
function withoutMessage(words: readonly string[]): readonly string[] {
  const [program, subcommand, ...rest] = words;
  const isCommit = program === 'git' && subcommand === 'commit';
  return isCommit && rest.some((word) => /^-\w*[mF]|^--(?:message|file)/.test(word)) ? [program, subcommand] : words;
}
