import { describe, expect, it } from 'vitest';
import { allCommands, commandNames } from '../../src/surfaces/views/command-line/command-group.ts';
import { commandTable } from '../../src/surfaces/cli/table/command-table.ts';
import { scene } from '../harness/scene.ts';

describe('help', () => {
  it('is the same before and behind every command', async () => {
    const { place } = await scene([]);
    const paths = ['threads', ...allCommands(commandTable).map(({ name }) => name)].map((name) => name.split(' '));
    // The demo needs a process of its own.
    for (const path of paths.filter(([first]) => first !== 'demo')) {
      const [before, behind] = [await place.run('help', ...path), await place.run(...path, '--help')];
      expect([before.code, before.stderr]).toEqual([0, '']);
      expect([behind.code, behind.stdout, behind.stderr]).toEqual([0, before.stdout, '']);
      expect(before.stdout).toContain(`capstan ${path.join(' ')}`);
    }
    expect(await place.run('help', 'e', 'resume')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Runs one turn/),
    });
  });

  it('lists every command', async () => {
    const { place } = await scene([]);
    const { code, stdout } = await place.run('help');
    expect(code).toBe(0);
    for (const name of commandNames(commandTable)) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(stdout).not.toMatch(/^ +complete /m);
    const threads = await place.run('threads');
    expect([threads.code, threads.stdout]).toEqual([2, (await place.run('threads', '--help')).stdout]);
    expect(await place.run('config')).toMatchObject({ code: 2, stderr: '' });
  });
});

describe('a command that there is not', () => {
  it.each([
    [
      ['help', 'threads', 'compact', 'extra'],
      'help: threads compact has no command "extra".',
      'See `capstan threads compact --help`.',
    ],
    [['nonsense'], 'there is no command "nonsense".', 'See `capstan --help`.'],
    [
      ['thraeds', 'list', '-n', '5'],
      'there is no command "thraeds".',
      'Did you mean `capstan threads list -n 5`? See `capstan --help`.',
    ],
    [['--verison'], 'there is no command "--verison".', 'Did you mean `capstan --version`? See `capstan --help`.'],
    [
      ['search', '--last', "what's next?"],
      'there is no command "search".',
      "Did you mean `capstan threads search --last 'what'\\''s next?'`? See `capstan --help`.",
    ],
    // Options of the terminal are read as at one.
    [
      ['-s', 'readonly', 'hi'],
      'tui: -s takes read-only, workspace-write or danger-full-access, not "readonly".',
      'Did you mean read-only? See `capstan tui --help`.',
    ],
    [['list'], 'there is no command "list".', 'Did you mean `capstan threads list`? See `capstan --help`.'],
    [
      ['fix the test', '--json'],
      'there is no command "fix the test".',
      "Did you mean `capstan exec 'fix the test' --json`? See `capstan --help`.",
    ],
    // A line that is too long to read is named by its command alone.
    [['exce', 'a'.repeat(200)], 'there is no command "exce".', 'Did you mean `capstan exec`? See `capstan --help`.'],
    [['toString'], 'there is no command "toString".', 'See `capstan --help`.'],
    [
      ['threads', 'rolback'],
      'threads: there is no command "rolback".',
      'Did you mean `capstan threads rollback`? See `capstan threads --help`.',
    ],
    [['threads', 'constructor'], 'threads: there is no command "constructor".', 'See `capstan threads --help`.'],
    [
      ['help', 'threads', 'lst'],
      'threads: there is no command "lst".',
      'Did you mean `capstan threads list --help`? See `capstan threads --help`.',
    ],
  ])('%j is named with the nearest one', async (words, message, next) => {
    const { place } = await scene([]);
    const { code, stdout, stderr } = await place.run(...words);
    expect([code, stdout, stderr]).toEqual([2, '', `capstan: ${message}\n         ${next}\n`]);
  });
});

it('options of the terminal say that there is none', async () => {
  const { place } = await scene([]);
  const { code, stderr } = await place.run('--sandbox=read-only', 'hi');
  expect([code, stderr]).toEqual([
    1,
    'capstan: Standard input is not a terminal.\n         Start Capstan from a terminal, or run one turn with `capstan exec "your task"`.\n',
  ]);
});

it('--last is the newest thread of the folder for those who look at it', async () => {
  const { place } = await scene([]);
  for (const command of ['context', 'envelope', 'replay']) {
    const [bare, last] = [await place.run(command), await place.run(command, '--last')];
    expect(last).toEqual(bare);
    expect(await place.run(command, '--last', 'x')).toMatchObject({ code: 2 });
  }
});
