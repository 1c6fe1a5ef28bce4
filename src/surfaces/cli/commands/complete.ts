import { usedFeatures } from '../../../core/config/features.ts';
import { configKeyNames } from '../../../core/config/keys/inspect-keys.ts';
import { isJsonObject } from '../../../protocol/json.ts';
import { commandPurpose, findCommand, shownCommands } from '../../views/command-line/command-group.ts';
import type { CommandGroup, CommandWork } from '../../views/command-line/command-group.ts';
import { helpOption, keyValuePlaceholder, shownOptionNames, optionsInHelp } from '../../views/command-line/command.ts';
import type { Command, CommandOption } from '../../views/command-line/command.ts';
import { isWordOfOtherProgram, splitOption } from '../../views/command-line/run-command.ts';
import type { completeCommand } from '../../views/command-line/surface-commands.ts';
import { print } from '../../views/terminal/print.ts';
import { currentFolderAndUser, diskLossAsOutcome } from '../../views/terminal/process.ts';
import { fitToWidth, visibleLine } from '../../views/terminal/visible-text.ts';
import { homedir } from 'node:os';

/** More than a shell can show usefully, and the user waits for the list. */
const mostThreads = 50;
const longestPreview = 50;
/** Names that every shell takes as one plain word. A thread with another name is offered by its id. */
const plainName = /^\w[\w.@%+,/-]*$/;

/**
 * Called by the shell scripts. First line: what the shell itself shall offer and, after a tab, the part of the current
 * word before it. Other lines: a word, a tab, its description. Reports no problems: the user is typing.
 */
export const createCompleteCommand = (table: CommandGroup): CommandWork<typeof completeCommand> => ({
  async run({ words: [shell = '', ...given] }) {
    const { typed, kept } = shell === 'bash' ? wordsOfBash(given) : { typed: given.slice(1), kept: undefined };
    const offers = findCompletions(table, typed);
    const { source = 'words', attached = '' } = offers;
    const all = [...offers.words, ...(await wordsFrom(source))].map(({ word, does }) => {
      return { word: attached + word, does };
    });
    const begun = all.filter(({ word }) => word.startsWith(typed.at(-1) ?? ''));
    const shown = kept === undefined ? all : begun.map(({ word }) => ({ word: word.slice(kept), does: '' }));
    const lines = [[source, attached], ...shown.map(({ word, does = '' }) => [word, does])];
    print(lines.map((line) => `${line.join('\t')}\n`).join(''), 'text');
    return 0;
  },
});

/** Loads modules only for sources that need them: most words are in the command table. */
async function wordsFrom(source: Offers['source'] | 'words'): Promise<readonly OfferedWord[]> {
  const words = await diskLossAsOutcome(async () =>
    source === 'threads' ? storedThreads() : source === 'profiles' ? profiles() : [],
  );
  return 'code' in words ? [] : words;
}

async function storedThreads(): Promise<readonly OfferedWord[]> {
  const { StoredThreads } = await import('../../../engine/store/stored-threads.ts');
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return [];
  const page = await stored.list({ limit: mostThreads, sort: 'updated' });
  if ('code' in page) return [];
  return page.threads.flatMap(({ id, name = '', preview }) => {
    const about = fitToWidth(visibleLine(preview), longestPreview);
    const byId = { word: id, does: name === '' ? about : visibleLine(name) };
    return plainName.test(name) ? [{ word: name, does: about }, byId] : [byId];
  });
}

async function profiles(): Promise<readonly OfferedWord[]> {
  const here = currentFolderAndUser();
  if ('code' in here) return [];
  const { loadFolderConfig } = await import('../../../engine/home/folder-config.ts');
  const configured = await loadFolderConfig(here.cwd, here);
  if ('code' in configured) return [];
  const { permissions } = configured.effective.values;
  const names = isJsonObject(permissions) ? Object.keys(permissions).filter((name) => plainName.test(name)) : [];
  return names.map((word) => ({ word }));
}

