import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { flagsLayer, loadConfigFile } from './config-file.ts';

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-config-'));
  file = join(home, 'config.toml');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function load() {
  return loadConfigFile({ name: 'user', path: file, osHome: '/users/me' });
}

test('a missing file is an empty layer', async () => {
  expect(await load()).toEqual({ layer: { name: 'user', source: file, values: {} }, problems: [] });
});

test.each(['', '\n\n', '# only\n  # comments\n', '\uFEFF# and a mark\n'])('%j says nothing', async (text) => {
  writeFileSync(file, text);
  const read = text.replace('\uFEFF', '');
  expect(await load()).toEqual({ layer: { name: 'user', source: file, values: {}, text: read }, problems: [] });
});

test('the file becomes plain values, with paths made absolute from its own folder', async () => {
  const text = `model = "gpt-5.5"
model_instructions_file = "prompts/base.md"
released = 2026-11-15

[sandbox_workspace_write]
writable_roots = ["~", "~/work", "../shared", "/abs/x/.."]
network_access = true

[projects."~/mine"]
trust_level = "trusted"

[model_providers.mine]
base_url = "http://localhost"
`;
  writeFileSync(file, `\uFEFF${text}`);
  expect(await load()).toEqual({
    layer: {
      name: 'user',
      source: file,
      text,
      values: {
        model: 'gpt-5.5',
        model_instructions_file: join(home, 'prompts/base.md'),
        released: '2026-11-15',
        sandbox_workspace_write: {
          writable_roots: ['/users/me', '/users/me/work', join(home, '../shared'), '/abs'],
          network_access: true,
        },
        projects: { '/users/me/mine': { trust_level: 'trusted' } },
        model_providers: { mine: { base_url: 'http://localhost' } },
      },
    },
    problems: [],
  });
});

test('a syntax error says where it is, shows the line and what to do', async () => {
  writeFileSync(file, 'model = "a"\n\tmodel_provider = oops # why\n');
  const { layer, problems } = await load();
  expect(layer.values).toEqual({});
  expect(problems).toEqual([
    {
      code: 'config-syntax',
      severity: 'error',
      source: file,
      line: 2,
      message: expect.stringMatching(/config\.toml:2:19: [^\n]+\.\n2 \|  model_provider = \*…\n {22}\^$/),
      next: `Correct line 2 of ${file}.`,
    },
  ]);
});

