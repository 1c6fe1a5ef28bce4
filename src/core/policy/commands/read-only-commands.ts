import { isLongOption, wordSet } from './command-words.ts';

const refused = 'output ext-diff textconv exec paginate show-signature open-files-in-pager contents'.split(' ');
const shownBranches =
  /^(?:-[arv]+|-vv|--(?:all|remotes|list|show-current|verbose|no-color|color|no-column|ignore-case|(?:sort|format|abbrev|color|points-at|contains|no-contains|merged|no-merged)=.*))$/;

/** Gets the words after `git`. An option before the subcommand may name programs or another repository: not read-only. */
function isReadOnlyGit([subcommand = '', ...words]: readonly string[]): boolean {
  if (subcommand === 'branch') return words.every((word) => shownBranches.test(word));
  if (!/^(?:status|log|diff|show)$/.test(subcommand)) return false;
  // `%G` checks signatures with a program that the configuration names.
  return words.every((word) => !word.includes('%G') && !refused.some((name) => isLongOption(word, name)));
}

/** Programs that neither write files nor start programs, whatever their options. From Codex's earlier list. */
const anyWords = wordSet(
  `cat cd cut echo expr false grep head id ls nl paste pwd rev seq stat tail tr true uname wc which whoami numfmt
  tac`,
);

/** Options of `rg`. */
const startingOptions = ['pre', 'hostname-bin', 'search-zip'];

/** Programs with options that write or start something. Each checks all its words. */
const someWords: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  base64: (words) => words.every((word) => !/^-[^-]*o/.test(word) && !isLongOption(word, 'output')),
  command: ([option = '']) => /^-[vV]$/.test(option),
  find: (words) => words.every((word) => !/^-(?:exec|ok|delete|fls|fprint)/.test(word)),
  git: isReadOnlyGit,
  rg: (words) =>
    words.every((word) => !/^-[^-]*z/.test(word) && !startingOptions.some((name) => isLongOption(word, name))),
  sed: ([quiet, script = '', ...files]) =>
    quiet === '-n' && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(script) && files.every((file) => !/^-./.test(file)),
  uniq: (words) => operandsOf(words, 'fsw') <= 1,
};

/**
 * True if a command is known to change nothing. It must have its bare name, because a path may be any program.
 * `isOpen`: the command gets more words when it runs.
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
    // `+N` is an option in the oldest form of `uniq` and a file name in others, so it counts as a file.
    if (!/^-./.test(word)) count += 1;
    else if (/^-\w$/.test(word) && valued.includes(word.charAt(1))) at += 1;
  }
  return count;
}
