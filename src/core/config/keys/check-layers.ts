import { isFramingHeader, isHeaderName, isHeaderValue } from '../../../protocol/http.ts';
import { isJsonObject, type Json, objectAt, valueAt } from '../../../protocol/json.ts';
import { type ConfigLayer, type ConfigProblem, configKeyProblem, configKeySource } from '../layer-order.ts';
import { variableFilterProblems } from '../merge-values.ts';
import { withoutForbiddenKeys } from '../project-trust.ts';
import { withoutProviderVariables } from '../servers/secret-variables.ts';
import { formatTomlKey } from '../toml/toml-key.ts';
import { type CheckedConfigValues, type CheckOptions, checkConfigValues } from './check-values.ts';
import { configSchema } from './key-table.ts';

export type CheckedConfigLayer = CheckedConfigValues & { readonly layer: ConfigLayer };

export function checkConfigLayers(
  layers: readonly ConfigLayer[],
  options: CheckOptions,
): readonly CheckedConfigLayer[] {
  const counting = layers.filter(({ disabled }) => disabled === undefined);
  const each = counting.map((layer) => checkLayer(layer, options));
  const checked = withoutProviderVariables(each, options.otherVariables);
  const flags = checked.find(({ layer }) => layer.name === 'flags');
  return flags === undefined ? checked : checked.map((one) => (one.layer.name === 'managed' ? over(flags, one) : one));
}

function checkLayer(given: ConfigLayer, options: CheckOptions): CheckedConfigLayer {
  // Most layers of most starts are missing files.
  if (Object.keys(given.values).length === 0) return { layer: given, values: {}, unused: {}, problems: [], keys: [] };
  const { layer, problems } = given.name === 'project' ? withoutForbiddenKeys(given) : { layer: given, problems: [] };
  const checked = checkConfigValues(configSchema, layer, options);
  return { ...checked, layer, problems: [...problems, ...checked.problems, ...variableFilterProblems(layer)] };
}

/** The managed layer beats the flags and reports differences, but never widens a `read-only` flag. */
function over(flags: CheckedConfigLayer, managed: CheckedConfigLayer): CheckedConfigLayer {
  const yields = flags.values['sandbox_mode'] === 'read-only';
  const keys = managed.keys.filter(([key]) => !yields || (key !== 'sandbox_mode' && key !== 'default_permissions'));
  const { sandbox_mode: _mode, default_permissions: _profile, ...others } = managed.values;
  const values = yields ? others : managed.values;
  const problems = keys.flatMap((path) => overridden(flags, managed, path));
  return { ...managed, values, keys, problems: [...managed.problems, ...problems] };
}

function overridden(
  flags: CheckedConfigLayer,
  managed: CheckedConfigLayer,
  path: readonly string[],
): readonly ConfigProblem[] {
  const [below, above] = [flags, managed].map(({ values }) => valueAt(values, path));
  if (below === undefined || JSON.stringify(below) === JSON.stringify(above)) return [];
  const what = `has no effect: ${configKeySource(managed.layer, path)} overrides it`;
  const next = 'Ask the administrator of this machine.';
  return [configKeyProblem(flags.layer, path, { code: 'config-overridden-key', severity: 'warning', what, next })];
}

/** Provider headers that cannot be sent. Requests go without them, and a server may refuse these. */
export function headerProblems(checked: readonly CheckedConfigLayer[]): readonly ConfigProblem[] {
  return checked.flatMap(({ layer, values }, rank) => {
    const providers = Object.keys(objectAt(values, 'model_providers') ?? {});
    const paths = providers.flatMap((id) => [
      ...headersOf(values, id, 'http_headers'),
      ...headersOf(values, id, 'env_http_headers'),
    ]);
    const above = checked.slice(rank + 1);
    return paths
      .filter((path) => above.every((higher) => valueAt(higher.values, path) === undefined))
      .filter((path) => !isReplacedByVariable(path, checked))
      .flatMap((path) => {
        const fault = faultOf(path, valueAt(values, path));
        if (fault === undefined) return [];
        const what = `${fault.what}, so Capstan sends requests without this header`;
        const about = { code: 'config-wrong-value', severity: 'warning', what, next: fault.next } as const;
        return [configKeyProblem(layer, path, about)];
      });
  });
}

