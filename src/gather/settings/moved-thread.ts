import { builtInProvider } from '../../config/built-in-providers.ts';
import type { Config } from '../../config/config.ts';
import type { ConfigLayer } from '../../config/config-layer.ts';
import { stringAt } from '../../protocol/json.ts';
import type { LastSettings } from '../../state/resumed-settings.ts';
import { isPinned } from './settings-origins.ts';

interface Resumed {
  readonly config: Config;
  readonly resumed: LastSettings | undefined;
}

/**
 * A thread that a flag takes to another provider than its own, without a model of its own there: it has the model that
 * the files name for that provider, else the usual one. A provider of the user's own may have the model of the thread,
 * which stays. A new thread comes from the provider that the files name.
 */
export function withoutOthersModel({ config, resumed }: Resumed, layers: readonly ConfigLayer[]): Resumed {
  const { modelProvider: id } = config;
  if (resumed === undefined) return { config: withoutModelOfOther(config, layers), resumed };
  const isMoved = resumed.provider !== undefined && resumed.provider !== id && isPinned(config, 'provider');
  if (!isMoved || isPinned(config, 'model')) return { config, resumed };
  const isMeant = config.model !== undefined && providerInFiles(layers) === id;
  if (!isMeant && builtInProvider(id) === undefined) return { config, resumed };
  const { model: _there, ...rest } = resumed;
  return { config: withoutModelOfOther(config, layers), resumed: rest };
}

/** The configuration without the model that its files name for another provider than the one that a flag chooses. */
export function withoutModelOfOther(config: Config, layers: readonly ConfigLayer[]): Config {
  const { modelProvider: id } = config;
  if (!isPinned(config, 'provider') || isPinned(config, 'model')) return config;
  if (builtInProvider(id) === undefined || providerInFiles(layers) === id) return config;
  const { model: _elsewhere, ...others } = config;
  return others;
}

/** The provider that threads have without flags. */
export function providerInFiles(layers: readonly ConfigLayer[]): string {
  return inFiles(layers, 'model_provider') ?? 'openai';
}

/** What is set under a key without flags. */
export function inFiles(layers: readonly ConfigLayer[], key: string): string | undefined {
  const set = layers
    .filter(({ name, disabled }) => name !== 'flags' && disabled === undefined)
    .map(({ values }) => stringAt(values, key));
  return set.findLast((value) => value !== undefined);
}
