import { isLongOption, programName, wordSet } from '../commands/command-words.ts';
import type { CommandAnalysis } from '../commands/analyse-command.ts';
import type { DecisionContext } from '../decide/call-decision.ts';
import type { TamperState } from '../environment/tamper-state.ts';
import { isWithin, normalisePath, pathNames } from '../paths/absolute-paths.ts';
import { quotedPath } from '../paths/walk-path.ts';

type GitContext = Pick<DecisionContext, 'ground' | 'analysis'>;

/** A further effect of approving git outside the sandbox. Undefined: no command can have written what git reaches. */
export function describeGitDanger(context: GitContext): string | undefined {
  const { ground, analysis } = context;
  if (!startsGit(analysis) || isSafeGit(context, analysis?.commands?.filter(isGit))) return undefined;
  const place = ground?.openSetting;
  const from = place === undefined ? 'there' : `from ${quotedPath(place)}`;
  return `Git could run programs ${from} that commands may have written.`;
}

/** True if they run no program from a repository that commands can have written. Anything unknown is not safe. */
export function isSafeGit({ ground, analysis }: GitContext, commands: CommandAnalysis['commands']): boolean {
  if (ground?.repository !== 'protected' || ground.folder === undefined || changesWorkingFolder(analysis)) return false;
  // A program that starts git may remove the variables that tie it to its repository.
  if (analysis?.isIndirect === true) return false;
  const { folder, hasCompany } = ground;
  const stays = (words: readonly string[]) =>
    staysInRepository(words, folder) && !(hasCompany && entersCheckout(words));
  return commands?.every(stays) === true;
}

/** Why git cannot leave the sandbox there, whatever its words, and what the user can do. Undefined if it may. */
export function reasonGitStaysInside(
  { openSetting, openVariable, hasCompany, repository, settled }: TamperState,
  commands: readonly (readonly string[])[],
): { readonly why: string; readonly next: string } | undefined {
  if (openSetting !== undefined) {
    const why = `git could run programs from ${quotedPath(openSetting)}, which commands may have written`;
    const next =
      'Remove that file or folder if you do not need it, or use `--approvals ask` and answer each time. Before you run git here yourself, check what it contains.';
    return { why, next };
  }
  if (openVariable !== undefined) {
    const why = `the variable ${openVariable} has programs load code from where commands can write`;
    return { why, next: 'Start Capstan without that variable, or use `--approvals ask` and answer each time.' };
  }
  if (!commands.every(([program = '']) => settled.has(program))) {
    const why = 'commands can write a folder of the PATH that stands before that of git';
    return { why, next: 'Start Capstan with a PATH in which that folder comes later.' };
  }
  if (repository === 'other') {
    const why = 'the command does not run in the repository of the workspace';
    return { why, next: 'Start Capstan in the top folder of the repository.' };
  }
  if (repository === 'protected') {
    if (hasCompany === undefined || !commands.some(entersCheckout)) return undefined;
    const why = 'it goes through the files here, and a command that still runs could lead it elsewhere meanwhile';
    return { why, next: 'End that command first, or use `--approvals ask` and answer each time.' };
  }
  return {
    why: 'git cannot be kept to the repository of the workspace',
    next: 'That is so where the repository is in a folder for temporary files, the command runs below its top folder, git trusts every folder (`safe.directory = *`), or git is older than 2.38.',
  };
}

export const isGit = ([program = '']: readonly string[]): boolean => /^git(?:-|$)/.test(programName(program));

/** True if a command of the script changes the folder for later ones. */
export const changesWorkingFolder = (analysis: DecisionContext['analysis']): boolean =>
  (analysis?.seen ?? []).some(([name = '']) => /^(?:cd|pushd|popd)$/.test(name));
export const startsGit = (analysis: DecisionContext['analysis']): boolean =>
  [...(analysis?.commands ?? []), ...(analysis?.seen ?? [])].some(isGit);

/** Options that name a program to run, a file to write or settings to use, or lead into other repositories. */
const naming = [
  ...wordSet(`upload-pack receive-pack exec output output-directory open-files-in-pager extcmd template config smtp-server
  sendmail-cmd to-cmd cc-cmd separate-git-dir unsafe-paths recurse-submodules strategy`),
];

const namingLetters: Readonly<Record<string, RegExp>> = {
  grep: /O/,
  'ls-remote': /u/,
  merge: /s/,
  pull: /s/,
  rebase: /[xs]/,
};

/**
 * Subcommands that run only hooks and programs named by settings, write no settings, and enter a submodule only by
 * starting git anew. For all others, including aliases, this is unknown.
 */
const plainSubcommands = wordSet(
  `add am apply blame branch cat-file checkout cherry cherry-pick clean commit count-objects describe diff diff-files
  diff-index diff-tree fetch for-each-ref fsck gc grep log ls-files ls-remote ls-tree merge merge-base mv name-rev pull
  push range-diff rebase reflog reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref stash
  status switch tag var version whatchanged`,
);

/**
 * True if a git command works only in its folder's repository: none of its words leads to another one, or names a
 * program, a file to write or a setting. The settings of that repository are not examined here.
 */
