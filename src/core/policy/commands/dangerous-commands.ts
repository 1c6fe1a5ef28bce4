import { hasOption, isLongOption, programName, wordSet } from './command-words.ts';

/** Options before the subcommand that take the next word. */
const valued = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--super-prefix']);
const everything = /^(?:\.\.?\/?|\*|:\/?|:\/?\*|:\(top\).*|\/|\.\/\.|\.\/\*)$/;

/** Git subcommands that discard work that git itself cannot restore, or rewrite what others have. */
const bySubcommand: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  branch: (words) => has(words, 'D') || (has(words, 'd', 'delete') && has(words, 'f', 'force')),
  checkout: (words) => has(words, 'f', 'force') || words.some((word) => everything.test(word)) || isFromCommit(words),
  clean: (words) => has(words, 'f', 'force') && !has(words, 'n', 'dry-run'),
  'filter-branch': () => true,
  'filter-repo': () => true,
  gc: (words) => words.some((word) => word.startsWith('--prune=')),
  prune: () => true,
  push: (words) =>
    has(words, 'f') ||
    has(words, 'd') ||
    words.some((word) => /^\+|^:./.test(word) || /^--(?:force|mirror|delete|prune)/.test(word)) ||
    ['force', 'mirror', 'delete', 'prune'].some((name) => words.some((word) => isLongOption(word, name))),
  reflog: (words) => words.includes('expire') || words.includes('delete'),
  reset: (words) => words.some((word) => isLongOption(word, 'hard')),
  restore: (words) =>
    words.some((word) => everything.test(word)) && (!has(words, 'S', 'staged') || has(words, 'W', 'worktree')),
  rm: (words) => has(words, 'f', 'force'),
  stash: (words) => words.includes('drop') || words.includes('clear'),
  switch: (words) => has(words, 'f', 'force') || words.some((word) => isLongOption(word, 'discard-changes')),
  'update-ref': (words) => has(words, 'd'),
  worktree: (words) => words.includes('remove') && has(words, 'f', 'force'),
};

export const dangerousSubcommands: readonly string[] = Object.keys(bySubcommand);

/** The words after `git`. */
function isDangerousGit(words: readonly string[]): boolean {
  const aliases = new Map<string, string>();
  let isForced = false;
  let at = 0;
  for (; at < words.length && words[at]?.startsWith('-'); at += 1) {
    const word = words[at] ?? '';
    if (!valued.has(word)) continue;
    at += 1;
    const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(word === '-c' ? (words[at] ?? '') : '') ?? [];
    if (/^alias\./i.test(key)) aliases.set(key.slice('alias.'.length), value.trim());
    isForced ||= /^clean\.requireforce$/i.test(key) && /^(?:false|no|off|0|)$/i.test(value);
  }
  const name = words[at] ?? '';
  const alias = aliases.get(name);
  // An alias that runs a shell counts as dangerous. Others are checked as if written out.
  if (alias?.startsWith('!')) return true;
  const [subcommand = '', ...rest] = [...(alias?.split(/\s+/) ?? [name]), ...words.slice(at + 1)];
  if (subcommand === 'clean' && isForced && !has(rest, 'n', 'dry-run')) return true;
  return Object.hasOwn(bySubcommand, subcommand) && bySubcommand[subcommand]?.(rest) === true;
}

/** True if `git checkout` takes files from a commit: they overwrite local and staged ones. A new branch takes none. */
function isFromCommit(words: readonly string[]): boolean {
  if (has(words, 'b', 'orphan') || has(words, 'B') || has(words, 't', 'track')) return false;
  const operands = words.filter((word) => word === '--' || !word.startsWith('-'));
  return operands[0] !== '--' && operands.filter((word) => word !== '--').length > 1;
}

/** In git, a cluster of options consists of letters only. */
const has = (words: readonly string[], letter: string, name?: string): boolean =>
  hasOption(words, letter, name, /^-[A-Za-z]+$/);
export type DangerKind = 'forced-removal' | 'destructive';

const always = wordSet(
  `shred srm wipefs blkdiscard mke2fs mkswap shutdown reboot halt poweroff killall5 sfdisk sgdisk fdisk parted
  lvremove vgremove pvremove`,
);

const devices = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md\d|loop\d|mem$|kmem$|port$)/;
/** True if writing to it destroys more than a file. */
export const isDevice = (path: string): boolean => devices.test(path) || path === '/proc/sysrq-trigger';
const isRecursive = (words: readonly string[]): boolean => hasOption(words, 'R', 'recursive');
const writesDevice = (words: readonly string[]): boolean => words.some(isDevice);

