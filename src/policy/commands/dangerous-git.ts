import { isLongOption } from './long-option.ts';

/** Options before the subcommand that take the next word. */
const valued = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--super-prefix']);
/** Paths that stand for all files. */
const everything = /^(?:\.\.?\/?|\*|:\/?|:\/?\*|:\(top\).*|\/|\.\/\.|\.\/\*)$/;

/** Subcommands of git that throw away work which git itself cannot bring back, or rewrite what others have. */
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

/** The words behind `git`. */
export function isDangerousGit(words: readonly string[]): boolean {
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
  // An alias that runs a shell is not guessed at. Others are looked at as if they were written out.
  if (alias?.startsWith('!')) return true;
  const [subcommand = '', ...rest] = [...(alias?.split(/\s+/) ?? [name]), ...words.slice(at + 1)];
  if (subcommand === 'clean' && isForced && !has(rest, 'n', 'dry-run')) return true;
  return Object.hasOwn(bySubcommand, subcommand) && bySubcommand[subcommand]?.(rest) === true;
}

/** Files of a commit take the place of those that are here and of what is staged. A new branch takes no files. */
function isFromCommit(words: readonly string[]): boolean {
  if (has(words, 'b', 'orphan') || has(words, 'B') || has(words, 't', 'track')) return false;
  const operands = words.filter((word) => word === '--' || !word.startsWith('-'));
  return operands[0] !== '--' && operands.filter((word) => word !== '--').length > 1;
}

/** An option by its letter, alone or in a cluster, or by its name or a beginning of it, before `--`. */
function has(words: readonly string[], letter: string, name?: string): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some(
    (word) => (/^-[A-Za-z]+$/.test(word) && word.includes(letter)) || (name !== undefined && isLongOption(word, name)),
  );
}
