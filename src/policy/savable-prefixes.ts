import type { Question } from '../protocol/question.ts';
import { isBannedPrefix } from './rules/banned-prefixes.ts';

/**
 * The rules that a yes to a question may save, the widest first: the one that it proposes, and shorter and longer
 * beginnings of the same commands. None that would allow anything. Longer ones are known only while the question is new.
 */
export function savablePrefixes({
  prefix,
  commands = [],
}: Pick<Question, 'prefix' | 'commands'>): readonly (readonly string[])[] {
  if (prefix === undefined) return [];
  const [first = prefix, ...others] = commands.filter((words) => begins(words, prefix));
  // A rule for one of several commands would not let the script run.
  const differs = first.findIndex((word, at) => others.some((words) => words[at] !== word));
  const longest = differs === -1 ? first : first.slice(0, differs);
  return longest.map((_, at) => longest.slice(0, at + 1)).filter((words) => !isBannedPrefix(words));
}

/** Whether it is one of them. */
export function isSavable(question: Pick<Question, 'prefix' | 'commands'>, wanted: readonly string[]): boolean {
  return savablePrefixes(question).some((words) => words.length === wanted.length && begins(words, wanted));
}

function begins(words: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= words.length && beginning.every((word, at) => word === words[at]);
}