test('a long line is shown around the place', async () => {
  writeFileSync(file, `["${'a'.repeat(200)}".oops x]${'b'.repeat(200)}\n`);
  const [, excerpt, mark] = (await load()).problems[0]!.message.split('\n');
  expect(excerpt!.length).toBeLessThan(120);
  expect(excerpt!.slice(0, mark!.indexOf('^') + 1)).toMatch(/a"\.oops \*$/);
});

test.each([
  ['GITHUB_PAT="HUNTER2xabc', '3 | GITHUB_PAT=*…\n               ^'],
  ['X-Org = HUNTER2xabc', '3 | X-Org = *…\n            ^'],
  [
    'env = { PAT = "HUNTER2xabc", B = }',
    '3 | env = ****************************\n                                     ^',
  ],
  ['PAT = "HUNTER2xabc" x # HUNTER2xabc', '3 | PAT = ***************…\n                        ^'],
  ['PAT = """HUNTER2xabc', '3 | PAT = *…\n          ^'],
  ['"a = b" . c = "HUNTER2xabc\\q"', '3 | "a = b" . c = **************…\n                               ^'],
  ['[x] PAT = "HUNTER2xabc"', '3 | [x]**…\n        ^'],
  ['a = 1\na = "HUNTER2xabc"', '4 | a = …\n    ^'],
])('no value stands in the line of a mistake: %s', async (text, excerpt) => {
  writeFileSync(file, `[mcp_servers.x]\ncommand = "y"\n${text}\n`);
  const { message } = (await load()).problems[0]!;
  const [, ...shown] = message.split('\n');
  expect(shown.join('\n')).toBe(excerpt);
});

test.each([
  'PAT = """\nHUNTER2xabc=""" x',
  'args = [\n  "HUNTER2xabc" x,\n]',
  'args = [\n  HUNTER2xabc = "x",\n]',
  'PAT "HUNTER2xabc"',
  'HUNTER2xabc',
])('a line that is part of a value, or has no key, is not shown: %j', async (text) => {
  writeFileSync(file, `[mcp_servers.x]\n${text}\n`);
  const { message } = (await load()).problems[0]!;
  expect(message).toMatch(/^[^\n]+config\.toml:\d+:\d+: [^\n]+\.$/);
  expect(message).not.toContain('HUNTER');
});

test('a line that seems to hold a secret is not repeated', async () => {
  writeFileSync(file, '[model_providers.x]\nexperimental_bearer_token = "hunter2\n');
  const { message } = (await load()).problems[0]!;
  expect(message).toMatch(/config\.toml:2:\d+: /);
  expect(message).not.toContain('hunter2');
});

test('a folder in place of the file is a problem', async () => {
  mkdirSync(file);
  expect((await load()).problems).toMatchObject([
    { code: 'config-unreadable', severity: 'error', source: file, message: expect.stringContaining('it is a folder') },
  ]);
});

test('bytes that are no text are a problem', async () => {
  writeFileSync(file, Buffer.from([0x61, 0x3d, 0x22, 0xff, 0x22]));
  expect((await load()).problems).toMatchObject([{ code: 'config-unreadable', next: 'Save the file as UTF-8.' }]);
});

test('paths in flags start from the working folder; values of a wrong type are left alone', () => {
  expect(
    flagsLayer(
      [
        { path: ['sandbox_workspace_write', 'writable_roots'], value: ['out', 5] },
        { path: ['model_instructions_file'], value: 7 },
        { path: ['model'], value: './not-a-path' },
      ],
      { base: '/repo', osHome: '/users/me' },
    ),
  ).toEqual({
    name: 'flags',
    source: 'command line',
    values: {
      sandbox_workspace_write: { writable_roots: ['/repo/out', 5] },
      model_instructions_file: 7,
      model: './not-a-path',
    },
  });
});

test('a command that prints a key and is named by a path starts from its folder, else from that of the file', async () => {
  const auth = (command: string, more = '') => `{ command = "${command}"${more} }`;
  const tables = [auth('bin/token'), auth('./token'), auth('token'), auth('~/token'), auth('./token', ', cwd = "sub"')];
  writeFileSync(file, tables.map((table, at) => `[model_providers.p${at}]\nauth = ${table}\n`).join(''));
  const { layer } = await load();
  const providers = Object.values(layer.values['model_providers'] as Record<string, { auth: { command: string } }>);
  expect(providers.map(({ auth: { command } }) => command)).toEqual([
    join(home, 'bin/token'),
    join(home, 'token'),
    'token',
    '/users/me/token',
    join(home, 'sub/token'),
  ]);
});

test.each<[string, string, string]>([
  ['model = "gpt-5.5', '1:9', 'the string that begins here has no end: " is missing'],
  [
    '# why\nmodel = "gpt-5.5 # no\nmodel_provider = "x"\n',
    '2:9',
    'the string that begins here has no end: " is missing',
  ],
  ["a = 1\r\nx = 'abc\r\ny = 2\r\n", '2:5', "the string that begins here has no end: ' is missing"],
  ['a = ["x\\"", "y]\n', '1:13', 'the string that begins here has no end: " is missing'],
  ['a = [\n"x",\n"y\n]\n', '3:1', 'the string that begins here has no end: " is missing'],
  ['a = 1\nb = """\nabc\n\nc = 1\n', '2:5', 'the string that begins here has no end: """ is missing'],
  ["a = '''\nabc\n", '1:5', "the string that begins here has no end: ''' is missing"],
  ['"ab = 1\n', '1:1', 'the string that begins here has no end: " is missing'],
  ['a = [1,\n2\n\n', '2:2', 'the file ends inside a list or table: ] or } is missing'],
  ['[table\nx = 1\n', '1:7', 'the name of this table has no end: ] is missing'],
])('what is missing in %j is named, with its place', async (text, place, reason) => {
  writeFileSync(file, text);
  const { problems } = await load();
  expect(problems.map(({ message, next }) => [message.split('\n', 1)[0], next])).toEqual([
    [`${file}:${place}: ${reason}.`, `Correct line ${place.split(':')[0]} of ${file}.`],
  ]);
});
