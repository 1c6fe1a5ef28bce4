import { valueAt } from '../protocol/json.ts';
import { type CheckedValues, type CheckOptions, checkValues } from './check-values.ts';
import { type ConfigLayer, sourceOf } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';
import { keyTable } from './key-table.ts';
import { withoutForbiddenKeys } from './project-keys.ts';
import { withoutProviderKeys } from './project-servers.ts';
import { filterProblems } from './shell-filters.ts';

export interface CheckedLayer extends CheckedValues {
  readonly layer: ConfigLayer;
}

/** Every layer that counts, held against the key table. The order stays. */
export function checkLayers(layers: readonly ConfigLayer[], options: CheckOptions): readonly CheckedLayer[] {
  const counting = layers.filter(({ disabled }) => disabled === undefined);
  const each = counting.map((layer) => checkLayer(layer, options));
  const checked = withoutProviderKeys(each, options.otherVariables);
  const flags = checked.find(({ layer }) => layer.name === 'flags');
  return flags === undefined ? checked : checked.map((one) => (one.layer.name === 'managed' ? over(flags, one) : one));
}

function checkLayer(given: ConfigLayer, options: CheckOptions): CheckedLayer {
  // Most layers of most starts are files that do not exist.
  if (Object.keys(given.values).length === 0) return { layer: given, values: {}, unused: {}, problems: [], keys: [] };
  const { layer, problems } = given.name === 'project' ? withoutForbiddenKeys(given) : { layer: given, problems: [] };
  const checked = checkValues(keyTable, layer, options);
  return { ...checked, layer, problems: [...problems, ...checked.problems, ...filterProblems(layer)] };
}

/** The managed layer beats the flags and says so where they differ, but never widens a flag that says `read-only`. */
function over(flags: CheckedLayer, managed: CheckedLayer): CheckedLayer {
  const yields = flags.values['sandbox_mode'] === 'read-only';
  const keys = managed.keys.filter(([key]) => !yields || (key !== 'sandbox_mode' && key !== 'default_permissions'));
  const { sandbox_mode: _mode, default_permissions: _profile, ...others } = managed.values;
  const values = yields ? others : managed.values;
  const problems = keys.flatMap((path) => overridden(flags, managed, path));
  return { ...managed, values, keys, problems: [...managed.problems, ...problems] };
}

function overridden(flags: CheckedLayer, managed: CheckedLayer, path: readonly string[]): readonly ConfigProblem[] {
  const [below, above] = [flags, managed].map(({ values }) => valueAt(values, path));
  if (below === undefined || JSON.stringify(below) === JSON.stringify(above)) return [];
  return [
    keyProblem(flags.layer, path, {
      code: 'config-overridden-key',
      severity: 'warning',
      what: `has no effect: ${sourceOf(managed.layer, path)} overrides it`,
      next: 'Ask the administrator of this machine.',
    }),
  ];
}
