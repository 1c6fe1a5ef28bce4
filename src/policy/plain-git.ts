import { isWithin, namesOf, normalisePath } from './paths.ts';
import { isLongOption } from './commands/long-option.ts';
import { programName } from './commands/program-name.ts';
import { gitLetters } from './git-letters.ts';
import { isCommitOfIndex } from './commit-of-index.ts';

/** Options that name a program to run, a file to write, or settings to obey, or lead into other repositories. */
const naming =
  'upload-pack receive-pack exec output output-directory open-files-in-pager extcmd template config smtp-server sendmail-cmd to-cmd cc-cmd separate-git-dir unsafe-paths recurse-submodules strategy'.split(
    ' ',
  );

/** The same by a letter, of some subcommands. */
const namingLetters: Readonly<Record<string, RegExp>> = {
  grep: /O/,
  'ls-remote': /u/,
  merge: /s/,
  pull: /s/,
  rebase: /[xs]/,
};

/**
 * Subcommands that run no program but hooks and what settings name, write no settings, and enter a submodule only by
 * starting git anew. Of all others, aliases among them, that is not known.
 */
const plainSubcommands = new Set(
  'add am apply blame branch cat-file checkout cherry cherry-pick clean commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref fsck gc grep log ls-files ls-remote ls-tree merge merge-base mv name-rev pull push range-diff rebase reflog reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref stash status switch tag var version whatchanged'.split(
    ' ',
  ),
);

/**
 * Whether a git command works in the repository of its folder alone: no word of it leads to another one, or names a
 * program, a file to write or a setting. What the settings of that repository name is not looked at here.
 */
export function isPlainGit([program = '', ...words]: readonly string[], folder: string): boolean {
  if (programName(program) !== 'git') return false;
  // An option before it would hide the subcommand from rules about it.
  const [subcommand = '', ...rest] = words;
  if (!plainSubcommands.has(subcommand)) return false;
  // What a branch follows, the user's own git goes to later.
  if (/^(?:fetch|pull)$/.test(subcommand) && rest.some((word) => isLongOption(word, 'set-upstream'))) return false;
  // It takes the git folder of a submodule into that of the repository, whatever stands there.
  if (subcommand === 'rm' && !rest.includes('--cached')) return false;
  const letters = Object.hasOwn(namingLetters, subcommand) ? namingLetters[subcommand] : undefined;
  return rest.every((word) => {
    const { flags, option = '', value = '' } = gitLetters(subcommand, word);
    if (letters?.test(flags + option) === true || naming.some((name) => isLongOption(word, name))) return false;
    return !leadsOut(word, folder) && !leadsOut(value, folder);
  });
}

/**
 * Subcommands that read and write no file of the checkout. All others look at a folder once and then go into it: what a
 * command puts in its place meanwhile leads them elsewhere, to write there, or to read what is denied.
 */
const withoutCheckout = new Set(
  'branch cat-file cherry commit count-objects describe fetch for-each-ref fsck gc log ls-remote ls-tree merge-base name-rev push range-diff reflog rev-list rev-parse shortlog show show-branch show-ref tag var version whatchanged'.split(
    ' ',
  ),
);

/** Whether a git command goes through the files of the checkout, or reads one that it is given. */
export function entersCheckout([, subcommand = '', ...rest]: readonly string[]): boolean {
  if (!withoutCheckout.has(subcommand)) return true;
  if (subcommand === 'commit') return !isCommitOfIndex(rest);
  return rest.some((word, index) => {
    const { option, value = rest[index + 1] } = gitLetters(subcommand, word);
    switch (subcommand) {
      case 'describe':
        return isLongOption(word, 'dirty') || isLongOption(word, 'broken');
      case 'tag':
        return (option === 'F' && value !== '-') || isLongOption(word, 'file');
      default:
        // The order of files, and what submodules hold: both are read where the checkout has them.
        return option === 'O' || isLongOption(word, 'submodule');
    }
  });
}

/** A push into another repository runs its hooks. Names in a script of git's own (`ext::`) run programs. */
function leadsOut(word: string, folder: string): boolean {
  const place = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  if (/^(?:~|file:|[\w-]+::)/i.test(place)) return true;
  if (place.startsWith('/')) return !isWithin(normalisePath(place) ?? '/', folder);
  return namesOf(place).some((name) => name === '..' || name.toLowerCase() === '.git');
}
