import type { ProviderConfig } from '../../config/providers.ts';

/** Where a model is reached and how patiently: what the configuration says of it. */
export type ProviderOptions = ProviderConfig;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `missing`: a key should be there and is not. No request is sent then. */
export type Credentials =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'missing'; readonly message: string; readonly next: string };

/**
 * Credentials by a provider's own options: the first of its variables that is set; without variables the token of the
 * configuration; without either none is needed.
 */
export function providerCredentials(provider: ProviderOptions, environment: Environment): () => Promise<Credentials> {
  return () => Promise.resolve(resolve(provider, environment));
}

/** Where a person finds the key that the server did not accept. */
export function keyAdvice({ id, envKeys, bearerToken, httpHeaders, envHttpHeaders }: ProviderOptions): string {
  if (envKeys.length > 0) return `Check the key in ${envKeys.join(' or ')} and what it may use.`;
  if (bearerToken !== undefined) return `Check experimental_bearer_token of the provider ${id} and what it may use.`;
  const named = [...Object.keys(httpHeaders), ...Object.keys(envHttpHeaders)];
  if (named.length > 0) return `Check the key of the provider ${id}, in its headers ${named.join(', ')}.`;
  return `No key was sent. Name the variable that holds the key in env_key of the provider ${id}.`;
}

function resolve(
  { envKeys, bearerToken, name, envKeyInstructions }: ProviderOptions,
  environment: Environment,
): Credentials {
  if (envKeys.length === 0) {
    const token = bearerToken?.trim() ?? '';
    return token === '' ? { kind: 'none' } : { kind: 'bearer', token };
  }
  const token = envKeys.map((key) => environment[key]?.trim() ?? '').find((value) => value !== '');
  if (token !== undefined) return { kind: 'bearer', token };
  const names = envKeys.join(' or ');
  return {
    kind: 'missing',
    message: `The environment variable ${names}, which holds the key for ${name}, is not set.`,
    next: envKeyInstructions ?? `Set ${names} and try again.`,
  };
}
