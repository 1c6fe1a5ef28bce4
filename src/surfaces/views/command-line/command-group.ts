import type { Outcome } from '../../../protocol/outcome.ts';
import { runnableHint } from '../wording/command-hints.ts';
import { type Command, type CommandArguments, type CommandOption, shownOptionNames, optionsInHelp } from './command.ts';
import { nearestWord } from './did-you-mean.ts';

const pageWidth = 80;
const widestName = 30;

export function commandHelp(command: Command): string {
  const { name, summary, forms, about, examples = [], notes } = command;
  const usage = forms.map((form) => (typeof form === 'string' ? [form, ''] : form) as readonly [string, string]);
  return [
    ...paragraphs(summary),
    '',
    'Usage:',
    ...rows(usage.map(([form, does]) => [`capstan ${name} ${form}`.trimEnd(), does])),
    ...(about === undefined ? [] : ['', ...paragraphs(about)]),
    ...(examples.length === 0 ? [] : ['', 'Examples:']),
    ...examples.flatMap(([line, does]) => [`  ${does}:`, `    ${line}`]),
    '',
    'Options:',
    ...rows(optionsInHelp(command).map((option) => [optionText(option), option.help])),
    ...(notes === undefined ? [] : ['', ...paragraphs(notes)]),
    '',
  ].join('\n');
}

export function groupHelp(group: CommandGroup): string {
  const { name, summary, notes } = group;
  const prefix = name === '' ? 'capstan' : `capstan ${name}`;
  return [
    ...paragraphs(summary),
    '',
    'Usage:',
    `  ${prefix} COMMAND …`,
    '',
    'Commands:',
    ...rows(shownCommands(group).map(([word, entry]) => [word, commandPurpose(entry)])),
    '',
    ...(notes === undefined ? [] : [...paragraphs(notes), '']),
    ...wrapped(`Run \`${prefix} COMMAND --help\` for the options and examples of a command.`, pageWidth),
    '',
  ].join('\n');
}

export const commandPurpose = (entry: LoadableCommand | CommandGroup): string =>
  'does' in entry ? entry.does : entry.command.does;

function optionText(option: CommandOption): string {
  const names = shownOptionNames(option);
  const both = names.length === 1 ? `    ${names[0]}` : names.join(', ');
  return option.value === undefined ? both : `${both} ${option.value}`;
}

function rows(pairs: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const fitting = pairs.map(([left]) => left.length).filter((length) => length <= widestName);
  const width = Math.max(0, ...fitting);
  const margin = ' '.repeat(width + 4);
  return pairs.flatMap(([left, right]) => {
    if (right === '') return [`  ${left}`];
    const lines = wrapped(right, pageWidth - margin.length).map((line) => margin + line);
    if (left.length > width) return [`  ${left}`, ...lines];
    const [first = '', ...others] = lines;
    return [`  ${left}${first.slice(left.length + 2)}`, ...others];
  });
}

const paragraphs = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, at) => [...(at === 0 ? [] : ['']), ...wrapped(line, pageWidth)]);

/** Breaks text between words into lines that fit. Text in backquotes stays on one line, so that it can be copied. */
function wrapped(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export interface CommandWork<Form extends Command> {
  /** Returns the exit code, or an outcome: Capstan reports it, and exits with 2 for wrong usage, else with 1. */
  run(given: CommandArguments<Form>): number | Outcome | Promise<number | Outcome>;
  /** Says where to find output that could not be written to standard output. */
  whereElse?(given: CommandArguments<Form>): string;
}

export type LoadableCommand = { readonly command: Command; readonly load: () => Promise<CommandWork<Command>> };

/** Several commands under one name; the group without a name is the whole program. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly does: string;
  readonly commands: Readonly<Record<string, LoadableCommand | CommandGroup>>;
  readonly notes?: string;
}

/** Makes a row of a group. The compiler checks that the work accepts what the command gives. */
export function loadableCommand<const Form extends Command>(
  command: Form,
  load: () => Promise<CommandWork<Form> | CommandWork<Form>['run']>,
): LoadableCommand {
  const loadWork = async (): Promise<CommandWork<Form>> => {
    const work = await load();
    return typeof work === 'function' ? { run: work } : work;
  };
  // The parser gives the work exactly what the command's table declares.
  return { command, load: loadWork as unknown as LoadableCommand['load'] };
}

/** The commands of a group by name, in the order of the help text, without hidden ones. */
export const shownCommands = ({
  commands,
}: CommandGroup): readonly (readonly [string, LoadableCommand | CommandGroup])[] =>
  Object.entries(commands).filter(([, entry]) => 'commands' in entry || entry.command.hidden !== true);

export const commandNames = (group: CommandGroup): readonly string[] => shownCommands(group).map(([name]) => name);

/** All commands of a group and its subgroups, in the order of the help text, without hidden ones. */
export const allCommands = (group: CommandGroup): readonly Command[] =>
  shownCommands(group).flatMap(([, entry]) => ('commands' in entry ? allCommands(entry) : [entry.command]));

/** The command of a group by its name. `rest`: the words after it, for a hint that can be run. */
export function findCommand(
  group: CommandGroup,
  written: string,
  rest: readonly string[] = [],
): LoadableCommand | CommandGroup | Outcome<'usage'> {
  const name = group.name === '' && written === 'e' ? 'exec' : written;
  const found = Object.hasOwn(group.commands, name) ? group.commands[name] : undefined;
  if (found !== undefined) return found;
  const [prefix, help] = group.name === '' ? ['', 'capstan'] : [`${group.name}: `, `capstan ${group.name}`];
  const meant = meantCommand(group, written, rest);
  const hint = meant === undefined ? '' : `Did you mean \`${meant}\`? `;
  const message = `${prefix}there is no command ${JSON.stringify(written)}.`;
  return { code: 'usage', message, next: `${hint}See \`${help} --help\`.` };
}

function meantCommand(group: CommandGroup, written: string, rest: readonly string[]): string | undefined {
  const own = group.name === '' ? ['--help', '--version'] : ['--help'];
  const nearest = nearestWord(written, [...commandNames(group), ...own]);
  const path = nearest === undefined ? pathBelow(group, written) : [group.name, nearest].filter((word) => word !== '');
  if (path !== undefined) return runnableHint(path, rest);
  // Several words in quotes are a prompt without its command.
  return group.name === '' && /\S\s+\S/.test(written) ? runnableHint(['exec'], [written, ...rest]) : undefined;
}

/** Finds a command of that name in a subgroup, or as a variant: `resume` is `exec resume`. */
function pathBelow({ commands }: CommandGroup, name: string): readonly string[] | undefined {
  for (const [word, entry] of Object.entries(commands)) {
    const below = 'commands' in entry ? entry.commands : (entry.command.variants ?? {});
    if (Object.hasOwn(below, name)) return [word, name];
  }
  return undefined;
}
