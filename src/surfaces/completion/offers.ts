import { usedGates } from '../../config/feature-gates.ts';
import { keyNames } from '../../config/known-key.ts';
import {
  type Command,
  type CommandOption,
  helpOption,
  keyAndValue,
  shownNames,
  shownOptions,
} from '../commands/command.ts';
import { type CommandGroup, findCommand, shownCommands } from '../commands/command-group.ts';
import { isVerbatim, splitOption } from '../commands/parse-command.ts';

export interface OfferedWord {
  readonly word: string;
  /** Shells that can show it beside the word do. */
  readonly does?: string;
}

/** All that may stand in the place of the last word: options where it begins with a dash. No other letter of it counts. */
export interface Offers {
  readonly words: readonly OfferedWord[];
  /** Not known to this table: threads and profiles are the program's, files and programs the shell's. */
  readonly source?: 'threads' | 'profiles' | 'files' | 'folders' | 'programs';
  /** The part of the last word before a value: `--model=`. */
  readonly attached?: string;
}

/** `typed`: the words behind the program, the one that is being typed last. */
export function offersFor(table: CommandGroup, typed: readonly string[]): Offers {
  return typed[0] === 'help' && typed.length > 1
    ? offersIn(table, typed.slice(1), () => ({ words: [] }))
    : offersIn(table, typed, offersOf);
}

function offersIn(
  group: CommandGroup,
  [name = '', ...rest]: readonly string[],
  offersBelow: (command: Command, rest: readonly string[]) => Offers,
): Offers {
  if (rest.length === 0 && name.startsWith('-')) {
    const version = group.name === '' ? [{ word: '--version', does: 'its version' }] : [];
    return { words: [...namesOf(helpOption), ...version] };
  }
  if (rest.length === 0) {
    const commands = shownCommands(group).map(([word, entry]) => {
      return { word, does: 'commands' in entry ? entry.does : entry.command.does };
    });
    return { words: commands };
  }
  const found = findCommand(group, name);
  if ('code' in found) return { words: [] };
  return 'commands' in found ? offersIn(found, rest, offersBelow) : offersBelow(found.command, rest);
}

function offersOf(command: Command, typed: readonly string[]): Offers {
  const current = typed.at(-1) ?? '';
  const place = placeIn(command, typed.slice(0, -1));
  const { awaiting, used, isLiteral } = place;
  if (awaiting !== undefined) return valuesOf(awaiting, current);
  if (isLiteral || !current.startsWith('-')) return wordsAt(command, place);
  const [name, value] = splitOption(current);
  const option = optionOf(command, name);
  if (value !== undefined && option?.value !== undefined)
    return { ...valuesOf(option, value), attached: current.slice(0, current.length - value.length) };
  const options = shownOptions(command).filter((each) => each.repeats === true || !used.has(each));
  return { words: options.flatMap(namesOf) };
}

interface Place {
  /** Words that are no options, before `--`. */
  readonly plain: readonly string[];
  /** How many words stand behind `--`, or belong to another program. */
  readonly literal: number;
  readonly isLiteral: boolean;
  readonly used: ReadonlySet<CommandOption>;
  /** The option whose value comes next. */
  readonly awaiting: CommandOption | undefined;
}

/** Reads the words before the current one as the parser does, without a word about mistakes. */
function placeIn(command: Command, before: readonly string[]): Place {
  const plain: string[] = [];
  const used = new Set<CommandOption>();
  let awaiting: CommandOption | undefined;
  for (const [at, word] of before.entries()) {
    if (awaiting !== undefined) {
      awaiting = undefined;
    } else if (word === '--') {
      return { plain, literal: before.length - at - 1, isLiteral: true, used, awaiting };
    } else if (/^-./.test(word)) {
      const [name, attached] = splitOption(word);
      const option = optionOf(command, name);
      if (option !== undefined) used.add(option);
      if (option?.value !== undefined && attached === undefined) awaiting = option;
    } else if (isVerbatim(command, [...plain, word])) {
      return { plain, literal: before.length - at, isLiteral: true, used, awaiting };
    } else {
      plain.push(word);
    }
  }
  return { plain, literal: 0, isLiteral: false, used, awaiting };
}

/** Words that stand for themselves behind the name of a command or of a variant. */
const knownWords: Readonly<Record<string, () => readonly string[]>> = {
  KEY: keyNames,
  FEATURE: () => usedGates.map(({ name }) => name),
};

function wordsAt(command: Command, { plain, literal, isLiteral, used }: Place): Offers {
  const { variants = {}, words = [] } = command;
  const [first] = plain;
  const variant = first !== undefined && Object.hasOwn(variants, first) ? variants[first] : undefined;
  const isChosen = [...used].some(({ choosesThread }) => choosesThread === true);
  const expected = (variant ?? words).filter(({ name }) => name !== 'THREAD' || !isChosen);
  const at = plain.length + literal - (variant === undefined ? 0 : 1);
  const word = expected[at] ?? (expected.at(-1)?.many === true ? expected.at(-1) : undefined);
  const { name = '', choices = [], verbatim } = word ?? {};
  const names = [
    ...(plain.length === 0 && !isLiteral ? Object.keys(variants) : []),
    ...choices,
    ...(Object.hasOwn(knownWords, name) ? knownWords[name]!() : []),
  ];
  const offered = { words: names.map((each) => ({ word: each })) };
  if (name === 'THREAD' && !isLiteral) return { ...offered, source: 'threads' };
  if (name === 'FILE') return { ...offered, source: 'files' };
  if (verbatim !== true || !isLiteral) return offered;
  return { words: [], source: at === expected.length - 1 ? 'programs' : 'files' };
}

function valuesOf(option: CommandOption, typed: string): Offers {
  const { names, value, choices = [], offers = [] } = option;
  if (value === 'FILE') return { words: [], source: 'files' };
  if (value === 'FOLDER') return { words: [], source: 'folders' };
  if (value === keyAndValue && names.includes('--config'))
    return { words: typed.includes('=') ? [] : keyNames().map((name) => ({ word: `${name}=` })) };
  const words = [...choices, ...offers].map((word) => ({ word }));
  return names.includes('--permission-profile') ? { words, source: 'profiles' } : { words };
}

function optionOf({ options }: Command, name: string): CommandOption | undefined {
  return [...Object.values(options), helpOption].find(({ names }) => names.includes(name));
}

function namesOf(option: CommandOption): readonly OfferedWord[] {
  return shownNames(option).map((word) => ({ word, does: option.help }));
}
