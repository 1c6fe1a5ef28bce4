import { describe, expect, it, test } from 'vitest';
import { type Command, flag } from './command.ts';
import { allCommands, commandHelp } from './command-group.ts';
import { commandTable } from '../../cli/table/command-table.ts';
import { configCommand } from '../../cli/table/settings-commands.ts';
import { execCommand } from './exec-command.ts';
import { parseCommand } from './run-command.ts';
import { listCommand } from '../../cli/table/threads-read-commands.ts';

/** The arguments that were given, without the absent ones. */
function given(command: Command, words: readonly string[]) {
  const parsed = parseCommand(command, words);
  if (typeof parsed === 'string' || 'code' in parsed) return parsed;
  const { options, ...rest } = parsed;
  const set = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.parse(JSON.stringify({ ...rest, ...Object.fromEntries(set) })) as object;
}

const commands = allCommands(commandTable);

function named(name: string): Command {
  return commands.find((command) => command.name === name)!;
}

const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');

describe('what is given', () => {
  it.each<[string, string, object]>([
    ['exec', 'hello', { words: ['hello'] }],
    ['exec', '-', { words: ['-'] }],
    ['exec', '-- -x', { words: ['-x'] }],
    ['exec', '--json -- --json', { words: ['--json'], json: true }],
    ['exec', '-- resume', { words: ['resume'] }],
    ['exec', '-- resum', { words: ['resum'] }],
    ['exec', 'work', { words: ['work'] }],
    ['exec', '-m a hello -m b', { words: ['hello'], model: 'b' }],
    ['exec', '-ma --cd=x= -C=y hello', { words: ['hello'], model: 'a', cwd: 'y' }],
    ['exec', '-c a=1 --config=b=2 -c=c=-3 x', { words: ['x'], override: ['a=1', 'b=2', 'c=-3'] }],
    [
      'exec',
      '--json resume abc -v again',
      { variant: 'resume', thread: 'abc', words: ['again'], json: true, verbose: true },
    ],
    ['exec', 'resume --last again', { variant: 'resume', words: ['again'], last: true }],
    ['exec', '--last fork', { variant: 'fork', words: [], last: true }],
    ['exec', 'resume -- -odd-', { variant: 'resume', thread: '-odd-', words: [] }],
    [
      'config',
      'show --origin -p work -C /x -c a=1',
      { variant: 'show', words: [], origin: true, profile: 'work', folder: '/x', config: ['a=1'] },
    ],
    ['config', '--strict-config explain model', { variant: 'explain', words: ['model'], strictConfig: true }],
    ['context', '', { words: [] }],
    ['replay', '', { words: [] }],
    ['context', '--last --request last', { words: [], last: true, request: 'last' }],
    ['context', 'abc --request=12', { thread: 'abc', words: [], request: 12 }],
    ['envelope', '--last --turn 2', { words: [], last: true, turn: 2 }],
    ['threads compact', '--last keep the tests', { words: ['keep', 'the', 'tests'], last: true }],
    ['threads compact', 'abc keep', { thread: 'abc', words: ['keep'] }],
    ['execpolicy check', '-r a git --pretty -- -r x', { words: ['git', '--pretty', '--', '-r', 'x'], rules: ['a'] }],
    ['execpolicy check', '--pretty -r a -- -x', { words: ['-x'], rules: ['a'], pretty: true }],
    ['threads search', 'a -n5 b', { words: ['a', 'b'], limit: 5 }],
    ['threads compress', '--older-than 7d', { words: [], olderThan: '7d' }],
  ])('%s %s', (name, text, expected) => {
    expect(given(named(name), words(text))).toEqual(expected);
  });

  test('options that were not given have values, too', () => {
    const parsed = parseCommand(listCommand, []);
    expect(parsed).toMatchObject({ options: { json: false, limit: undefined }, thread: undefined, words: [] });
    expect(parseCommand(execCommand, ['x'])).toMatchObject({
      variant: undefined,
      options: { override: [], json: false },
    });
  });
});