export function staysInRepository([program = '', ...words]: readonly string[], folder: string): boolean {
  if (programName(program) !== 'git') return false;
  // An option before the subcommand would hide it from rules about it.
  const [subcommand = '', ...rest] = words;
  if (!plainSubcommands.has(subcommand)) return false;
  // It would change the branch's upstream, to which the user's own git connects later.
  if (/^(?:fetch|pull)$/.test(subcommand) && rest.some((word) => isLongOption(word, 'set-upstream'))) return false;
  // It moves a submodule's git folder, whatever that contains, into the repository's.
  if (subcommand === 'rm' && !rest.includes('--cached')) return false;
  const letters = Object.hasOwn(namingLetters, subcommand) ? namingLetters[subcommand] : undefined;
  return rest.every((word) => {
    const { flags, option = '', value = '' } = parseShortOptions(subcommand, word);
    if (letters?.test(flags + option) === true || naming.some((name) => isLongOption(word, name))) return false;
    return !leadsOut(word, folder) && !leadsOut(value, folder);
  });
}

/**
 * Subcommands that read and write no file of the checkout. Others check a folder once and then enter it: a replacement
 * made meanwhile leads them elsewhere, to write there or to read denied files.
 */
const withoutCheckout = wordSet(
  `branch cat-file cherry commit count-objects describe fetch for-each-ref fsck gc log ls-remote ls-tree merge-base
  name-rev push range-diff reflog rev-list rev-parse shortlog show show-branch show-ref tag var version whatchanged`,
);

/** True if a git command walks the checkout's files, or reads one that it is given. */
export function entersCheckout([, subcommand = '', ...rest]: readonly string[]): boolean {
  if (!withoutCheckout.has(subcommand)) return true;
  if (subcommand === 'commit') return !isIndexCommit(rest);
  return rest.some((word, index) => {
    const { option, value = rest[index + 1] } = parseShortOptions(subcommand, word);
    if (subcommand === 'describe') return isLongOption(word, 'dirty') || isLongOption(word, 'broken');
    if (subcommand === 'tag') return (option === 'F' && value !== '-') || isLongOption(word, 'file');
    // The order file and submodule contents are both read from the checkout.
    return option === 'O' || isLongOption(word, 'submodule');
  });
}

/** A push into another repository runs its hooks. `ext::` addresses run programs. */
function leadsOut(word: string, folder: string): boolean {
  const place = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
  if (/^(?:~|file:|[\w-]+::)/i.test(place)) return true;
  if (place.startsWith('/')) return !isWithin(normalisePath(place) ?? '/', folder);
  return pathNames(place).some((name) => name === '..' || name.toLowerCase() === '.git');
}

/** `attached`: options that take the rest of the word as their value, never the next word. */
type ValuedLetters = { readonly needed: string; readonly attached?: string };

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
/** `value` absent: the next word is the value. */
type ShortOptions = { readonly flags: string; readonly option?: string; readonly value?: string };

/** Letters as git reads them: flags, then perhaps an option whose value is the rest. Unknown letters are flags. */
function parseShortOptions(subcommand: string, word: string): ShortOptions {
  if (!/^-[^-]/.test(word)) return { flags: '' };
  const own = Object.hasOwn(valued, subcommand) ? valued[subcommand] : undefined;
  const { needed, attached = '' } = own ?? { needed: differing.test(subcommand) ? 'OSGUlIn' : '' };
  const letters = Array.from(word.slice(1));
  const at = letters.findIndex((letter) => needed.includes(letter) || attached.includes(letter));
  if (at === -1) return { flags: letters.join('') };
  const [option = '', ...rest] = letters.slice(at);
  const isNext = rest.length === 0 && needed.includes(option);
  return { flags: letters.slice(0, at).join(''), option, value: isNext ? undefined : rest.join('') };
}

/** Options of `git commit` without a value that make it read no file of the checkout. */
const alone = wordSet(
  `amend no-edit allow-empty allow-empty-message no-verify verify signoff no-signoff quiet gpg-sign no-gpg-sign
  reset-author no-post-rewrite no-status`,
);

/** Options like those in `alone`, but with a value. */
const withValue = wordSet('message reuse-message author date cleanup trailer fixup squash file');
/** Options with which git opens no editor. For an editor, git would read the checkout, as `git status` does. */
const givingWords = wordSet('message reuse-message fixup file no-edit');
const longNames: Readonly<Record<string, string>> = { m: 'message', C: 'reuse-message', F: 'file' };

/** True if the words after `git commit` read no file of the checkout: index and message are given. Else unknown. */
function isIndexCommit(words: readonly string[]): boolean {
  let hasMessage = false;
  for (let index = 0; index < words.length; index++) {
    const option = readOption(words[index] ?? '');
    if (option === undefined) return false;
    const { name, value = withValue.has(name) ? words[++index] : undefined } = option;
    // Only standard input is no file. Some forms of a fixup open an editor.
    if (name === 'file' && value !== '-') return false;
    if (name === 'fixup' && value?.includes(':') !== false) return false;
    hasMessage ||= givingWords.has(name);
  }
  return hasMessage;
}

/** The option's name, if it matters, and its value in this word. Undefined: a path, or it may make git read files. */
function readOption(word: string): { readonly name: string; readonly value?: string } | undefined {
  if (word.startsWith('--')) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    return withValue.has(name) || alone.has(name) ? { name, value } : undefined;
  }
  const { flags, option, value } = parseShortOptions('commit', word);
  if (!/^[qnsv]*$/.test(flags) || flags + (option ?? '') === '') return undefined;
  if (option === undefined || option === 'S' || option === 'u') return { name: '' };
  const name = longNames[option];
  return name === undefined ? undefined : { name, value };
}
