import { isWithin, namesOf, normalisePath } from './paths.ts';
import { isLongOption } from './commands/long-option.ts';
import { programName } from './commands/program-name.ts';
import { type GitCommand, needsOfSubcommand } from './git-needs.ts';

/** Options before the subcommand that lead to no other repository and no other settings. */
const plainOptions = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--version']);

/** Options that name a program to run, or lead into other repositories. What git reads and writes, the sandbox holds. */
const naming = ['upload-pack', 'receive-pack', 'exec', 'open-files-in-pager', 'recurse-submodules'];

/** The same by a letter, of some subcommands. */
const namingLetters: Readonly<Record<string, RegExp>> = { grep: /O/, 'ls-remote': /u/, rebase: /x/ };

/**
 * The subcommand of a git command that works in the repository of its folder alone: no word of it leads to another one,
 * or names a program. What the settings of that repository name is not looked at here. Undefined: it is no such command.
 */
export function plainGit([program = '', ...words]: readonly string[], folder: string): GitCommand | undefined {
  if (programName(program) !== 'git') return undefined;
  const at = words.findIndex((word) => !plainOptions.has(word));
  const [subcommand = '', ...rest] = at < 0 ? [] : words.slice(at);
  const needs = needsOfSubcommand(subcommand);
  if (needs === undefined) return undefined;
  const letters = Object.hasOwn(namingLetters, subcommand) ? namingLetters[subcommand] : undefined;
  const isPlain = rest.every((word) => {
    const isLetter = letters !== undefined && /^-[A-Za-z]/.test(word) && letters.test(word);
    const names = isLetter || naming.some((name) => isLongOption(word, name));
    return !names && !(needs.network === true && leadsOut(word, folder));
  });
  return isPlain ? { subcommand, rest } : undefined;
}

/** A push into another repository runs its hooks. Names in a script of git's own (`ext::`) run programs. */
function leadsOut(word: string, folder: string): boolean {
  const place = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  if (/^(?:~|file:|[\w-]+::)/i.test(place)) return true;
  if (place.startsWith('/')) return !isWithin(normalisePath(place) ?? '/', folder);
  return namesOf(place).some((name) => name === '..' || name.toLowerCase() === '.git');
}
