import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mcpToolNames } from './listed-tools.ts';

const named = (...tools: readonly (readonly [string, string])[]): readonly string[] => [
  ...mcpToolNames(tools.map(([server, tool]) => ({ server, tool }))).values(),
];

test('the name of a tool is that of its server and its own, in signs that providers accept', () => {
  expect(named(['files', 'read'], ['my server', 'look-up.all'], ['', '']).slice(0, 3)).toEqual([
    'mcp__files__read',
    'mcp__my_server__look_up_all',
    'mcp______',
  ]);
});

test('tools that would have one name, and names that are too long, get a digest of what they are called', () => {
  const [dash, dot, other] = named(['s', 'get-it'], ['s', 'get.it'], ['s', 'get_all']);
  expect([dash, dot, other]).toEqual([
    expect.stringMatching(/^mcp__s__get_it_[0-9a-f]{12}$/),
    expect.stringMatching(/^mcp__s__get_it_[0-9a-f]{12}$/),
    'mcp__s__get_all',
  ]);
  expect(dash).not.toBe(dot);
  // The digest stays in other company: it depends only on the name that it replaces.
  expect(named(['s', 'get.it'], ['s', 'get-it'])).toEqual([dot, dash]);
  const [long] = named(['s', 'x'.repeat(100)]);
  expect(long).toMatch(/^mcp__s__x+_[0-9a-f]{12}$/);
  expect(long).toHaveLength(64);
});

test('names are accepted everywhere, differ, and do not depend on the order', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '_', 'ü'), maxLength: 70 });
  const tools = fc.uniqueArray(fc.tuple(part, part), { selector: (pair) => pair.join('\n'), maxLength: 12 });
  fc.assert(
    fc.property(tools, (given) => {
      const all = given.map(([server, tool]) => ({ server, tool }));
      const names = mcpToolNames(all);
      for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_]{1,64}$/);
      expect(new Set(names.values()).size).toBe(all.length);
      const turned = mcpToolNames(all.toReversed());
      for (const tool of all) expect(turned.get(tool)).toBe(names.get(tool));
    }),
  );
});
