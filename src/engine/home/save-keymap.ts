import type { ConfigLayer } from '../../core/config/layer-order.ts';
import type { BaseLayers } from '../../adapters/gather/config/config-layers.ts';
import { mergeValues } from '../../core/policy/profiles/tables/inherited-table.ts';
import { loadConfigFile } from '../../adapters/gather/config/config-file.ts';
import { editUserConfig, userConfigValue } from '../../adapters/gather/config/edit-user-config.ts';
import type { ConfigEditPorts } from '../../adapters/gather/config/edit-user-config.ts';
import { isJsonObject, type JsonObject, valueAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** The keys of a terminal action, spelled as in `[tui.keymap.CONTEXT]`. */
export interface KeymapLine {
  readonly context: string;
  readonly name: string;
  /** Empty: no key does it. Undefined: removes the line. */
  readonly keys: readonly string[] | undefined;
}

/** Sets lines one after the other; those before a faulty one are saved. `layers` include the user's file as it is now. */
export async function saveKeymap(
  place: ConfigEditPorts & { readonly base: Pick<BaseLayers, 'osHome'> },
  layers: readonly ConfigLayer[],
  lines: readonly KeymapLine[],
) {
  let problem: Outcome | undefined;
  for (const line of lines) problem ??= await saveLine(place, line);
  const now = await Promise.all(layers.map((layer) => readAgain(layer, place.base.osHome)));
  const tables = now
    .filter(({ disabled }) => disabled === undefined)
    .map(({ values }) => valueAt(values, ['tui', 'keymap']));
  const keymap: JsonObject = tables.filter(isJsonObject).reduce(mergeValues, {});
  return { layers: now, keymap, problem };
}

async function saveLine(place: ConfigEditPorts, { context, name, keys }: KeymapLine): Promise<Outcome | undefined> {
  const path = ['tui', 'keymap', context];
  const set = await userConfigValue(place, path);
  const { [name]: before, ...others } = isJsonObject(set) ? set : {};
  if (before === undefined && keys === undefined) return undefined;
  const [only] = keys ?? [];
  const value = keys?.length === 1 ? only : keys;
  return editUserConfig(place, path, value === undefined ? others : { ...others, [name]: value });
}

async function readAgain(layer: ConfigLayer, osHome: string): Promise<ConfigLayer> {
  if (layer.name !== 'user' || layer.disabled !== undefined) return layer;
  const { layer: now, problems } = await loadConfigFile({ name: 'user', path: layer.source, osHome });
  // Keep the old values until the file can be read again.
  return problems.some(({ severity }) => severity === 'error') ? layer : now;
}
