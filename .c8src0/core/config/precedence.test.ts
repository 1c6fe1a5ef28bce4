import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject, valueAt } from '../../protocol/json.ts';
import { resolveConfig } from './config.ts';
import { type ConfigLayer, type LayerName, layerNames } from './layer-order.ts';
import { defaultLayers } from './defaults.ts';
import { effectiveValues, leafValues } from './keys/inspect-keys.ts';

/** Two projects' files, one nearer than the other, stand between the same neighbours. */
const order: readonly Exclude<LayerName, 'default'>[] = [
  'system',
  'user',
  'profile',
  'project',
  'project',
  'flags',
  'managed',
];

const word = fc.stringMatching(/^[a-z]{1,6}$/);
/** Values that any layer may set, projects included. */
const values = fc.record(
  {
    model: word,
    tool_output_token_limit: fc.nat(9),
    project_doc_fallback_filenames: fc.array(word, { maxLength: 3 }),
    sandbox_workspace_write: fc.record(
      { network_access: fc.boolean(), writable_roots: fc.array(word, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    shell_environment_policy: fc.record(
      { inherit: fc.constantFrom('all', 'core', 'none'), set: fc.dictionary(word, word, { maxKeys: 3 }) },
      { requiredKeys: [] },
    ),
    skills: fc.record(
      { include_instructions: fc.boolean(), max_context_tokens: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const layers = fc
  .tuple(...order.map(() => fc.option(values, { nil: undefined })))
  .map((chosen) =>
    chosen.flatMap((given, rank): ConfigLayer[] =>
      given === undefined ? [] : [{ name: order[rank]!, source: `/layer/${rank}`, values: given }],
    ),
  );

test('the order of the layers is the order of their names', () => {
  expect([...new Set(['default', ...order])]).toEqual(layerNames);
});

test('whichever layers set a key, the highest wins', () => {
  fc.assert(
    fc.property(layers, (given) => {
      const all = [...defaultLayers('unknown'), ...given];
      const { values: merged, originOf } = effectiveValues(all, { unknown: 'error' });
      const paths = all.flatMap((layer) => leafValues(layer.values)).map(({ path }) => path);
      for (const path of paths) {
        const winner = all.findLast((layer) => valueAt(layer.values, path) !== undefined)!;
        const expected = valueAt(winner.values, path);
        // A table is not won: it holds what all layers put into it.
        if (isJsonObject(expected)) continue;
        expect(valueAt(merged, path)).toEqual(expected);
        expect(originOf(path)?.source).toBe(winner.source);
      }
    }),
  );
});

test('nothing is there that no layer set, and lists are never joined', () => {
  fc.assert(
    fc.property(layers, (given) => {
      const all = [...defaultLayers('unknown'), ...given];
      for (const { path, value } of leafValues(effectiveValues(all, { unknown: 'error' }).values)) {
        expect(all.map((layer) => valueAt(layer.values, path))).toContainEqual(value);
      }
    }),
  );
});

test('of a profile and a mode, only the one that counts is shown', () => {
  const layer = (name: LayerName, values: JsonObject): ConfigLayer => ({ name, source: name, values });
  const shown = (...given: readonly ConfigLayer[]) => {
    const { values, originOf } = effectiveValues([...defaultLayers('unknown'), ...given], { unknown: 'error' });
    const keys = ['sandbox_mode', 'default_permissions'];
    return keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key], originOf([key])?.name]]));
  };
  const profile = { default_permissions: 'dev' };
  const mode = { sandbox_mode: 'workspace-write' };
  expect(shown()).toEqual([['sandbox_mode', 'read-only', 'default']]);
  expect(shown(layer('user', profile))).toEqual([['default_permissions', 'dev', 'user']]);
  expect(shown(layer('user', { ...profile, ...mode }))).toEqual([['default_permissions', 'dev', 'user']]);
  expect(shown(layer('user', profile), layer('flags', mode))).toEqual([['sandbox_mode', 'workspace-write', 'flags']]);
});

test('what is read is what is shown', () => {
  fc.assert(
    fc.property(layers, (given) => {
      const { config } = resolveConfig(given);
      const shown = effectiveValues([...defaultLayers('unknown'), ...given], { unknown: 'error' }).values;
      expect([
        config.model,
        config.toolOutputTokenLimit,
        config.projectDocFallbackFilenames,
        config.sandboxWorkspaceWrite.writableRoots,
        config.shellEnvironmentPolicy.set,
        config.sandboxMode,
      ]).toEqual([
        shown['model'],
        shown['tool_output_token_limit'],
        shown['project_doc_fallback_filenames'],
        valueAt(shown, ['sandbox_workspace_write', 'writable_roots']),
        valueAt(shown, ['shell_environment_policy', 'set']),
        shown['sandbox_mode'],
      ]);
    }),
  );
});
