import { shownConfigOverride } from '../../../core/config/flag-overrides.ts';
import { hiddenMark } from '../../../core/policy/secrets.ts';
import { joinWithOr } from '../../../engine/wording.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { printFailure, print } from '../terminal/print.ts';
import { diskLossAsOutcome, ignoreClosedOutput } from '../terminal/process.ts';
import { runnableHint } from '../wording/command-hints.ts';
import type { CommandWork } from './command-group.ts';
import { helpOption, keyValuePlaceholder, optionsInHelp } from './command.ts';
import type { Command, CommandArguments, CommandOption } from './command.ts';
import { didYouMean, nearestWord } from './did-you-mean.ts';

/** Runs a command, answers help and wrong usage, and reports the outcome of the work. Returns the exit code. */
export async function runCommand<Form extends Command>(
  command: Form,
  words: readonly string[],
  load: () => CommandWork<Form> | Promise<CommandWork<Form>>,
): Promise<number> {
  const standardOutput = ignoreClosedOutput();
  const given = parseCommand(command, words);
  if (typeof given !== 'string' && 'code' in given) return printFailure(given, 2);
  let whereElse = '';
  const work = async (): Promise<number | Outcome> => {
    if (typeof given === 'string') {
      const { commandHelp } = await import('./command-group.ts');
      print(commandHelp(command), 'text');
      return given === 'help' ? 0 : 2;
    }
    const loaded = await load();
    whereElse = loaded.whereElse?.(given) ?? '';
    return loaded.run(given);
  };
  const end = await diskLossAsOutcome(work);
  const lost = await standardOutput.finish();
  if (typeof end !== 'number') return printFailure(end, end.code === 'usage' ? 2 : 1);
  return lost === undefined ? end : printFailure({ ...lost, next: `${lost.next}${whereElse}` }, 1);
}

/** `bare`: neither a word nor a variant was given where one is required. */
export type ParsedCommand<Form extends Command> = CommandArguments<Form> | 'help' | 'bare' | Outcome<'usage'>;
type TakenWords = Pick<CommandArguments<Command>, 'thread' | 'words'> & { readonly variant: string | undefined };
type Value = string | number | boolean | readonly string[];

/**
 * Parses the words after a command's name. Options may come before, between and after words; `--` ends them.
 * `--name=value`, `--name value`, `-nvalue`, `-n=value` and `-n value` are equivalent. `-` is a word.
 */
export function parseCommand<Form extends Command>(command: Form, given: readonly string[]): ParsedCommand<Form> {
  const options = new Map<string, Value>();
  const plain: string[] = [];
  let literal: readonly string[] = [];
  for (let i = 0; i < given.length; i++) {
    const word = given[i]!;
    if (word === '--') {
      literal = given.slice(i + 1);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      if (isWordOfOtherProgram(command, [...plain, word])) {
        literal = given.slice(i);
        break;
      }
      plain.push(word);
      continue;
    }
    const [name, attached] = splitOption(word);
    if (helpOption.names.includes(name) && attached === undefined) return 'help';
    const refused = refusal(command, name);
    if (refused !== undefined) return refused;
    const [key, option] = Object.entries(command.options).find(([, { names }]) => names.includes(name)) ?? [];
    if (key === undefined || option === undefined) return unknownOption(command, name);
    if (option.value === undefined) {
      if (attached !== undefined) return wrongUsage(command, `${name} takes no value.`);
      options.set(key, true);
      continue;
    }
    const written = attached ?? given[++i];
    if (written === undefined) return wrongUsage(command, `${name} needs a value.`);
    // A forgotten value must not swallow the next option.
    if (attached === undefined && /^-./.test(written) && !(option.number !== undefined && /^-\d/.test(written)))
      return wrongUsage(
        command,
        `${name} needs a value, and ${written} looks like an option. If it is the value, write ${name}=${written}.`,
      );
    if (option.value === keyValuePlaceholder && written.indexOf('=') < 1) {
      // A user who sets a variable may have given its value alone, which may be secret.
      const shown = key === 'env' ? hiddenMark : JSON.stringify(shownConfigOverride(written));
      return wrongUsage(command, `${name} ${shown} is not KEY=VALUE.`, pairExample(name));
    }
    const value = readValue(option, written);
    if (value === undefined)
      return wrongChoice(command, `${name} takes ${valuesText(option)}`, written, option.choices);
    const before = options.get(key);
    options.set(key, option.repeats === true ? [...(Array.isArray(before) ? before : []), written] : value);
  }
  const mistyped = plain.length === 0 ? undefined : mistypedVariant(command, given, [...plain, ...literal]);
  if (mistyped !== undefined) return mistyped;
  const taken = takeWords(command, plain, literal, (key) => options.has(key));
  if (typeof taken === 'string' || 'code' in taken) return taken;
  const clash = findClash(command, options, taken.variant);
  if (clash !== undefined) return wrongUsage(command, clash);
  const values = Object.entries(command.options).map(([key, option]) => [key, options.get(key) ?? unset(option)]);
  return { ...taken, options: Object.fromEntries(values) } as CommandArguments<Form>;
}