/** Bash splits words at colons and equal signs and replaces only the last part. `kept`: how much of the word stays. */
function wordsOfBash([line = '', replaced = '']: readonly string[]) {
  const found = [...line.matchAll(/(?:[^\s'"\\]|\\.?|'[^']*'?|"(?:[^"\\]|\\.)*"?)+/gs)];
  const last = found.at(-1);
  const isBegun = last !== undefined && last.index + last[0].length === line.length;
  // No offered word begins with a quotation mark.
  const words = found.map(([word]) =>
    word === last?.[0] && /^['"]/.test(word) ? word : word.replaceAll(/\\(.)|['"]/gs, '$1'),
  );
  const typed = [...words.slice(1), ...(isBegun && words.length > 1 ? [] : [''])];
  const current = typed.at(-1) ?? '';
  return { typed, kept: current.endsWith(replaced) ? current.length - replaced.length : 0 };
}

export interface OfferedWord {
  readonly word: string;
  /** A description, for shells that can show one beside the word. */
  readonly does?: string;
}

/** All words that may replace the last one: options if it begins with a dash. Its other letters filter nothing. */
interface Offers {
  readonly words: readonly OfferedWord[];
  /** Not in this table: threads and profiles come from the program, files and programs from the shell. */
  readonly source?: 'threads' | 'profiles' | 'files' | 'folders' | 'programs';
  /** The part of the last word before a value: `--model=`. */
  readonly attached?: string;
}

/** `typed`: the words after the program name; the last is the one being typed. */
export const findCompletions = (table: CommandGroup, typed: readonly string[]): Offers =>
  typed[0] === 'help' && typed.length > 1
    ? offersIn(table, typed.slice(1), () => ({ words: [] }))
    : offersIn(table, typed, offersOf);

function offersIn(
  group: CommandGroup,
  [name = '', ...rest]: readonly string[],
  offersBelow: (command: Command, rest: readonly string[]) => Offers,
): Offers {
  if (rest.length === 0 && name.startsWith('-')) {
    const version = group.name === '' ? [{ word: '--version', does: 'its version' }] : [];
    return { words: [...namesOf(helpOption), ...version] };
  }
  if (rest.length === 0)
    return { words: shownCommands(group).map(([word, entry]) => ({ word, does: commandPurpose(entry) })) };
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
  const options = optionsInHelp(command).filter((each) => each.repeats === true || !used.has(each));
  return { words: options.flatMap(namesOf) };
}

interface Place {
  /** Words before `--` that are not options. */
  readonly plain: readonly string[];
  /** The number of words after `--` or that belong to another program. */
  readonly literal: number;
  readonly isLiteral: boolean;
  readonly used: ReadonlySet<CommandOption>;
  readonly awaiting: CommandOption | undefined;
}

/** Reads the words before the current one as the parser does, but reports no mistakes. */
function placeIn(command: Command, before: readonly string[]): Place {
  const plain: string[] = [];
  const used = new Set<CommandOption>();
  let awaiting: CommandOption | undefined;
  for (const [at, word] of before.entries()) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (word === '--') return { plain, literal: before.length - at - 1, isLiteral: true, used, awaiting };
    else if (/^-./.test(word)) {
      const [name, attached] = splitOption(word);
      const option = optionOf(command, name);
      if (option !== undefined) used.add(option);
      if (option?.value !== undefined && attached === undefined) awaiting = option;
    } else if (isWordOfOtherProgram(command, [...plain, word])) {
      return { plain, literal: before.length - at, isLiteral: true, used, awaiting };
    } else plain.push(word);
  }
  return { plain, literal: 0, isLiteral: false, used, awaiting };
}

const knownWords: Readonly<Record<string, () => readonly string[]>> = {
  KEY: configKeyNames,
  FEATURE: () => usedFeatures.map(({ name }) => name),
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
  if (value === keyValuePlaceholder && names.includes('--config'))
    return { words: typed.includes('=') ? [] : configKeyNames().map((name) => ({ word: `${name}=` })) };
  const words = [...choices, ...offers].map((word) => ({ word }));
  return names.includes('--permission-profile') ? { words, source: 'profiles' } : { words };
}

const optionOf = ({ options }: Command, name: string): CommandOption | undefined =>
  [...Object.values(options), helpOption].find(({ names }) => names.includes(name));

const namesOf = (option: CommandOption): readonly OfferedWord[] =>
  shownOptionNames(option).map((word) => ({ word, does: option.help }));
