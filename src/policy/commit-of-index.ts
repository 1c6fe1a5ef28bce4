import { gitLetters } from './git-letters.ts';

/** Options of `git commit` without a value that have it look at no file of the checkout. */
const alone = new Set(
  'amend no-edit allow-empty allow-empty-message no-verify verify signoff no-signoff quiet gpg-sign no-gpg-sign reset-author no-post-rewrite no-status'.split(
    ' ',
  ),
);

/** The same with a value. */
const withValue = new Set('message reuse-message author date cleanup trailer fixup squash file'.split(' '));

/** With one of these git opens no editor. For an editor it describes the checkout, as `git status` does. */
const givingWords = new Set(['message', 'reuse-message', 'fixup', 'file', 'no-edit']);

const longNames: Readonly<Record<string, string>> = { m: 'message', C: 'reuse-message', F: 'file' };

/**
 * Whether the words behind `git commit` record what is in the index, with a message of their own: no file of the checkout
 * is read. Of options that are not known here, short forms of long ones among them, that is not known.
 */
export function isCommitOfIndex(words: readonly string[]): boolean {
  let hasMessage = false;
  for (let index = 0; index < words.length; index++) {
    const option = readOption(words[index] ?? '');
    if (option === undefined) return false;
    const { name, value = option.takesNext ? words[++index] : undefined } = option;
    if (name === undefined) continue;
    // Only what comes over the input is no file. Some forms of a fixup open an editor.
    if (name === 'file' && value !== '-') return false;
    if (name === 'fixup' && value?.includes(':') !== false) return false;
    hasMessage ||= givingWords.has(name);
  }
  return hasMessage;
}

interface CommitOption {
  readonly name?: string;
  readonly value?: string;
  readonly takesNext: boolean;
}

/** Undefined: a path, or an option that may have git look at files. */
function readOption(word: string): CommitOption | undefined {
  if (word.startsWith('--')) {
    const [name = '', ...rest] = word.slice(2).split('=');
    if (withValue.has(name))
      return rest.length === 0 ? { name, takesNext: true } : { name, value: rest.join('='), takesNext: false };
    return alone.has(name) ? { name, takesNext: false } : undefined;
  }
  const { flags, option, value } = gitLetters('commit', word);
  if (!/^[qnsv]*$/.test(flags) || flags + (option ?? '') === '') return undefined;
  if (option === undefined || option === 'S' || option === 'u') return { takesNext: false };
  const name = longNames[option];
  if (name === undefined) return undefined;
  return value === undefined ? { name, takesNext: true } : { name, value, takesNext: false };
}