/** True if the last word begins the part that belongs to another program. */
export function isWordOfOtherProgram({ variants = {}, words }: Command, plain: readonly string[]): boolean {
  const hasVariant = Object.hasOwn(variants, plain[0]!);
  const expected = hasVariant ? variants[plain[0]!] : words;
  return expected?.[plain.length - (hasVariant ? 2 : 1)]?.verbatim === true;
}

function pairExample(option: string): string {
  if (option !== '-c' && option !== '--config') return `Write ${option} NAME=VALUE, for example ${option} PORT=80.`;
  return 'Write -c key=value, for example -c model_reasoning_effort=high.';
}

export const wrongUsage = (
  { name }: Pick<Command, 'name'>,
  message: string,
  next = `See \`capstan ${name} --help\`.`,
): Outcome<'usage'> => ({ code: 'usage', message: `${name}: ${message}`, next });

function wrongChoice(command: Command, takes: string, written: string, choices: readonly string[] = []) {
  const next = `${didYouMean(written, choices)}See \`capstan ${command.name} --help\`.`;
  return wrongUsage(command, `${takes}, not ${JSON.stringify(written)}.`, next);
}

/** Splits `--name=value`, `-nvalue` and `-n=value` in two. */
export function splitOption(word: string): readonly [name: string, attached: string | undefined] {
  if (word.startsWith('--')) {
    const at = word.indexOf('=');
    return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
  }
  return word.length > 2 ? [word.slice(0, 2), word.slice(word[2] === '=' ? 3 : 2)] : [word, undefined];
}

const unset = ({ value, repeats }: CommandOption): Value | undefined =>
  value === undefined ? false : repeats === true ? [] : undefined;

/** Undefined if the option does not accept the value. */
function readValue({ number, choices }: CommandOption, written: string): string | number | undefined {
  if (choices?.includes(written) === true) return written;
  if (number === undefined) return choices === undefined ? written : undefined;
  const { min, max = Number.MAX_SAFE_INTEGER } = number;
  return /^\d+$/.test(written) && Number(written) >= min && Number(written) <= max ? Number(written) : undefined;
}

function valuesText({ number, choices = [] }: CommandOption): string {
  if (number === undefined) return joinWithOr(choices);
  const { min, max } = number;
  return joinWithOr([`a number from ${min}${max === undefined ? '' : ` to ${max}`}`, ...choices]);
}

