import { expect, it } from 'vitest';
import { commandTable } from '../../src/surfaces/cli/table/command-table.ts';
import {
  allCommands,
  type CommandGroup,
  commandHelp,
  groupHelp,
} from '../../src/surfaces/views/command-line/command-group.ts';
import { parseCommand } from '../../src/surfaces/views/command-line/run-command.ts';

const commands = allCommands(commandTable);
const groups = [commandTable, ...Object.values(commandTable.commands).filter((entry) => 'commands' in entry)];

const texts: readonly (readonly [string, string])[] = [
  ...groups.map((group: CommandGroup) => [`capstan ${group.name}`, groupHelp(group)] as const),
  ...commands.map((command) => [`capstan ${command.name}`, commandHelp(command)] as const),
];

it.each(texts)('the help of %s fits 80 columns', (_, text) => {
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).not.toMatch(/ $/m);
});

it.each(commands.map((command) => [command.name, command] as const))(
  'the help of %s has examples that can be run',
  (name, command) => {
    const { examples = [] } = command;
    // There is one way only to run the demo.
    expect(examples.length).toBeGreaterThan(name === 'demo' ? -1 : 0);
    for (const [line, does] of examples) {
      expect(does).toMatch(/^[A-Z].*[^.:]$/);
      const typed = line.replace(/^source <\((.*)\)$/, '$1').replace(/ \| source$/, '');
      const words = [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, double, single, plain]) => double ?? single ?? plain ?? '',
      );
      const path = ['capstan', ...name.split(' ')];
      expect(words.slice(0, path.length)).toEqual(path);
      expect(parseCommand(command, words.slice(path.length))).toHaveProperty('options');
    }
  },
);

it.each(commands.map((command) => [command.name, command] as const))(
  'wrong usage of %s names a help text that there is',
  (name, command) => {
    const refused = parseCommand(command, ['--no-such-option']);
    expect(refused).toMatchObject({ code: 'usage', next: expect.stringContaining(`\`capstan ${name} --help\``) });
  },
);
