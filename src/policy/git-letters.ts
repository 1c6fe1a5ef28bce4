/** A word of letters, as git reads it: flags, then perhaps an option with the rest of the word as its value. */
export interface GitLetters {
  readonly flags: string;
  readonly option?: string;
  /** Absent: the next word is the value. */
  readonly value?: string;
}

/** Letters that take a value: the rest of the word, or else the next word. */
interface ValuedLetters {
  readonly needed: string;
  /** These take the rest of the word and never the next one. */
  readonly attached?: string;
}

const valued: Readonly<Record<string, ValuedLetters>> = {
  blame: { needed: 'LS' },
  commit: { needed: 'mFCct', attached: 'Su' },
  grep: { needed: 'efABCm', attached: 'O' },
  'ls-files': { needed: 'xX' },
  'ls-remote': { needed: 'ou' },
  merge: { needed: 'mFsX', attached: 'S' },
  pull: { needed: 'sXoj', attached: 'S' },
  rebase: { needed: 'xsXC', attached: 'S' },
  tag: { needed: 'mFu', attached: 'n' },
};

/** These take the options of diffs. */
const differing = /^(?:diff(?:-files|-index|-tree)?|log|range-diff|reflog|rev-list|shortlog|show|whatchanged)$/;

/** Letters that are not known to take a value are flags. A word of another kind has none. */
export function gitLetters(subcommand: string, word: string): GitLetters {
  if (!/^-[^-]/.test(word)) return { flags: '' };
  const { needed, attached = '' } = lettersOf(subcommand);
  const letters = Array.from(word.slice(1));
  const at = letters.findIndex((letter) => needed.includes(letter) || attached.includes(letter));
  if (at === -1) return { flags: letters.join('') };
  const [option = '', ...rest] = letters.slice(at);
  const isNext = rest.length === 0 && needed.includes(option);
  return { flags: letters.slice(0, at).join(''), option, ...(isNext ? {} : { value: rest.join('') }) };
}

function lettersOf(subcommand: string): ValuedLetters {
  const own = Object.hasOwn(valued, subcommand) ? valued[subcommand] : undefined;
  return own ?? { needed: differing.test(subcommand) ? 'OSGUlIn' : '' };
}