describe('what is wrong', () => {
  const next = (name: string) => `See \`capstan ${name} --help\`.`;

  it.each<[string, string, string, string?]>([
    ['exec', '-m', '-m needs a value.'],
    ['exec', '--json=1 x', '--json takes no value.'],
    ['exec', '-vx', '-v takes no value.'],
    ['exec', '-m -h', '-m needs a value, and -h looks like an option. If it is the value, write -m=-h.'],
    ['exec', '-s all x', '-s takes read-only, workspace-write or danger-full-access, not "all".'],
    [
      'exec',
      '-s workspace_write x',
      '-s takes read-only, workspace-write or danger-full-access, not "workspace_write".',
      'Did you mean workspace-write? See `capstan exec --help`.',
    ],
    [
      'exec',
      '--sandbox=danger x',
      '--sandbox takes read-only, workspace-write or danger-full-access, not "danger".',
      'Did you mean danger-full-access? See `capstan exec --help`.',
    ],
    [
      'completion',
      'zhs',
      'SHELL is bash, zsh or fish, not "zhs".',
      'Did you mean zsh? See `capstan completion --help`.',
    ],
    ['exec', 'a b', 'there is more than one prompt. Put the prompt in quotes.'],
    [
      'exec',
      'resum',
      'there is no command "resum".',
      'Did you mean `capstan exec resume`? If it is the prompt, put it after "--".',
    ],
    [
      'exec',
      '--json resum --last again',
      'there is no command "resum".',
      'Did you mean `capstan exec --json resume --last again`? If it begins the prompt, put the prompt in quotes.',
    ],
    ['exec', 'work hard', 'there is more than one prompt. Put the prompt in quotes.'],
    ['exec', '--last x', '--last works only with resume and fork.'],
    ['exec', '--local-provider ollama x', '--local-provider works only with --oss.'],
    ['exec', 'fork', 'fork needs a thread: its id, its name or --last.'],
    ['config', 'show me', 'unexpected word "me".'],
    ['config', 'explain', 'explain needs a key, for example `capstan config explain model`.'],
    ['config', 'explain model --json', '--json works only with show.'],
    ['config', 'shw', 'there is no command "shw".', 'Did you mean show? See `capstan config --help`.'],
    ['config', 'constructor', 'there is no command "constructor".'],
    ['config', 'show --orgin', 'there is no option --orgin.', 'Did you mean --origin? See `capstan config --help`.'],
    ['config', 'show --json=1', '--json takes no value.'],
    ['context', 'a b', 'unexpected word "b".'],
    ['context', '--last a', 'unexpected word "a".'],
    ['context', '--request 0', '--request takes a number from 1 or last, not "0".'],
    ['context', '--request -1', '--request takes a number from 1 or last, not "-1".'],
    ['context', '--request 1e2', '--request takes a number from 1 or last, not "1e2".'],
    [
      'context',
      '--request --json',
      '--request needs a value, and --json looks like an option. If it is the value, write --request=--json.',
    ],
    ['context', '--request 1 --changes', '--request cannot be combined with --changes.'],
    ['context', '--checkpoint 1 --request 1', '--checkpoint cannot be combined with --request.'],
    ['envelope', '--turn x', '--turn takes a number from 1, not "x".'],
    ['envelope', '--diff', '--diff needs a value.'],
    ['threads show', '', 'which thread? Give its id, its name or --last.'],
    ['replay', 'x --print', '--print works only with --request.'],
    ['replay', '--request 99999999999999999999 x', '--request takes a number from 1, not "99999999999999999999".'],
    ['threads list', 'x', 'it takes options only; `threads search` takes words.'],
    ['threads list', '-n 1001', '-n takes a number from 1 to 1000, not "1001".'],
    ['threads list', '--sort name', '--sort takes updated or created, not "name".'],
    ['threads export', 'x --format pdf', '--format takes jsonl, markdown or html, not "pdf".'],
    ['threads rollback', 'x -n 0', '-n takes a number from 1 to 9999999, not "0".'],
    ['threads rollback', 'x --to 1 --turns 2', '--turns cannot be combined with --to.'],
    ['threads compress', '--older-than 7d x', 'unexpected word "x".'],
    ['threads compress', '--older-than 7d --last', '--older-than cannot be combined with --last.'],
    [
      'threads search',
      '-x',
      'there is no option -x.',
      'See `capstan threads search --help`. Put a word that begins with a dash after "--".',
    ],
  ])('%s %s', (name, text, message, wayOn = next(name)) => {
    const parsed = parseCommand(named(name), words(text));
    expect(parsed).toEqual({ code: 'usage', message: `${name}: ${message}`, next: wayOn });
  });

  test('a command of several without one of them', () => {
    expect(parseCommand(configCommand, ['--strict-config'])).toBe('bare');
  });
});

