/**
 * Effect of a shell builtin on its words. `plain`: takes them as text; a rule may cover it. `changes`: changes what
 * later words of the script mean; no rule covers it. `evaluates`: may execute its words, as in `printf -v 'a[$(x)]'`,
 * or a file; no rule, session answer or hook covers it.
 */
export type ShellBuiltinEffect = 'plain' | 'changes' | 'evaluates';
type Judge = (words: readonly string[]) => ShellBuiltinEffect;
/** Shells disagree about numbers: zsh evaluates `exit 'a[$(x)]'`. */
const number = /^[-+]?\d+(?:\.\d+)?$/;
const identifier = /^[A-Za-z_]\w*$/;
const option = /^[-+][A-Za-z]*$/;

function plainIf(isPlain: (words: readonly string[]) => boolean): Judge {
  return (words) => (isPlain(words) ? 'plain' : 'evaluates');
}

/** Assigns values to names. A name with a subscript is evaluated, and so are some options' values. */
const naming =
  (evaluating: RegExp, isName: (word: string) => boolean = (word) => identifier.test(word)): Judge =>
  (words) =>
    words.every((word) => (option.test(word) ? !evaluating.test(word) : isName(word))) ? 'changes' : 'evaluates';

/** The builtin evaluates numbers, and the list of an array however it is quoted. */
const assigning = naming(/[inEF]/, (word) => /^[A-Za-z_]\w*(?:\+?=(?!\().*)?$/s.test(word));
const conversion = /%(?!%|\(|[-+ #0]*\d*(?:\.\d+)?[sbcqQ])/;

/** `-v` names a variable, and zsh evaluates arguments of numeric conversions. */
const printf: Judge = plainIf(([first = '', ...rest]) => {
  const [format = '', ...values] = first === '--' ? rest : [first, ...rest];
  if (first !== '--' && /^-./.test(first)) return false;
  const conversions = format.replaceAll('%%', '');
  return (
    !/%[^A-Za-z]*[n(*]/.test(conversions) &&
    (!conversion.test(conversions) || values.every((word) => number.test(word)))
  );
});

/** `-v` and `-R` take a name; zsh evaluates operands of numeric comparisons. */
const test: Judge = plainIf((words) =>
  words.every(
    (word, at) =>
      !/^-[vR]$/.test(word) &&
      (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(word) ||
        [at - 1, at + 1].every((beside) => number.test(words[beside] ?? ''))) &&
      (word !== '-t' || /^(?:\d*|\])$/.test(words[at + 1] ?? '')),
  ),
);

const numbers: Judge = plainIf((words) => words.every((word) => number.test(word)));
const [plain, changes, evaluates]: readonly [Judge, Judge, Judge] = [() => 'plain', () => 'changes', () => 'evaluates'];
const simple: Judge = plainIf((words) => words.every((word) => /^[-\w=,+]*$/.test(word)));
const all = (names: string, judge: Judge): readonly (readonly [string, Judge])[] =>
  names.split(/\s+/).map((name) => [name, judge] as const);

/** For the words after `command`: with `-v` it only reports what a name means. */
export const isNameLookup = ([option = '']: readonly (string | undefined)[]): boolean =>
  /^-(?:p?[vV]|[vV]p)$/.test(option);

/** Builtins of bash, dash and zsh. Names that are not listed are programs. */
const table: ReadonlyMap<string, Judge> = new Map([
  ...all(': bg caller cd dirs disown echo false fg help kill popd pushd pwd times true type which', plain),
  ...all('break continue exit logout return shift suspend', numbers),
  ...all('ulimit umask', simple),
  ['printf', printf],
  ['test', test],
  ['[', test],
  ['command', plainIf((words) => isNameLookup(words) && words.slice(1).every((name) => !name.startsWith('-')))],
  ['jobs', plainIf((words) => words.every((word) => !/^-.*x/.test(word)))],
  ['wait', plainIf((words) => words.every((word) => !/^-.*p/.test(word)))],
  ...all('declare export local readonly typeset', assigning),
  ['unset', naming(/\0/)],
  ['read', naming(/[^ers-]/)],
  ...all('mapfile readarray', naming(/C/)),
  ['getopts', (words) => (identifier.test(words[1] ?? 'x') ? 'changes' : 'evaluates')],
  ['trap', ([action = '-']) => (/^-[lpP]?$/.test(action) ? 'changes' : 'evaluates')],
  // It may load a library.
  ['enable', (words) => (words.some((word) => /^-.*f/.test(word)) ? 'evaluates' : 'changes')],
  ...all('alias builtin complete compopt exec hash history set shopt unalias', changes),
  ...all('. (( [[ bind compgen coproc eval fc let source', evaluates),
  ...all('bye chdir echotc echoti getln limit log print pushln rehash sched setopt strftime ttyctl', changes),
  ...all('unfunction unhash unlimit unsetopt whence where zformat zsystem', changes),
  ...all('- autoload bindkey emulate float functions integer nocorrect noglob r vared zcompile', evaluates),
  ...all('zftp zle zmodload zparseopts zpty zregexparse zselect zsocket zstyle ztcp', evaluates),
]);

/** Undefined: no shell has such a builtin, or the word is a path. */
export const builtinEffect = ([name = '', ...words]: readonly string[]): ShellBuiltinEffect | undefined =>
  table.get(name)?.(words);

/** Words that make a builtin evaluate if it can. */
const hostileWords = ['a[$(x)]', '-v', '-p', '-x', '-f', '%n'];

/** Undefined words are known only at run time: they count as the worst possible ones. */
export function mayEvaluate(words: readonly (string | undefined)[]): boolean {
  const [name, ...rest] = words;
  const judge = name === undefined ? undefined : table.get(name);
  if (judge === undefined) return false;
  const attempts = rest.includes(undefined) ? hostileWords : [''];
  return attempts.some((attempt) => judge(rest.map((word) => word ?? attempt)) === 'evaluates');
}

export const isCoverableByRule = (words: readonly string[]): boolean => (builtinEffect(words) ?? 'plain') === 'plain';