/** Takes the words: the first plain one may name a variant. `literal`: words after `--`, which follow plain ones. */
function takeWords(
  command: Command,
  plain: readonly string[],
  literal: readonly string[],
  isGiven: (key: string) => boolean,
): TakenWords | 'help' | 'bare' | Outcome<'usage'> {
  const { variants = {}, words: plainWords } = command;
  const [first] = plain;
  if (first !== undefined) {
    if (command.variants !== undefined && first === 'help' && plain.length + literal.length === 1) return 'help';
    const refused = refusal(command, first);
    if (refused !== undefined) return refused;
  }
  const variant = first !== undefined && Object.hasOwn(variants, first) ? first : undefined;
  const expected = variant === undefined ? plainWords : variants[variant];
  const left = [...(variant === undefined ? plain : plain.slice(1)), ...literal];
  if (expected === undefined) return first === undefined ? 'bare' : unknownVariant(command, first);
  const isChosen = Object.entries(command.options).some(([key, { choosesThread }]) => choosesThread && isGiven(key));
  const words: string[] = [];
  let thread: string | undefined;
  for (const { name, missing, many, choices } of expected) {
    if (name === 'THREAD' && isChosen) continue;
    const taken = left.splice(0, many === true ? left.length : 1);
    const [word] = taken;
    if (word === undefined && missing !== undefined) return wrongUsage(command, missing);
    if (word !== undefined && choices?.includes(word) === false)
      return wrongChoice(command, `${name} is ${joinWithOr(choices)}`, word, choices);
    if (name === 'THREAD') thread = word;
    else words.push(...taken);
  }
  const [surplus] = left;
  if (surplus !== undefined)
    return wrongUsage(command, command.surplus ?? `unexpected word ${JSON.stringify(surplus)}.`);
  return { variant, thread, words };
}

function findClash({ options }: Command, given: ReadonlyMap<string, Value>, variant = ''): string | undefined {
  const nameOf = (key: string): string => options[key]?.names.at(-1) ?? key;
  for (const key of given.keys()) {
    const { with: needed, without = [], only } = options[key]!;
    const other = without.find((each) => given.has(each));
    if (other !== undefined) return `${nameOf(key)} cannot be combined with ${nameOf(other)}.`;
    if (needed !== undefined && !given.has(needed)) return `${nameOf(key)} works only with ${nameOf(needed)}.`;
    if (only !== undefined && !only.includes(variant)) return `${nameOf(key)} works only with ${only.join(' and ')}.`;
  }
  return undefined;
}

function refusal(command: Command, word: string): Outcome<'usage'> | undefined {
  const { refuses = {} } = command;
  const refused = Object.hasOwn(refuses, word) ? refuses[word] : undefined;
  return refused === undefined ? undefined : wrongUsage(command, refused.message, refused.next);
}

function unknownOption(command: Command, name: string): Outcome<'usage'> {
  // Single-letter names are all equally near.
  const known = optionsInHelp(command).flatMap(({ names }) => names);
  const meant = name.startsWith('--') ? didYouMean(name, known) : '';
  const { freeWord } = command;
  const dashed = freeWord === undefined ? '' : ` Put a ${freeWord} that begins with a dash after "--".`;
  return wrongUsage(command, `there is no option ${name}.`, `${meant}See \`capstan ${command.name} --help\`.${dashed}`);
}

function unknownVariant(command: Command, word: string): Outcome<'usage'> {
  const next = `${didYouMean(word, Object.keys(command.variants ?? {}))}See \`capstan ${command.name} --help\`.`;
  return wrongUsage(command, `there is no command ${JSON.stringify(word)}.`, next);
}

/** A first word that is almost a variant, with the same first letter: `exec resum` would send *resum* to the model. */
function mistypedVariant(
  { name, variants = {}, freeWord }: Command,
  given: readonly string[],
  words: readonly string[],
): Outcome<'usage'> | undefined {
  const [first = '', ...more] = words;
  if (freeWord === undefined || Object.hasOwn(variants, first) || !given.includes(first)) return undefined;
  const meant = nearestWord(first, Object.keys(variants));
  // With another first letter it may be meant: `work` may well begin a prompt.
  if (meant === undefined || meant[0] !== first[0]) return undefined;
  const at = given.indexOf(first);
  const line = runnableHint([name, ...given.slice(0, at), meant], given.slice(at + 1));
  const isAlone = more.length === 0;
  const otherwise = isAlone
    ? `is the ${freeWord}, put it after "--"`
    : `begins the ${freeWord}, put the ${freeWord} in quotes`;
  const next = `Did you mean \`${line}\`? If it ${otherwise}.`;
  return wrongUsage({ name }, `there is no command ${JSON.stringify(first)}.`, next);
}
