/** Where a model is reached and how patiently. Values only: whoever reads the configuration makes one. */
export interface ProviderOptions {
  readonly id: string;
  readonly name: string;
  /** `http:` or `https:`; the path of the endpoint is put behind it. */
  readonly baseUrl: string;
  /** The environment variable that holds the key. */
  readonly envKey?: string;
  readonly bearerToken?: string;
  readonly httpHeaders: Readonly<Record<string, string>>;
  /** Header name to the environment variable that holds its value. Unset and blank variables send no header. */
  readonly envHttpHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  /** Further attempts to open a stream after the first one failed. */
  readonly requestMaxRetries: number;
  /** Further whole requests after a stream broke. Not the transport's business: the turn reads it. */
  readonly streamMaxRetries: number;
  /** A stream without a byte for so long counts as dead. */
  readonly streamIdleTimeoutMs: number;
}

/** What a provider gets that says nothing about it. */
export const providerDefaults = {
  httpHeaders: {},
  envHttpHeaders: {},
  queryParams: {},
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 300_000,
} as const satisfies Partial<ProviderOptions>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `missing`: a key should be there and is not. No request is sent then. */
export type Credentials =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'missing'; readonly message: string; readonly next: string };

/** Credentials by a provider's own options. A named environment variable goes before a token in the configuration. */
export function providerCredentials(provider: ProviderOptions, environment: Environment): () => Promise<Credentials> {
  return () => Promise.resolve(resolve(provider, environment));
}

function resolve(provider: ProviderOptions, environment: Environment): Credentials {
  if (provider.envKey !== undefined) {
    const token = environment[provider.envKey]?.trim() ?? '';
    if (token !== '') return { kind: 'bearer', token };
    return {
      kind: 'missing',
      message: `The environment variable ${provider.envKey}, which holds the key for ${provider.name}, is not set.`,
      next: `Set ${provider.envKey} and try again.`,
    };
  }
  const token = provider.bearerToken?.trim() ?? '';
  return token === '' ? { kind: 'none' } : { kind: 'bearer', token };
}
