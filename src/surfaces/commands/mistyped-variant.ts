import type { Outcome } from '../../protocol/outcome.ts';
import type { Command } from './command.ts';
import { nearestWord } from './did-you-mean.ts';
import { runnableHint } from './runnable-hint.ts';

/**
 * A first word that is almost a variant, where any word may stand: `exec resum` would send *resum* to the model. Only a
 * word with the same first letter is taken for one: `work` may well begin a prompt.
 */
export function mistypedVariant(
  { name, variants = {}, freeWord }: Command,
  given: readonly string[],
  words: readonly string[],
): Outcome<'usage'> | undefined {
  const [first = '', ...more] = words;
  if (freeWord === undefined || Object.hasOwn(variants, first) || !given.includes(first)) return undefined;
  const meant = nearestWord(first, Object.keys(variants));
  if (meant === undefined || meant[0] !== first[0]) return undefined;
  const at = given.indexOf(first);
  const line = runnableHint([name, ...given.slice(0, at), meant], given.slice(at + 1));
  const otherwise =
    more.length === 0
      ? `If it is the ${freeWord}, put it after "--".`
      : `If it begins the ${freeWord}, put the ${freeWord} in quotes.`;
  return {
    code: 'usage',
    message: `${name}: there is no command ${JSON.stringify(first)}.`,
    next: `Did you mean \`${line}\`? ${otherwise}`,
  };
}
