import { expect, test } from 'vitest';
import { withoutBareTable, withoutTomlTable, withTomlKey, withTomlKeys, withTomlTable } from './write-toml.ts';

const document = `# Mine.
model = "m"

[mcp_servers.docs]  # first
url = "https://a.org"

[mcp_servers."docs".tools.find]
approval_mode = "approve"

[mcp_servers.docs2]
command = "x" # stays

[[list.docs]]
a = 1
`;

test('a table goes with all that is below it, and the rest stays to the letter', () => {
  expect(withoutTomlTable(document, ['mcp_servers', 'docs'])).toBe(`# Mine.
model = "m"

[mcp_servers.docs2]
command = "x" # stays

[[list.docs]]
a = 1
`);
  expect(withoutTomlTable(document, ['mcp_servers', 'other'])).toBe(document);
  expect(withoutTomlTable('', ['a'])).toBe('\n');
  // Only comments right above the next table stay: they are about that one.
  const commented = '[a]\n# about a\nx = 1\n\n# about b\n# as well\n[b]\ny = 2\n';
  expect(withoutTomlTable(commented, ['a'])).toBe('# about b\n# as well\n[b]\ny = 2\n');
});

test('the header of a table goes if nothing is left of the table', () => {
  const without = (text: string): string => withoutBareTable(text, ['a', 'b']);
  expect(without('x = 1\n\n[a.b]\n')).toBe('x = 1\n');
  expect(without('[a.b]\n\n[c]\nd = 1\n')).toBe('[c]\nd = 1\n');
  for (const kept of ['[a.b]\n# why\n', '[a.b] # mine\n', '[a.b]\nc = 1\n', '[a]\n']) expect(without(kept)).toBe(kept);
});

test('a table is added at the end', () => {
  expect(withTomlTable('a = 1\n\n\n', ['mcp_servers', 'my docs'], { url: 'https://a.org', headers: { b: 'c' } }))
    .toBe(`a = 1

[mcp_servers."my docs"]
url = "https://a.org"

[mcp_servers."my docs".headers]
b = "c"
`);
  expect(withTomlTable('', ['a'], { b: 1 })).toBe('[a]\nb = 1\n');
});

test('a first key is changed where it stands, or stands first', () => {
  expect(withTomlKeys(document, { model: 'n', model_provider: 'ollama' })).toBe(
    `model_provider = "ollama"\n${document.replace('"m"', '"n"')}`,
  );
  expect(withTomlKeys('[a]\nmodel = "x"\n', { model: 'n' })).toBe('model = "n"\n[a]\nmodel = "x"\n');
  expect(withTomlKeys('', { model: 'n' })).toBe('model = "n"\n');
});

test('a key is set in its own line, and every other line stays', () => {
  const text = 'a = 1\n\n[tui] # mine\n# keep\ntheme = "old" # why\n\n[tui.keymap]\ntheme = 2\n';
  expect(withTomlKey(text, ['tui'], 'theme', 'light')).toBe(text.replace('"old"', '"light"'));
  expect(withTomlKey(text, ['tui'], 'ascii', true)).toBe(text.replace('# why\n', '# why\nascii = true\n'));
  expect(withTomlKey(text, ['tui'], 'theme', undefined)).toBe(text.replace('theme = "old" # why\n', ''));
  expect(withTomlKey(text, ['other'], 'b', 1)).toBeUndefined();
  const before = '[a]\nb = 1\n\n# About the next.\n[c]\n';
  expect(withTomlKey(before, ['a'], 'd', 2)).toBe(before.replace('b = 1\n', 'b = 1\nd = 2\n'));
  const long = '[keys]\na = [\n  "x", # one\n  "y",\n] # why\nb = 1\n';
  expect(withTomlKey(long, ['keys'], 'a', ['z'])).toBe('[keys]\na = ["z"] # why\nb = 1\n');
  expect(withTomlKey(long, ['keys'], 'a', undefined)).toBe('[keys]\nb = 1\n');
});
