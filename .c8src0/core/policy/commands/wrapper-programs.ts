import { type MaybeKnownWord, programName } from './command-words.ts';
import { isNameLookup } from './shell-builtins.ts';

export interface UnwrappedCommand {
  readonly inner: readonly MaybeKnownWord[];
  /** Variables that it sets for that command, as `NAME=value`. */
  readonly variables: readonly MaybeKnownWord[];
  /** All its options are understood, so `inner` is what it starts. */
  readonly isSure: boolean;
  /**
   * `transparent`: the command works as without the wrapper. `adding`: it gets more words from elsewhere. `other`: it
   * runs as another user or leaves something behind, so the wrapper is a command of its own.
   */
  readonly effect: 'transparent' | 'adding' | 'other';
}

/** Programs that pass words to a shell. `short`: options with a value. `operands`: words before those of the script. */
const scriptTakers: Readonly<Record<string, { readonly short: string; readonly operands: number }>> = {
  flock: { short: 'wE', operands: 1 },
  parallel: { short: 'jaNnI', operands: 0 },
  runuser: { short: 'ugGs', operands: 0 },
  script: { short: 'oIOBmET', operands: 0 },
  sg: { short: '', operands: 1 },
  ssh: { short: 'BbcDEeFIiJLlmOopQRSWw', operands: 1 },
  su: { short: 'gGsw', operands: 0 },
  watch: { short: 'n', operands: 0 },
};

interface Options {
  /** Letters and names of options that take the next word. */
  readonly short?: string;
  readonly long?: string;
  /** Options without a value. Others make it unsure. */
  readonly flags?: string;
  readonly longFlags?: string;
  /** Number of words between the options and the command. */
  readonly operands?: number;
  /** `NAME=value` may precede the command. */
  readonly variables?: true;
  readonly effect?: UnwrappedCommand['effect'];
}

const table: Readonly<Record<string, Options>> = {
  command: { flags: 'p' },
  builtin: {},
  noglob: {},
  nocorrect: {},
  exec: { short: 'a', flags: 'cl' },
  time: { flags: 'p', variables: true },
  timeout: {
    short: 'ks',
    long: 'kill-after signal',
    flags: 'v',
    longFlags: 'foreground preserve-status verbose',
    operands: 1,
  },
  nice: { short: 'n', long: 'adjustment' },
  ionice: { short: 'cn', long: 'class classdata', flags: 't', longFlags: 'ignore' },
  nohup: {},
  stdbuf: { short: 'ioe', long: 'input output error' },
  setsid: { flags: 'cfw', longFlags: 'ctty fork wait' },
  env: { short: 'uCSP', long: 'unset', flags: 'i0v', longFlags: 'ignore-environment null debug', variables: true },
  sudo: {
    short: 'ACDghpRrTtUu',
    long: 'close-from chdir group host prompt chroot role type command-timeout other-user user',
    flags: 'bEHKkNnPSi',
    longFlags: 'background preserve-env set-home non-interactive preserve-groups stdin login',
    variables: true,
    effect: 'other',
  },
  doas: { short: 'Cu', flags: 'Lns', effect: 'other' },
  pkexec: { long: 'user', longFlags: 'disable-internal-agent keep-cwd', effect: 'other' },
  chroot: { long: 'groups userspec', longFlags: 'skip-chdir', operands: 1, effect: 'other' },
  xargs: {
    short: 'adEILnPs',
    long: 'arg-file delimiter eof replace max-lines max-args max-procs max-chars process-slot-var',
    flags: '0ortxpe',
    longFlags: 'null no-run-if-empty verbose exit open-tty interactive',
    effect: 'adding',
  },
  taskset: { flags: 'acp', longFlags: 'all-tasks cpu-list pid', operands: 1, effect: 'other' },
  chrt: { short: 'TPD', flags: 'abdfiormRv', operands: 1, effect: 'other' },
  setarch: { flags: 'BFILRSTXZv3', operands: 1, effect: 'other' },
  ...Object.fromEntries(
    `busybox toybox coproc linux32 linux64 i386 x86_64 fakeroot unbuffer eatmydata xvfb-run dbus-run-session prlimit
    numactl setpriv valgrind ltrace gdb rlwrap faketime firejail bwrap cpulimit chronic catchsegv cgexec capsh
    proxychains proxychains4 perf`
      .split(/\s+/)
      .map((name) => [name, { effect: 'other' } as const]),
  ),
  unshare: { short: 'SGRw', flags: 'imnpuUCTfrc', effect: 'other' },
  nsenter: { short: 'tSGN', flags: 'amuinpUCTFreZ', effect: 'other' },
  'systemd-run': {
    short: 'pEMuHd',
    long: 'unit property description slice uid gid nice working-directory setenv machine host',
    flags: 'tPqGrS',
    longFlags: 'user system scope pipe pty wait quiet collect same-dir remain-after-exit no-block shell',
    effect: 'other',
  },
  repeat: { operands: 1, effect: 'other' },
  strace: { short: 'eopsu', flags: 'fqtvT', effect: 'other' },
};

/** Options whose value changes which program is started: a folder, a search path, a script, a placeholder for input. */
const unclear: Readonly<Record<string, string>> = { env: 'CSP', xargs: 'I' };

export const wrapperNames: ReadonlySet<string> = new Set(
  Object.keys({ ...table, ...scriptTakers }).concat('find', 'trap', 'eval', 'alias', 'awk'),
);

const awkName = /^[gmn]?awk$/;
const awkText = /"((?:[^"\\]|\\[^])*)"/g;

