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
 * A thread that a flag takes to another provider, without a model of its own there: it has the model that the files name
 * for that provider, else the usual one. A provider of the user's own may have the model of the thread, which stays.
 */
export function withoutOthersModel({ config, resumed }: Resumed, layers: readonly ConfigLayer[]): Resumed {
  const { modelProvider: id } = config;
  const isMoved = resumed?.provider !== undefined && resumed.provider !== id && isPinned(config, 'provider');
  if (!isMoved || isPinned(config, 'model')) return { config, resumed };
  const isMeant = config.model !== undefined && providerInFiles(layers) === id;
  if (!isMeant && builtInProvider(id) === undefined) return { config, resumed };
  const { model: _there, ...rest } = resumed;
  if (isMeant) return { config, resumed: rest };
  const { model: _elsewhere, ...others } = config;
  return { config: others, resumed: rest };
}

/** The provider that threads have without flags. */
function providerInFiles(layers: readonly ConfigLayer[]): string {
  const set = layers
    .filter(({ name, disabled }) => name !== 'flags' && disabled === undefined)
    .map(({ values }) => stringAt(values, 'model_provider'));
  return set.findLast((id) => id !== undefined) ?? 'openai';
}
