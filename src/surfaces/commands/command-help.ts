import { type Command, type CommandOption, shownNames, shownOptions } from './command.ts';
import { type CommandGroup, shownCommands } from './command-group.ts';

/** Terminals have at least so many columns. */
const pageWidth = 80;

/** Names longer than this have a line of their own. */
const widestName = 30;

/** The help text of a command. */
export function commandHelp(command: Command): string {
  const { name, summary, forms, about, examples = [], notes } = command;
  const usage = forms.map((form) => (typeof form === 'string' ? [form, ''] : form) as readonly [string, string]);
  return [
    ...paragraphs(summary),
    '',
    'Usage:',
    ...rows(usage.map(([form, does]) => [`capstan ${name} ${form}`.trimEnd(), does])),
    ...(about === undefined ? [] : ['', ...paragraphs(about)]),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.flatMap(exampleLines)]),
    '',
    'Options:',
    ...rows(shownOptions(command).map((option) => [optionText(option), option.help])),
    ...(notes === undefined ? [] : ['', ...paragraphs(notes)]),
    '',
  ].join('\n');
}

/** The help text of several commands under one name. */
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
    ...rows(shownCommands(group).map(([word, entry]) => [word, 'does' in entry ? entry.does : entry.command.does])),
    '',
    ...(notes === undefined ? [] : [...paragraphs(notes), '']),
    ...wrapped(`Run \`${prefix} COMMAND --help\` for the options and examples of a command.`, pageWidth),
    '',
  ].join('\n');
}

function exampleLines([line, does]: readonly [line: string, does: string]): readonly string[] {
  return [`  ${does}:`, `    ${line}`];
}

function optionText(option: CommandOption): string {
  const names = shownNames(option);
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

/** With a blank line between them. */
function paragraphs(text: string): readonly string[] {
  return text.split('\n').flatMap((line, at) => [...(at === 0 ? [] : ['']), ...wrapped(line, pageWidth)]);
}

/** Cut between words into lines that fit. What stands in backquotes stays on one line, so that it can be copied. */
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
