import { type ConfigLayer, lineOf, sourceOf } from '../../config/config-layer.ts';
import { leavesOf } from '../../config/effective-values.ts';
import { hideSecrets } from '../../policy/secrets.ts';
import { keyNames } from '../../config/known-key.ts';
import { keyTable } from '../../config/key-table.ts';
import { formatTomlKey } from '../../config/toml-key.ts';
import { writeToml } from '../../config/write-toml.ts';
import { defined } from '../../protocol/defined.ts';
import { equalJson, type JsonObject, valueAt } from '../../protocol/json.ts';
import type { Configured } from '../engine/configured.ts';

/** The values in force as a TOML document. */
export function showToml({ effective }: Configured, { origin }: { readonly origin: boolean }): string {
  const comment = (path: readonly string[]): string => describeOrigin(effective.originOf(path), path);
  const values = shownValues(effective.values);
  return `${writeToml(values, origin ? { comment } : {})}\n${notSet(values)}`;
}

/** The other keys that this version reads, as comments. Features have a list of their own in the documentation. */
function notSet(values: JsonObject): string {
  // It may be set, and the profile overrules it.
  const overruled = 'default_permissions' in values ? 'sandbox_mode' : undefined;
  const names = keyNames().filter(
    (name) => !name.startsWith('features.') && name !== overruled && valueAt(values, name.split('.')) === undefined,
  );
  const lines = ['# Not set:'];
  for (const [at, name] of names.entries()) {
    const word = at === names.length - 1 ? name : `${name},`;
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= 80) lines[lines.length - 1] = longer;
    else lines.push(`#   ${word}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The same for programs. */
export function showJson(configured: Configured, { origin }: { readonly origin: boolean }): string {
  const { effective, trust, layers, problems } = configured;
  const values = shownValues(effective.values);
  const origins = leavesOf(values).map(({ path }) => [formatTomlKey(path), originJson(effective.originOf(path), path)]);
  const shown = {
    values,
    ...(origin ? { origins: Object.fromEntries(origins) } : {}),
    trust,
    layers: layers.map((layer) => {
      const state = layerState(layer, configured);
      return { layer: layer.name, source: layer.source, ...(state === '' ? {} : { state }) };
    }),
    problems,
  };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

function describeOrigin(layer: ConfigLayer | undefined, path: readonly string[]): string {
  if (layer === undefined) return 'unknown';
  const place = sourceOf(layer, path);
  return place === 'built in' ? layer.name : `${layer.name}, ${place}`;
}

function originJson(layer: ConfigLayer | undefined, path: readonly string[]): JsonObject {
  if (layer === undefined) return {};
  const line = lineOf(layer, path);
  return { layer: layer.name, source: layer.source, ...defined({ line }) };
}

/** Without secrets; keys that are in use first and in the order of the key table, then the others by name. */
function shownValues(values: JsonObject): JsonObject {
  // An empty table is what is left when everything in it was at fault.
  const filled = Object.keys(values).filter((key) => !equalJson(values[key], {}));
  const used = Object.keys(keyTable.keys).filter((key) => filled.includes(key));
  const others = filled.filter((key) => !used.includes(key)).toSorted();
  return hideSecrets(Object.fromEntries([...used, ...others].map((key) => [key, values[key]])));
}

/** What became of a layer, in a word or two. Empty when it counts. */
export function layerState({ name, source, text, disabled }: ConfigLayer, { problems }: Configured): string {
  if (disabled !== undefined) return `not used: ${disabled}`;
  if (name === 'default' || name === 'flags') return '';
  const isAtFault = problems.some(
    (problem) => problem.source === source && /^config-(?:unreadable|syntax|profile)$/.test(problem.code),
  );
  if (isAtFault) return 'cannot be read';
  return text === undefined ? 'no such file' : '';
}
