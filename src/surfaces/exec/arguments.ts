import { nearestKey } from '../../config/nearest-key.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type ExecOptionKey, execOptions } from './options.ts';

/** What `capstan exec …` was asked to do. */
export interface ExecArguments {
  readonly flags: ReadonlySet<ExecOptionKey>;
  /** Values by option, in the order in which they were given. */
  readonly values: Readonly<Partial<Record<ExecOptionKey, readonly string[]>>>;
  readonly resume?: ResumeTarget;
  /** The words; absent means: read them from standard input. */
  readonly prompt?: string;
  /** `-` stood in their place: from a terminal, too. */
  readonly dash?: true;
}

export type ResumeTarget = { readonly kind: 'named'; readonly name: string } | { readonly kind: 'last' };

/** The last value of an option. */
export function lastValue({ values }: ExecArguments, key: ExecOptionKey): string | undefined {
  return values[key]?.at(-1);
}

/** Reads the words after `exec`. Options may stand before and after `resume`; `--` ends them. */
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

/** What Codex has under `exec`, and what to do here instead. A word must not become a prompt by that. */
const notHere: ReadonlyMap<string, string> = new Map([
  ['fork', '`capstan threads fork THREAD` makes a new thread, and `capstan exec resume` goes on with it.'],
  ['review', 'Ask for the review in words.'],
]);

/** The words that are no options: those before `--`, of which the first may be a command, and the literal ones behind. */
function target(
  positional: readonly string[],
  literal: readonly string[],
  last: boolean,
): Pick<ExecArguments, 'resume' | 'prompt' | 'dash'> | Outcome<'usage'> {
  const [command] = positional;
  const instead = command === undefined ? undefined : notHere.get(command);
  if (command !== undefined && instead !== undefined) {
    const next = `${instead} A prompt of that one word goes behind "--".`;
    return { code: 'usage', message: `exec: there is no command "${command}" here.`, next };
  }
  const resumes = command === 'resume';
  const rest = [...(resumes ? positional.slice(1) : positional), ...literal];
  if (last && !resumes) return usage('--last goes with resume.');
  const name = resumes && !last ? rest[0] : undefined;
  if (resumes && !last && name === undefined) return usage('resume needs the id of a thread, or --last.');
  const words = name === undefined ? rest : rest.slice(1);
  if (words.length > 1) return usage('there is more than one prompt: put it in quotes.');
  return {
    ...(resumes ? { resume: name === undefined ? { kind: 'last' } : { kind: 'named', name } } : {}),
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
