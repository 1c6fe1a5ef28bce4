import { type Command, shownOptions } from './command.ts';
import type { CommandGroup } from './command-group.ts';

/** Names longer than this have a line of their own. */
const widestName = 40;

/** The help text of a command. */
export function commandHelp(command: Command): string {
  const { name, summary, forms, about, notes } = command;
  const usage = forms.map((form) => (typeof form === 'string' ? [form, ''] : form) as readonly [string, string]);
  return [
    `${summary}\n`,
    'Usage:',
    ...rows(usage.map(([form, does]) => [`capstan ${name} ${form}`.trimEnd(), does])),
    ...(about === undefined ? [] : ['', about]),
    '',
    'Options:',
    ...rows(shownOptions(command).map(({ names, value, help }) => [optionText(names, value), help])),
    ...(notes === undefined ? [] : ['', notes]),
    '',
  ].join('\n');
}

/** The help text of several commands under one name. */
export function groupHelp({ name, summary, commands, notes }: CommandGroup): string {
  const prefix = name === '' ? 'capstan' : `capstan ${name}`;
  return [
    `${summary}\n`,
    'Usage:',
    `  ${prefix} COMMAND …\n`,
    'Commands:',
    ...rows(Object.entries(commands).map(([word, entry]) => [word, 'does' in entry ? entry.does : entry.command.does])),
    '',
    `\`${prefix} COMMAND --help\` says more.`,
    ...(notes === undefined ? [] : [notes]),
    '',
  ].join('\n');
}

/** A second long name is only accepted. */
function optionText(names: readonly string[], value: string | undefined): string {
  const [first = '', second = ''] = names;
  const both = first.startsWith('--') ? `    ${first}` : `${first}, ${second}`;
  return value === undefined ? both : `${both} ${value}`;
}

function rows(pairs: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const fitting = pairs.map(([left]) => left.length).filter((length) => length < widestName);
  const width = Math.max(0, ...fitting);
  return pairs.map(([left, right]) => {
    if (right === '') return `  ${left}`;
    return left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`;
  });
}
