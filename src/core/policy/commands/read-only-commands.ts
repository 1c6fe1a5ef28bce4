import { isLongOption } from './command-words.ts';

const refused = 'output ext-diff textconv exec paginate show-signature open-files-in-pager contents'.split(' ');
const shownBranches =
  /^(?:-[arv]+|-vv|--(?:all|remotes|list|show-current|verbose|no-color|color|no-column|ignore-case|(?:sort|format|abbrev|color|points-at|contains|no-contains|merged|no-merged)=.*))$/;

/**
 * The words after `git`. Any option before the subcommand is refused: it may set configuration that names programs, or
 * select another repository whose configuration does.
 */
function isReadOnlyGit([subcommand = '', ...words]: readonly string[]): boolean {
  switch (subcommand) {
    case 'status':
    case 'log':
    case 'diff':
    case 'show':
      // `%G` checks signatures with a program that the configuration names.
      return words.every((word) => !word.includes('%G') && !refused.some((name) => isLongOption(word, name)));
    case 'branch':
      return words.every((word) => shownBranches.test(word));
    default:
      return false;
  }
}

/** Programs that neither write files nor start programs, whatever their options. From Codex's earlier list. */
const anyWords = new Set(
  (
    'cat cd cut echo expr false grep head id ls nl paste pwd rev seq stat tail tr true uname wc which whoami ' +
    'numfmt tac'
  ).split(' '),
);

/** Programs with options that write or start something. Each checks all its words. */
const someWords: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  base64: (words) => words.every((word) => !/^-[^-]*o/.test(word) && !isLongOption(word, 'output')),
  command: ([option = '']) => /^-[vV]$/.test(option),
  find: (words) => words.every((word) => !/^-(?:exec|ok|delete|fls|fprint)/.test(word)),
  git: isReadOnlyGit,
  rg: (words) =>
    words.every(
      (word) =>
        !/^-[^-]*z/.test(word) && !['pre', 'hostname-bin', 'search-zip'].some((name) => isLongOption(word, name)),
    ),
  sed: ([quiet, script = '', ...files]) =>
    quiet === '-n' && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(script) && files.every((file) => !/^-./.test(file)),
  uniq: (words) => operandsOf(words, 'fsw') <= 1,
};

/**
 * True if a command is known to change nothing. Only by its bare name, because a path may be any program. `isOpen`: it
 * gets more, unknown words.
 */
export function isReadOnlyCommand([name = '', ...words]: readonly string[], { isOpen }: { readonly isOpen: boolean }) {
  if (anyWords.has(name)) return true;
  return !isOpen && Object.hasOwn(someWords, name) && someWords[name]?.(words) === true;
}

/** Counts words that are not options. `valued`: letters of options that take a word. */
function operandsOf(words: readonly string[], valued: string): number {
  let count = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return count + words.length - at - 1;
    // `+N` skips fields in the oldest form, and is a file in others.
    if (!/^-./.test(word)) count += 1;
    else if (/^-\w$/.test(word) && valued.includes(word.charAt(1))) at += 1;
  }
  return count;
}
