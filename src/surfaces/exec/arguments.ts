import { nearestKey } from '../../config/nearest-key.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type ExecOptionKey, execOptions } from './options.ts';

/** What `capstan exec …` was asked to do. */
export interface ExecArguments {
  readonly flags: ReadonlySet<ExecOptionKey>;
  /** Values by option, in the order in which they were given. */
  readonly values: Readonly<Partial<Record<ExecOptionKey, readonly string[]>>>;
  readonly resume?: ThreadTarget;
  /** The thread that a new one goes on from. */
  readonly fork?: ThreadTarget;
  /** There is no turn: the fork is all that is wanted. */
  readonly forkAlone?: true;
  /** The words; absent means: read them from standard input. */
  readonly prompt?: string;
  /** `-` stood in their place: from a terminal, too. */
  readonly dash?: true;
}

type ThreadTarget = { readonly kind: 'named'; readonly name: string } | { readonly kind: 'last' };

/** The last value of an option. */
export function lastValue({ values }: ExecArguments, key: ExecOptionKey): string | undefined {
  return values[key]?.at(-1);
}

/** Reads the words after `exec`. Options may stand before and after `resume` and `fork`; `--` ends them. */
export function parseExecArguments(words: readonly string[]): ExecArguments | Outcome<'usage'> {
  const flags = new Set<ExecOptionKey>();
  const values: Partial<Record<ExecOptionKey, string[]>> = {};
  const positional: string[] = [];
  let literal: readonly string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (word === '--') {
      literal = words.slice(i + 1);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positional.push(word);
      continue;
    }
    const [name, attached] = splitOption(word);
    const option = execOptions.find(({ names }) => names.includes(name));
    if (option === undefined) return unknownOption(name);
    if (option.value === undefined) {
      if (attached !== undefined) return usage(`${name} takes no value.`);
      flags.add(option.key);
      continue;
    }
    const value = attached ?? words[++i];
    if (value === undefined) return usage(`${name} needs a value.`);
    // A value that was forgotten must not swallow the option behind it.
    if (attached === undefined && /^-./.test(value))
      return usage(`${name} needs a value; ${value} looks like an option. If it is the value: ${name}=${value}.`);
    if (option.choices?.includes(value) === false)
      return usage(`${name} takes ${option.choices.join(', ')}; not ${JSON.stringify(value)}.`);
    (values[option.key] ??= []).push(value);
  }
  // To pass over it would send the words to somebody else.
  if (values.localProvider !== undefined && !flags.has('oss')) return usage('--local-provider goes with --oss.');
  if (positional.length === 1 && positional[0] === 'help' && literal.length === 0) flags.add('help');
  const asked = target(positional, literal, flags.has('last'));
  return 'code' in asked ? asked : { flags, values, ...asked };
}

/** `--name=value`, `-Cvalue` and plain names. */
function splitOption(word: string): readonly [name: string, attached: string | undefined] {
  if (word.startsWith('--')) {
    const at = word.indexOf('=');
    return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
  }
  return word.length > 2 ? [word.slice(0, 2), word.slice(word[2] === '=' ? 3 : 2)] : [word, undefined];
}

/** The words that are no options: those before `--`, of which the first may be a command, and the literal ones behind. */
function target(
  positional: readonly string[],
  literal: readonly string[],
  last: boolean,
): Pick<ExecArguments, 'resume' | 'fork' | 'forkAlone' | 'prompt' | 'dash'> | Outcome<'usage'> {
  const [first] = positional;
  // A command of Codex must not become a prompt.
  if (first === 'review') {
    const next = 'Ask for the review in words. A prompt of that one word goes behind "--".';
    return { code: 'usage', message: `exec: there is no command "${first}" here.`, next };
  }
  const command = first === 'resume' || first === 'fork' ? first : undefined;
  const rest = [...(command === undefined ? positional : positional.slice(1)), ...literal];
  if (last && command === undefined) return usage('--last goes with resume and fork.');
  const name = command === undefined || last ? undefined : rest[0];
  if (command !== undefined && !last && name === undefined) {
    return usage(`${command} needs the id of a thread, or --last.`);
  }
  const words = name === undefined ? rest : rest.slice(1);
  if (words.length > 1) return usage('there is more than one prompt: put it in quotes.');
  const meant: ThreadTarget = name === undefined ? { kind: 'last' } : { kind: 'named', name };
  return {
    ...(command === undefined ? {} : { [command]: meant }),
    ...(command === 'fork' && words.length === 0 ? { forkAlone: true } : {}),
    ...(words[0] === undefined ? {} : words[0] === '-' ? { dash: true } : { prompt: words[0] }),
  };
}

function unknownOption(name: string): Outcome<'usage'> {
  const known = execOptions.filter(({ help }) => help !== '').flatMap(({ names }) => names);
  // Among names of one letter each is as near as any other.
  const nearest = name.startsWith('--') ? nearestKey(name, known) : undefined;
  const { code, message, next } = usage(`there is no option ${name}.`);
  const meant = nearest === undefined ? '' : `Did you mean ${nearest}? `;
  return { code, message, next: `${meant}${next} A prompt that begins with a dash goes behind "--".` };
}

function usage(message: string): Outcome<'usage'> {
  return { code: 'usage', message: `exec: ${message}`, next: 'See `capstan exec --help`.' };
}