describe('help', () => {
  it.each<[string, string]>([
    ['exec', '--help'],
    ['exec', 'help'],
    ['exec', 'resume -h'],
    ['exec', '--last --help'],
    ['config', 'help'],
    ['context', 'a b c --help'],
  ])('%s %s', (name, text) => {
    expect(parseCommand(named(name), words(text))).toBe('help');
  });

  it.each(commands.map((command) => [command.name, command] as const))(
    'of %s names each option once, and no other',
    (_, command) => {
      const text = commandHelp(command);
      const listed = text.slice(text.indexOf('\nOptions:\n')).match(/^ {2}(?:-\w, | {4})--[\w-]+/gm) ?? [];
      const shown = Object.values(command.options as Command['options']).filter(({ hidden }) => hidden !== true);
      expect(listed).toHaveLength(shown.length + 1);
      const known = [...shown.flatMap(({ names }) => names), '-h', '--help'];
      const forms = command.forms.map((form) => (typeof form === 'string' ? form : form[0])).join(' ');
      for (const [name] of forms.matchAll(/(?<![\w-])--?[a-z][\w-]*/g)) expect(known).toContain(name);
    },
  );

  it.each(commands.map((command) => [command.name, command] as const))(
    'the table of %s holds together',
    (_, command: Command) => {
      const names = Object.values(command.options).flatMap((option) => option.names);
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toContain('--help');
      for (const { with: needed, without = [], only = [] } of Object.values(command.options)) {
        for (const key of [...without, ...(needed === undefined ? [] : [needed])])
          expect(command.options).toHaveProperty(key);
        for (const variant of only) expect(command.variants).toHaveProperty(variant);
      }
    },
  );
});

test('with a verbatim word the options end, and so do variants', () => {
  const runner = {
    name: 'runner',
    does: '',
    summary: '',
    forms: [],
    options: { json: flag('--json', '') },
    words: [{ name: 'COMMAND', many: true, verbatim: true, missing: 'which?' }],
    variants: { look: [], run: [{ name: 'COMMAND', many: true, verbatim: true }] },
  } as const satisfies Command;
  const parsed = (...words: readonly string[]) => {
    const given = parseCommand(runner, words);
    return typeof given === 'string' || 'code' in given ? given : [given.variant, given.options.json, ...given.words];
  };
  expect(parsed('ls', '--json', '--help')).toEqual([undefined, false, 'ls', '--json', '--help']);
  expect(parsed('--json', 'ls', '--', '-x')).toEqual([undefined, true, 'ls', '--', '-x']);
  expect(parsed('--', 'look')).toEqual([undefined, false, 'look']);
  expect(parsed('look', '--json')).toEqual(['look', true]);
  expect(parsed('run', '--json', 'look', '--json')).toEqual(['run', true, 'look', '--json']);
  expect(parsed('--help')).toBe('help');
  expect(parsed()).toMatchObject({ code: 'usage', message: 'runner: which?' });
});
