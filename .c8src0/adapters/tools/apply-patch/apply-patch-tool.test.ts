import { expect, it } from 'vitest';
import { applyPatchFunctionSpec, applyPatchSpec } from './apply-patch-tool.ts';

const format = applyPatchSpec['format'] as { readonly definition: string };

it('every name in the grammar is defined, once', () => {
  const definitions = [...format.definition.matchAll(/^(\w+):(.*)$/gm)].map(([, name = '', body = '']) => ({
    name,
    body,
  }));
  const names = definitions.map(({ name }) => name);
  const used = definitions.flatMap(({ body }) => body.replaceAll(/"[^"]*"|\/.*\//g, ' ').match(/\w+/g) ?? []);
  expect([...new Set(names)]).toEqual(names);
  expect([...new Set(used)].filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => name !== 'start' && !used.includes(name))).toEqual([]);
});

it('a model that is not held to the grammar can read it', () => {
  expect(applyPatchFunctionSpec['description']).toContain(format.definition);
});
