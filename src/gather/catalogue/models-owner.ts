import { providerAddress, type ProviderConfig } from '../../config/providers.ts';
import type { Variables } from '../../protocol/variables.ts';

/** Who is asked for models: the same id at another address is another provider, and so is it under a login. */
export interface ModelsOwner {
  readonly id: string;
  /** Without anything secret. */
  readonly address: string;
  /** Requests go by the login of the home. A plan has other models than a key, at one address too. */
  readonly isByLogin?: true;
}

/** Whose models are meant, as far as it can be known without looking at the login. */
export function modelsOwner(provider: ProviderConfig, environment: Variables): ModelsOwner {
  const { id, envKeys, login, tokenCommand } = provider;
  const isKeySet = envKeys.some((name) => (environment[name] ?? '').trim() !== '');
  const isByLogin = login !== undefined && tokenCommand === undefined && !isKeySet;
  return { id, address: providerAddress(provider), ...(isByLogin && { isByLogin }) };
}
