import type { Config } from './config.ts';
import { providerOf } from './providers.ts';

/** Every variable that a provider's key or headers come from, whether the provider is in use or not. */
export function providerVariables(config: Config): readonly string[] {
  const builtIn = ['openai', 'ollama', 'lmstudio'].flatMap((id) => {
    const provider = providerOf(config, id);
    return 'code' in provider ? [] : [...provider.envKeys, ...Object.values(provider.envHttpHeaders)];
  });
  const configured = Object.values(config.modelProviders).flatMap(({ envKey, envHttpHeaders }) => [
    ...(envKey === undefined ? [] : [envKey]),
    ...Object.values(envHttpHeaders ?? {}),
  ]);
  return [...new Set([...builtIn, ...configured])].toSorted();
}