const byWords: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  chgrp: isRecursive,
  chmod: isRecursive,
  chown: isRecursive,
  cp: writesDevice,
  crontab: (words) => hasOption(words, 'r', 'remove'),
  cryptsetup: (words) => words.includes('luksFormat') || words.includes('erase'),
  dd: (words) => words.some((word) => word.startsWith('of=') && !/^of=\/dev\/(?:null|stdout|stderr|tty)$/.test(word)),
  diskutil: (words) => words.some((word) => /^(?:erase|partition|zero|random|secureErase)/i.test(word)),
  find: (words) => words.includes('-delete'),
  // Gives a dangerous program another name; the words that it will get are unknown here.
  hash: (words) => hasOption(words, 'p', 'p') && words.some((word) => dangerousNames.has(programName(word))),
  git: isDangerousGit,
  init: (words) => /^[06]$/.test(words[0] ?? ''),
  install: writesDevice,
  // `-1` as a target means every process; as the first word it is signal 1.
  kill: (words) => words.indexOf('-1', 1) > 0,
  mv: (words) => writesDevice(words) || words.at(-1) === '/dev/null',
  rsync: (words) => writesDevice(words) || words.some((word) => /^--(?:del|remove-source)/.test(word)),
  systemctl: (words) => words.some((word) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(word)),
  tee: writesDevice,
  telinit: (words) => /^[06]$/.test(words[0] ?? ''),
  truncate: (words) => words.some((word, at) => shrinks(word, words[at + 1])),
  zfs: (words) => words.includes('destroy') || words.includes('rollback'),
  zpool: (words) => words.includes('destroy'),
};

/** Names that `dangerOfWords` looks for. `mkfs` and `newfs` names have suffixes. */
export const dangerousNames: ReadonlySet<string> = always
  .union(wordSet('rm cmd powershell pwsh'))
  .union(new Set(Object.keys(byWords)));

export function dangerOfWords([program, ...words]: readonly string[]): DangerKind | undefined {
  if (program === undefined) return undefined;
  const name = programName(program);
  if (name === 'rm') return hasOption(words, 'f', 'force') ? 'forced-removal' : undefined;
  if (always.has(name) || /^(?:mkfs|newfs)(?:[._].*)?$/.test(name)) return 'destructive';
  if (Object.hasOwn(byWords, name)) return byWords[name]?.(words) === true ? 'destructive' : undefined;
  return windowsDanger(name, words);
}

/** True unless the size is given as an increase. */
function shrinks(word: string, next: string | undefined): boolean {
  const [, inline] = /^(?:--?s(?:i|iz|ize)?=?|-[a-z]*s)(.*)$/.exec(word) ?? [];
  if (inline === undefined) return false;
  const size = inline === '' ? next : inline;
  return size === undefined || !/^[+>]/.test(size);
}

const address = /^["']?https?:\/\//i;
const openers = wordSet(
  'start-process saps invoke-item ii start explorer mshta rundll32 chrome msedge firefox iexplore',
);
const removers = wordSet('remove-item ri rm del erase rd rmdir');

/** For Windows shells, which no grammar here reads: their words are checked statement by statement. */
function windowsDanger(name: string, rest: readonly string[]): DangerKind | undefined {
  if (name === 'cmd') {
    const at = rest.findIndex((word) => /^\/[ck]/i.test(word));
    return at < 0 ? undefined : firstDanger(rest.slice(at + 1), /&&|\|\||[&|\n]/, dangerOfCmd);
  }
  if (name !== 'powershell' && name !== 'pwsh') return undefined;
  const at = rest.findIndex((word) => /^[-/]c(?:o|om|omm|omma|omman|ommand)?$/i.test(word));
  return firstDanger(at < 0 ? rest : rest.slice(at + 1), /[;|&\n{}()]/, dangerOfPowerShell);
}

function firstDanger(words: readonly string[], separator: RegExp, dangerOf: typeof dangerOfCmd) {
  const statements = words.join(' ').split(separator);
  const found = statements.map((statement) => dangerOf(statement.trim().split(/\s+/)));
  return found.find((kind) => kind !== undefined);
}

function dangerOfCmd([command = '', ...rest]: readonly string[]): DangerKind | undefined {
  const name = programName(command.replace(/^"|"$/g, ''));
  const has = (letter: string): boolean => rest.some((word) => word.toLowerCase().includes(`/${letter}`));
  if ((name === 'del' || name === 'erase') && has('f')) return 'forced-removal';
  return (name === 'rd' || name === 'rmdir') && has('s') && has('q') ? 'forced-removal' : opensAddress(name, rest);
}

function dangerOfPowerShell([command = '', ...rest]: readonly string[]): DangerKind | undefined {
  const name = programName(command.replace(/^["']|["']$/g, ''));
  // Any abbreviation that no other option shares: `-fo` and longer.
  if (removers.has(name) && rest.some((word) => /^-fo(?:r|rc|rce)?(?::\$true)?$/i.test(word))) return 'forced-removal';
  return opensAddress(name, rest);
}

const opensAddress = (name: string, rest: readonly string[]): DangerKind | undefined =>
  openers.has(name) && rest.some((word) => address.test(word)) ? 'destructive' : undefined;
