import { isWithin, namesOf, normalisePath } from './paths.ts';
import { isLongOption } from './commands/long-option.ts';
import { programName } from './commands/program-name.ts';

/** Options before the subcommand that lead to no other repository and no other settings. */
const plainOptions = new Set(['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--version']);

/** Options that name a program to run, a file to write, or settings to obey. */
const naming =
  'upload-pack receive-pack exec output output-directory open-files-in-pager extcmd template config smtp-server sendmail-cmd to-cmd cc-cmd separate-git-dir unsafe-paths'.split(
    ' ',
  );

/** The same by a letter, of some subcommands. */
const namingLetters: Readonly<Record<string, RegExp>> = {
  archive: /o/,
  clone: /[uc]/,
  difftool: /x/,
  'format-patch': /o/,
  grep: /O/,
  'ls-remote': /u/,
  rebase: /x/,
};

/** Subcommands that run programs which their words name, or work in other repositories. */
const runsPrograms = new Set(
  'bisect submodule filter-branch for-each-repo difftool mergetool send-email instaweb web--browse hook daemon shell'.split(
    ' ',
  ),
);

/**
 * Whether a git command works in the repository of its folder alone: no word of it leads to another one, or names a
 * program, a file to write or a setting. What the settings of that repository name is not looked at here.
 */
export function isPlainGit([program = '', ...words]: readonly string[], folder: string): boolean {
  if (programName(program) !== 'git') return false;
  const at = words.findIndex((word) => !plainOptions.has(word));
  const [subcommand = '', ...rest] = at < 0 ? [] : words.slice(at);
  if (subcommand.startsWith('-') || runsPrograms.has(subcommand)) return false;
  const letters = Object.hasOwn(namingLetters, subcommand) ? namingLetters[subcommand] : undefined;
  return rest.every((word) => {
    const isLetter = letters !== undefined && /^-[A-Za-z]/.test(word) && letters.test(word);
    return !isLetter && !naming.some((name) => isLongOption(word, name)) && !leadsOut(word, folder);
  });
}

/** A push into another repository runs its hooks. Names in a script of git's own (`ext::`) run programs. */
function leadsOut(word: string, folder: string): boolean {
  const place = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  if (/^(?:~|file:|[\w-]+::)/i.test(place)) return true;
  if (place.startsWith('/')) return !isWithin(normalisePath(place) ?? '/', folder);
  return namesOf(place).includes('..');
}
