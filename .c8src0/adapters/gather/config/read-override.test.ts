import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import type { Json } from '../../../protocol/json.ts';
import { parseOverrideText } from './toml.ts';

test.each<[string, readonly string[], Json]>([
  ['model=gpt-5.5', ['model'], 'gpt-5.5'],
  ['model="gpt-5.5"', ['model'], 'gpt-5.5'],
  [" model = 'x' ", ['model'], 'x'],
  ['a.b.c=1', ['a', 'b', 'c'], 1],
  ['sandbox_workspace_write.network_access=true', ['sandbox_workspace_write', 'network_access'], true],
  ['projects."/a/b.c".trust_level=trusted', ['projects', '/a/b.c', 'trust_level'], 'trusted'],
  ['url=https://host/?a=b', ['url'], 'https://host/?a=b'],
  ['roots=["/a", "/b"]', ['roots'], ['/a', '/b']],
  ['set={ A = "1" }', ['set'], { A: '1' }],
  ['text="half', ['text'], 'half'],
  ['text=', ['text'], ''],
])('%s', async (text, path, value) => {
  expect(await parseOverrideText(text)).toEqual({ path, value });
});

test.each<[string, Json]>([
  [String.raw`"a\tb\"c\\ A \U0001F600"`, 'a\tb"c\\ A 😀'],
  [String.raw`'C:\raw'`, String.raw`C:\raw`],
  ['-1_000', -1000],
  ['0xff', 255],
  ['1.5e3', 1500],
  ['true', true],
  ['false # not now', false],
  ['[1, # one\n 2]', [1, 2]],
  ['{ a = 1, b.c = "x", "d e" = [true] }', { a: 1, b: { c: 'x' }, 'd e': [true] }],
  ['"""three"""', 'three'],
  ['2026-11-15', '2026-11-15'],
  // Input that is not one value of TOML is text.
  ['plain', 'plain'],
  ['truely', 'truely'],
  ['"open', 'open'],
  [String.raw`"\q"`, String.raw`\q`],
  ['007', '007'],
  ['1.', '1.'],
  ['inf', 'inf'],
  ['99999999999999999999', '99999999999999999999'],
  ['[1 2]', '[1 2]'],
  ['{ a = 1, a = 2 }', '{ a = 1, a = 2 }'],
  ['"a" "b"', 'a" "b'],
  ['1\nother = 2', '1\nother = 2'],
  ['[]\n[other]', '[]\n[other]'],
  ['{}\n[value.other]', '{}\n[value.other]'],
])('the value %s is read as %j', async (written, value) => {
  expect(await parseOverrideText(`key=${written}`)).toEqual({ path: ['key'], value });
});

const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
}));

test('what the TOML library writes on one line is read back', async () => {
  await fc.assert(
    fc.asyncProperty(anyValue, async (original) => {
      // Inside an array of mixed values the library writes everything inline.
      const text = stringify({ x: [0, original] }).trim();
      expect(await parseOverrideText(text)).toEqual({ path: ['x'], value: [0, original] });
    }),
  );
});
