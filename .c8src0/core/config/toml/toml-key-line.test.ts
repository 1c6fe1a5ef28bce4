import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parseTomlKey } from './toml-key.ts';
import { tomlKeyLine } from './toml-key-line.ts';

const text = `# a comment with model = "no"
model = "x" # model = 3
"quoted key" = 1
dotted.key.here = true
dotted.'other key' = 2

text = """
model_provider = "inside a text"
[not.a.table] \\"""
"""
literal = '''
fake = 1'''
list = [
  "one", # [x]
  "two",
  ['nested', """
text"""],
]
inline = { a = 1, "b.c" = { d = [1, 2] }, e.f = "}" }
date = 1979-05-27 07:32:00
after = 1

[table] # header
key = 1
[ table . "sub.table" ]
key = 2

[[servers]]
name = "first"
[servers.options]
deep = 1
[[servers]]
name = "second"
[[servers.users]]
id = 1
[[servers.users]]
id = 2
[projects."/home/me/a.b"]
trust_level = "trusted"\r
last = 1\r
`;

describe('the line of a key', () => {
  test.each<[string, number]>([
    ['model', 2],
    ['"quoted key"', 3],
    ['dotted', 4],
    ['dotted.key', 4],
    ['dotted.key.here', 4],
    ['dotted."other key"', 5],
    ['text', 7],
    ['literal', 11],
    ['list', 13],
    ['list.0', 14],
    ['list.1', 15],
    ['list.2', 16],
    ['list.2.1', 16],
    ['inline', 19],
    ['inline.a', 19],
    ['inline."b.c".d', 19],
    ['inline.e.f', 19],
    ['date', 20],
    ['after', 21],
    ['table', 23],
    ['table.key', 24],
    ['table."sub.table"', 25],
    ['table."sub.table".key', 26],
    ['servers', 28],
    ['servers.0.name', 29],
    ['servers.0.options', 30],
    ['servers.0.options.deep', 31],
    ['servers.1', 32],
    ['servers.1.name', 33],
    ['servers.1.users.0.id', 35],
    ['servers.1.users.1.id', 37],
    ['projects."/home/me/a.b".trust_level', 39],
    ['projects."/home/me/a.b".last', 40],
    // Not there: the nearest table around it.
    ['table.missing.key', 23],
  ])('%s is %i', (key, line) => {
    expect(tomlKeyLine(text, parseTomlKey(key) ?? [])).toBe(line);
  });

  test.each(['fake', 'not', 'model_provider', 'x'])('%s stands in no line', (key) => {
    expect(tomlKeyLine(text, [key])).toBeUndefined();
  });

  test('and the text is TOML', () => {
    expect(Object.keys(parse(text))).toContain('projects');
  });
});

test('a table over several lines, and one that is opened later again', () => {
  expect(tomlKeyLine('[a.b]\nx = 1\n[a]\ny = 2\n', ['a', 'y'])).toBe(4);
  expect(tomlKeyLine('a = [\n {\n  x = 1 },\n { y = 2 }]', ['a', '1', 'y'])).toBe(4);
});

const key = fc.oneof(fc.stringMatching(/^[a-z_-]{1,6}$/), fc.string({ minLength: 1, maxLength: 6 }));
const { table } = fc.letrec<{ table: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.integer(), fc.string(), fc.boolean(), fc.array(fc.string()), tie('table')),
  table: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
}));

test('every key of a document is found where it is written', () => {
  fc.assert(
    fc.property(table, (values) => {
      const document = stringify(values);
      const lines = document.split('\n');
      for (const path of pathsOf(values)) {
        const line = tomlKeyLine(document, path);
        expect(line).toBeDefined();
        expect(lines[line! - 1]).toContain(JSON.stringify(path.at(-1)).slice(1, -1));
      }
    }),
  );
});

test('whatever the text, the answer is a line of it or none', () => {
  const unit = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '"""',
    "'''",
    '=',
    '.',
    ',',
    '\n',
    '\\',
    '#',
    'a',
    ' ',
    '1',
  );
  fc.assert(
    fc.property(
      fc.array(unit).map((units) => units.join('')),
      (anything) => {
        const line = tomlKeyLine(anything, ['a']);
        expect(line === undefined || (line >= 1 && line <= anything.split('\n').length)).toBe(true);
      },
    ),
  );
  expect(tomlKeyLine('a = '.concat('['.repeat(100_000)), ['a'])).toBe(1);
});

function pathsOf(values: Record<string, unknown>): string[][] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
    return [[name], ...pathsOf(inner).map((path) => [name, ...path])];
  });
}
