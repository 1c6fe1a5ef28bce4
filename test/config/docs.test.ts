import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/core/config/config.ts';
import type { ConfigKeyKind } from '../../src/core/config/keys/key-kinds.ts';
import { configSchema } from '../../src/core/config/keys/key-table.ts';
import { configKeyStatus } from '../../src/core/config/keys/inspect-keys.ts';
import { withoutForbiddenKeys } from '../../src/core/config/project-trust.ts';
import { readRequirements, requirementsSchema } from '../../src/core/config/requirements/read-requirements.ts';
import { bundledCatalogue } from '../../src/adapters/gather/bundled-models.ts';
import { catalogueEntry } from '../../src/adapters/gather/model-catalogue-file.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { pages, readPage } from '../commands/pages.ts';

const text = readPage('docs/configure.md');
const examples = pages.flatMap((page) =>
  [...readPage(page).matchAll(/^```toml\n(.*?)^```$/gms)].map(([, example = '']) => [page, example] as const),
);

test.each(examples)('an example in %s is right, in the strict sense:\n%s', (_, example) => {
  const values = parse(example) as JsonObject;
  const layer = { name: 'managed', source: 'example', values, text: example } as const;
  const { problems } = example.startsWith('# requirements.toml')
    ? readRequirements(layer, undefined, { osHome: '/home/me' })
    : resolveConfig([layer], { osHome: '/home/me', cwd: '/repo' });
  expect(problems).toEqual([]);
});

test('the example of a catalogue is one', () => {
  const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(text) ?? [];
  const [record] = (JSON.parse(example) as { models: readonly JsonObject[] }).models;
  const entry = catalogueEntry(record!, bundledCatalogue().fallback);
  expect(entry).toMatchObject({ slug: 'gpt-oss', contextWindow: 131_072, instructions: 'You are careful.' });
});

test('the table of requirements lists what is enforced', () => {
  const section = text.slice(text.indexOf('| Requirement |'));
  const listed = [...section.matchAll(/^\| ([a-z_.]+) \| /gm)].map(([, key]) => key ?? '');
  expect(listed).toContain('permissions.filesystem.deny_read');
  const known = keysOf(requirementsSchema, '');
  // Keys of a table that is read as a whole are checked where it is read.
  const isKnown = (key: string) =>
    known.some(
      (one) => one === key || one.startsWith(`${key}.`) || (one === 'permissions' && key.startsWith(`${one}.`)),
    );
  for (const key of listed) expect([key, isKnown(key)]).toEqual([key, true]);
});

test('the table lists every key that is read, and no other', () => {
  const listed = [...text.matchAll(/^\| `([a-z_.A-Z]+)` \|/gm)].map(([, key]) => key);
  expect(listed.toSorted()).toEqual(keysOf(configSchema, '').toSorted());
});

test('what a project cannot set is listed as it is enforced', () => {
  const listed = /left out with a warning:\n(.*?)\nBelow the project's root/s.exec(text)?.[1] ?? '';
  const keys = [...listed.matchAll(/`([a-z_]+)`/g)].map(([, key]) => key ?? '');
  expect(keys.length).toBeGreaterThan(10);
  const values = Object.fromEntries(keys.map((key) => [key, 'x']));
  expect(withoutForbiddenKeys({ name: 'project', source: 'x', values }).layer.values).toEqual({});
  for (const key of keys) expect(configKeyStatus([key]).kind).not.toBe('unknown');
});

function keysOf(kind: ConfigKeyKind, prefix: string): readonly string[] {
  const under = (keys: Readonly<Record<string, ConfigKeyKind>>, before: string): readonly string[] =>
    Object.entries(keys).flatMap(([key, inner]) => keysOf(inner, before === '' ? key : `${before}.${key}`));
  switch (kind.type) {
    case 'table':
      return under(kind.keys, prefix);
    case 'named-tables':
      return under(kind.keys, `${prefix}.${kind.names === 'folders' ? 'FOLDER' : 'ID'}`);
    case 'retired':
      return [];
    default:
      return [prefix];
  }
}