export const wrongHeaderCharacterText = 'has a character that no header may have';
export const likelyHeaderCharacterText =
  'a pasted "…", a line end or a quotation mark of another language may be in it.';

function headersOf(values: CheckedConfigLayer['values'], id: string, key: string): readonly (readonly string[])[] {
  const path = ['model_providers', id, key];
  const headers = valueAt(values, path);
  return isJsonObject(headers) ? Object.keys(headers).map((name) => [...path, name]) : [];
}

/** A header of this name from a set variable takes precedence. Its value is checked when a thread opens. */
function isReplacedByVariable(path: readonly string[], checked: readonly CheckedConfigLayer[]): boolean {
  const [, id, key, name] = path;
  if (key !== 'http_headers') return false;
  const names = checked.flatMap(({ values }) => headersOf(values, id!, 'env_http_headers').map((each) => each.at(-1)!));
  return names.some((each) => each.toLowerCase() === name!.toLowerCase());
}

function faultOf(path: readonly string[], value: Json | undefined) {
  if (!isHeaderName(path.at(-1)!)) {
    const next = 'Write a name of letters, digits and hyphens, without blanks.';
    return { what: 'is not the name of a header', next };
  }
  if (isFramingHeader(path.at(-1)!)) {
    const next = 'Remove it, or give the server another address in base_url.';
    return { what: 'is set by the connection itself', next };
  }
  if (typeof value !== 'string' || isHeaderValue(value)) return undefined;
  return { what: wrongHeaderCharacterText, next: `Write it again by hand: ${likelyHeaderCharacterText}` };
}

interface Found {
  readonly rank: number;
  readonly layer: CheckedConfigLayer['layer'];
  readonly path: readonly string[];
  readonly value: number;
}

/** Contradicting shares of the window. The higher layer is reported: the lower one was valid on its own. */
export function windowProblems(checked: readonly CheckedConfigLayer[]): readonly ConfigProblem[] {
  const find = (key: string): Found | undefined => findKey(checked, ['window', key]);
  const [tokens, percent] = [find('effective_tokens'), find('effective_percent')];
  const [compact, reserve] = [find('auto_compact_percent'), find('reserve_percent')];
  const problems: ConfigProblem[] = [];
  if (tokens !== undefined && percent !== undefined) {
    const [upper, lower] = percent.rank >= tokens.rank ? [percent, tokens] : [tokens, percent];
    const what = `and ${named(lower)} are both set: Capstan uses the number of tokens and ignores the share`;
    const about = { code: 'config-overridden-key', severity: 'warning', what, next: 'Remove one of the two.' } as const;
    problems.push(configKeyProblem(upper.layer, upper.path, about));
  }
  if (compact !== undefined && reserve !== undefined && compact.value + reserve.value > 100) {
    const [upper, lower] = reserve.rank >= compact.rank ? [reserve, compact] : [compact, reserve];
    const what = `(${upper.value}) and ${named(lower)} (${lower.value}) add up to more than 100`;
    const next = 'Lower one of them: a thread must be compacted while there is still space for the compaction request.';
    const about = { code: 'config-wrong-value', severity: 'error', what, next } as const;
    problems.push(configKeyProblem(upper.layer, upper.path, about));
  }
  return problems;
}

function findKey(checked: readonly CheckedConfigLayer[], path: readonly string[]): Found | undefined {
  const rank = checked.findLastIndex(({ values }) => valueAt(values, path) !== undefined);
  const found = checked[rank];
  const value = found === undefined ? undefined : valueAt(found.values, path);
  return found === undefined || typeof value !== 'number' ? undefined : { rank, layer: found.layer, path, value };
}

const named = ({ layer, path }: Found): string => `${formatTomlKey(path)} of ${configKeySource(layer, path)}`;
