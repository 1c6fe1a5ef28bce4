import { isDangerousGit } from './dangerous-git.ts';
import { isLongOption } from './long-option.ts';
import { windowsDanger } from './dangerous-windows.ts';
import { programName } from './program-name.ts';

export type DangerKind = 'forced-removal' | 'destructive';

/** Programs that destroy by their nature. */
const always = new Set(
  (
    'shred srm wipefs blkdiscard mke2fs mkswap shutdown reboot halt poweroff killall5 sfdisk sgdisk fdisk parted ' +
    'lvremove vgremove pvremove'
  ).split(' '),
);

const devices = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|md\d|loop\d|mem$|kmem$|port$)/;

/** Programs that destroy with some words. Each gets the words behind its name. */
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
  // Another name for a program that can destroy: which words it gets then is not known here.
  hash: (words) => hasOption(words, 'p', 'p') && words.some((word) => dangerousNames.has(programName(word))),
  git: isDangerousGit,
  init: (words) => /^[06]$/.test(words[0] ?? ''),
  install: writesDevice,
  kill: killsAll,
  mv: (words) => writesDevice(words) || words.at(-1) === '/dev/null',
  rsync: (words) => writesDevice(words) || words.some((word) => /^--(?:del|remove-source)/.test(word)),
  systemctl: (words) => words.some((word) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(word)),
  tee: writesDevice,
  telinit: (words) => /^[06]$/.test(words[0] ?? ''),
  truncate: (words) => words.some((word, at) => shrinks(word, words[at + 1])),
  zfs: (words) => words.includes('destroy') || words.includes('rollback'),
  zpool: (words) => words.includes('destroy'),
};

/** Every name that can be dangerous, as `dangerOfWords` looks for it. Those of `mkfs` and `newfs` have endings. */
export const dangerousNames: ReadonlySet<string> = new Set([
  ...always,
  ...Object.keys(byWords),
  'rm',
  'cmd',
  'powershell',
  'pwsh',
]);

/** What is known of the words of one command, wrappers removed. */
export function dangerOfWords([program, ...words]: readonly string[]): DangerKind | undefined {
  if (program === undefined) return undefined;
  const name = programName(program);
  if (name === 'rm') return hasOption(words, 'f', 'force') ? 'forced-removal' : undefined;
  if (always.has(name) || /^(?:mkfs|newfs)(?:[._].*)?$/.test(name)) return 'destructive';
  if (Object.hasOwn(byWords, name)) return byWords[name]?.(words) === true ? 'destructive' : undefined;
  return windowsDanger([program, ...words]);
}

/** Whether writing to it destroys more than a file. */
export function isDevice(path: string): boolean {
  return devices.test(path) || path === '/proc/sysrq-trigger';
}

/** In a cluster of letters or by its long name or a beginning of it, before `--`. */
function hasOption(words: readonly string[], letter: string, name: string): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some(
    (word) => (/^-[^-]/.test(word) && word.includes(letter)) || isLongOption(word, name),
  );
}

function isRecursive(words: readonly string[]): boolean {
  return hasOption(words, 'R', 'recursive');
}

function writesDevice(words: readonly string[]): boolean {
  return words.some(isDevice);
}

/** `-1` as a target is every process; as the first word it is the signal 1. */
function killsAll(words: readonly string[]): boolean {
  return words.some((word, at) => word === '-1' && at > 0);
}

/** To a size that is not given as more than the present one. */
function shrinks(word: string, next: string | undefined): boolean {
  const [, inline] = /^(?:--?s(?:i|iz|ize)?=?|-[a-z]*s)(.*)$/.exec(word) ?? [];
  if (inline === undefined) return false;
  const size = inline === '' ? next : inline;
  return size === undefined || !/^[+>]/.test(size);
}
