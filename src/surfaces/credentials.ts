import type { ProviderConfig } from '../config/providers.ts';
import type { Credentials } from '../model/responses/provider.ts';
import type { Environment } from './environment.ts';

/** The key for a provider: the first variable that is set, else the token of the configuration, else none is needed. */
export function credentialsOf(provider: ProviderConfig, env: Environment): () => Promise<Credentials> {
  return () => Promise.resolve(resolveCredentials(provider, env));
}

function resolveCredentials(provider: ProviderConfig, env: Environment): Credentials {
  const token =
    provider.envKeys.map((name) => env[name]?.trim() ?? '').find((value) => value !== '') ?? provider.bearerToken;
  if (token !== undefined) return { kind: 'bearer', token };
  if (provider.envKeys.length === 0) return { kind: 'none' };
  const names = provider.envKeys.join(' or ');
  return {
    kind: 'missing',
    message: `No key for ${provider.name}: ${names} is not set.`,
    next: provider.envKeyInstructions ?? `Set ${names} and try again.`,
  };
}