/** Undefined if it starts no other program, or no words are left for one. */
export function unwrapCommand([program, ...rest]: readonly MaybeKnownWord[]): UnwrappedCommand | undefined {
  if (program === undefined) return undefined;
  const name = programName(program);
  const options = Object.hasOwn(table, name) ? table[name] : undefined;
  if (options === undefined || (name === 'command' && isNameLookup(rest))) return undefined;
  const { end, isSure } = skipOptions(rest, options, name);
  let at = end;
  const variables: MaybeKnownWord[] = [];
  while (options.variables && /^[A-Za-z_]\w*=/.test(rest[at] ?? '')) variables.push(rest[at++]);
  at += options.operands ?? 0;
  // `time` and `coproc` are shell keywords: assignments, `!` and groups may follow them.
  const isSpoken =
    (name === 'coproc' && rest.includes('{')) ||
    (name === 'time' && (variables.length > 0 || /^(?:[!{}]|\[\[|if|for|while|until|case)$/.test(rest[at] ?? '')));
  if (at >= rest.length && isSure && !isSpoken) return undefined;
  const effect = options.effect ?? 'transparent';
  // A path may be any program.
  return { inner: rest.slice(at), variables, isSure: isSure && !isSpoken, effect: program === name ? effect : 'other' };
}

function skipOptions(words: readonly MaybeKnownWord[], options: Options, name: string) {
  let isSure = true;
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) return { end: at, isSure: false };
    if (word === '--') return { end: at + 1, isSure };
    // `env -` is `env -i`; for others a dash is a word.
    if (word === '-' && name === 'env') continue;
    if (!word.startsWith('-') || word === '-') break;
    if (word.startsWith('--')) {
      const [long = '', value] = word.slice(2).split('=', 2);
      if (options.long?.split(' ').includes(long)) at += value === undefined ? 1 : 0;
      else isSure &&= options.longFlags?.split(' ').includes(long) ?? false;
    } else if (name === 'nice' && /^-\d+$/.test(word)) continue;
    else {
      const letters = word.slice(1).split('');
      const taking = letters.findIndex((letter) => options.short?.includes(letter));
      const flags = taking < 0 ? letters : letters.slice(0, taking);
      isSure &&= flags.every((letter) => options.flags?.includes(letter));
      if (taking === letters.length - 1 && taking >= 0) at += 1;
      isSure &&= taking < 0 || !unclear[name]?.includes(letters[taking] ?? '');
    }
    isSure &&= !word.startsWith('--replace');
  }
  return { end: at, isSure };
}

export interface TakenScript {
  readonly script: MaybeKnownWord;
  /** The program does nothing else. */
  readonly isWhole: boolean;
  readonly isOpen?: boolean;
}

/** The script in the words of a program that is not a shell but runs one. */
export function scriptArgument(words: readonly MaybeKnownWord[]): TakenScript | undefined {
  const [program, ...rest] = words;
  if (program === undefined) return undefined;
  const name = programName(program);
  const operands = rest[0] === '--' ? rest.slice(1) : rest;
  if (name === 'eval' && operands.length > 0) {
    const isKnown = operands.every((word) => word !== undefined);
    return { script: isKnown ? operands.join(' ') : undefined, isWhole: program === name };
  }
  if (name === 'trap') {
    const action = operands[0];
    const isAction = operands.length > 1 && action !== '-' && action !== '' && !/^-[lpP]$/.test(action ?? 'x');
    return isAction ? { script: action, isWhole: program === name } : undefined;
  }
  if (name === 'env') {
    const at = rest.findIndex((word) => /^-\w*S|^--split/.test(word ?? ''));
    if (at < 0) return undefined;
    const inline = /^(?:-\w*?S|--split[^=]*=?)(.*)$/s.exec(rest[at] ?? '')?.[1] ?? '';
    return { script: joined([inline, ...rest.slice(at + 1)]), isWhole: false };
  }
  if (name === 'alias') {
    const values = operands.map((word) => /^[^=]+=(.*)$/s.exec(word ?? '')?.[1]).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : { script: values.join('\n'), isWhole: false };
  }
  if (awkName.test(name)) {
    const program = joined(rest);
    if (!/\bsystem\s*\(|\|/.test(program)) return undefined;
    return { script: Array.from(program.matchAll(awkText), ([, text = '']) => text).join('\n'), isWhole: false };
  }
  const taker = Object.hasOwn(scriptTakers, name) ? scriptTakers[name] : undefined;
  if (taker === undefined) return undefined;
  const option = rest.findIndex((word) => /^-[a-z]*c$|^--command$/.test(word ?? ''));
  if (option >= 0 && name !== 'ssh') return { script: rest[option + 1], isWhole: false };
  const { end } = skipOptions(rest, taker, name);
  return { script: joined(rest.slice(end + taker.operands)), isWhole: false, isOpen: name === 'parallel' };
}

const joined = (words: readonly MaybeKnownWord[]): string => words.filter((word) => word !== undefined).join(' ');

/** The commands that `find` starts, each with `{}` in it. */
export function commandsStartedByFind(words: readonly MaybeKnownWord[]): readonly (readonly MaybeKnownWord[])[] {
  const found: (readonly MaybeKnownWord[])[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at] ?? '')) continue;
    let end = at + 1;
    while (end < words.length && words[end] !== ';' && !(words[end] === '+' && words[end - 1] === '{}')) end += 1;
    found.push(words.slice(at + 1, end));
    at = end;
  }
  return found;
}
