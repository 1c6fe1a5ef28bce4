import { dangerousSubcommands } from './dangerous-git.ts';
import { dangerousNames } from './dangerous-words.ts';
import { maximumWrappers } from './evaluate.ts';
import { isShell } from './shell-call.ts';
import { wrapperNames } from './wrappers.ts';

const device = /\/dev\/|\/proc\//;
/** Programs that are dangerous only together with one of these words. */
const companions: Readonly<Record<string, RegExp>> = {
  cp: device,
  find: /-delete/,
  git: new RegExp(`\\b(?:${dangerousSubcommands.join('|')})\\b|alias`, 'i'),
  hash: /-\w*p/,
  install: device,
  kill: /-1/,
  mv: device,
  rsync: /\/dev\/|\/proc\/|--del|--remove-source/,
  tee: device,
};

/**
 * Without a parser, in microseconds: whether `analyseCommand` could find danger in it. Quotes and escapes are ignored
 * rather than read, at whatever depth they stand.
 */
export function mayBeDangerous(argv: readonly string[]): boolean {
  const all = argv.join(' ');
  // What is long may be more than can be looked at. It is worth the parser's time.
  if (all.length > 4_000) return true;
  // Letters may be written as numbers.
  if (/\$['"]/.test(all)) return true;
  const text = all.replaceAll(/['"]/g, '');
  if (!text.includes('\\')) return hasDangerousWord(text);
  // A line may go on in the next one in the middle of a name.
  if (text.includes('\\\n')) return true;
  return hasDangerousWord(text.replaceAll('\\', '')) || hasDangerousWord(text.replaceAll('\\', ' '));
}

function hasDangerousWord(text: string): boolean {
  // Redirections to devices, and functions that may start themselves.
  if (/>[&|>]*\s*\/(?:dev\/(?!null|std|tty|fd)|proc\/sysrq)|\(\s*\)|\bfunction\b/.test(text)) return true;
  // `env -Srm` has the first word of its script in an option.
  if (/env\b[^]*\s-\w*S\w/.test(text)) return true;
  let wrappers = 0;
  for (const [word] of text.matchAll(/[\w.-]+/g)) {
    const name = word.toLowerCase().replace(/\.\w+$/, '');
    if (dangerousNames.has(name) && (companions[name]?.test(text) ?? true)) return true;
    if (/^(?:mkfs|newfs)/.test(name)) return true;
    if (wrapperNames.has(name) || isShell(name)) wrappers += 1;
  }
  return wrappers > maximumWrappers;
}
