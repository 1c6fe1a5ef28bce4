/** A word of a command. Undefined: known only at run time. */
export type MaybeKnownWord = string | undefined;
export type CommandWords = readonly MaybeKnownWord[];
export type Shell = 'bash' | 'sh' | 'zsh' | 'other';

export interface ShellCall {
  readonly shell: Shell;
  readonly program: string;
  /** Undefined: known only at run time. */
  readonly script: MaybeKnownWord;
  /** The script's `$0`, `$1` and so on. */
  readonly parameters: CommandWords;
  /** Its options only run the script, perhaps as a login shell; none changes what the script means. */
  readonly isOrdinary: boolean;
}

/** The words of a text. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
const grammars: Readonly<Record<string, Shell>> = { bash: 'bash', sh: 'sh', zsh: 'zsh' };
const otherShells = wordSet('dash ksh mksh lksh oksh posh ash fish rbash yash csh tcsh nu elvish xonsh');
const valued = new Set(['--rcfile', '--init-file']);

export function isShell(word: string): boolean {
  const name = programName(word);
  return Object.hasOwn(grammars, name) || otherShells.has(name);
}

/** Undefined: not a shell, or one that reads its script from a file or its input. */
export function shellCall([program, ...rest]: CommandWords): ShellCall | undefined {
  if (program === undefined || !isShell(program)) return undefined;
  let isOrdinary = true;
  let hasScript = false;
  let at = 0;
  for (; at < rest.length; at += 1) {
    const word = rest[at];
    if (word === '--' || word === '-') {
      isOrdinary = false;
      at += 1;
      break;
    }
    if (word === undefined || !/^[-+]/.test(word)) break;
    if (/^--?command$/.test(word)) hasScript = true;
    else if (word.startsWith('--')) {
      isOrdinary &&= word === '--login';
      if (valued.has(word)) at += 1;
    } else {
      hasScript ||= word.startsWith('-') && word.includes('c');
      isOrdinary &&= /^-[lc]+$/.test(word);
      if (/[oO]/.test(word)) at += 1;
    }
  }
  if (!hasScript || at >= rest.length) return undefined;
  const shell = grammars[programName(program)] ?? 'other';
  return { shell, program, script: rest[at], parameters: rest.slice(at + 1), isOrdinary };
}

/** A system shell, or the configured one: not a file of the same name in the workspace. */
export function isFamiliarShell(program: string, configured: string | undefined): boolean {
  if (program === configured) return true;
  const name = programName(program);
  return [name, `/bin/${name}`, `/usr/bin/${name}`].includes(program);
}

const inputFile = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/[^/]+\/fd\/\d+)$/;

/** The shell's input may be its script: an unknown file can be another command's output, as in `bash <(echo ls)`. */
export function readsScriptFromInput([program, ...rest]: CommandWords): boolean {
  if (program === undefined) return false;
  const isSourced = program === 'source' || program === '.';
  if (!isSourced && !isShell(program)) return false;
  const at = rest.findIndex((word) => word === undefined || !/^[-+]./.test(word));
  const options = at < 0 ? rest : rest.slice(0, at);
  if (options.some((word) => /^-\w*c/.test(word ?? ''))) return false;
  if (at < 0) return !isSourced;
  const script = rest[at];
  return script === undefined || inputFile.test(script) || options.some((word) => /^-\w*s/.test(word ?? ''));
}

/** A program's name without its folder and its Windows extension. */
export function programName(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, '');
}

/** True if the option occurs before `--`: by letter, alone or in a cluster, or by name, whole or abbreviated. */
export function hasOption(words: readonly string[], letter: string, name?: string, cluster = /^-[^-]/): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some(
    (word) => (cluster.test(word) && word.includes(letter)) || (name !== undefined && isLongOption(word, name)),
  );
}

/** Matches the option, its abbreviations, and either with a value attached, as programs do. */
export function isLongOption(word: string, name: string): boolean {
  const [given = ''] = word.split('=', 1);
  return given.length > 2 && given.startsWith('--') && name.startsWith(given.slice(2));
}
