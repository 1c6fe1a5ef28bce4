import type { ProviderConfig } from '../../config/providers.ts';
import type { AuthMode } from '../../ports/model-client.ts';
import type { Login } from '../../ports/login.ts';

/** Where a model is reached and how patiently: what the configuration says of it. */
export type ProviderOptions = ProviderConfig;

export type Environment = Readonly<Record<string, string | undefined>>;

/** `missing`: a key should be there and is not. No request is sent then. */
export type Credentials =
  | {
      readonly kind: 'bearer';
      readonly mode: 'api-key';
      readonly token: string;
      /** What to do when it is not accepted; absent: what the provider's options say. */
      readonly renew?: string;
    }
  | {
      readonly kind: 'bearer';
      readonly mode: 'chatgpt';
      readonly token: string;
      readonly accountId?: string;
      /** Where requests go with it, instead of the provider's address. */
      readonly baseUrl?: string;
      readonly renew: string;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'missing'; readonly message: string; readonly next: string };

export interface CredentialSources {
  readonly environment: Environment;
  /** Asked only when the provider goes by the login and no variable is set. */
  readonly loadLogin: () => Login;
  readonly now: () => number;
}

/**
 * Credentials by a provider's own options: the first of its variables that is set, else the login of the home folder;
 * without variables the token of the configuration; without any of these none is needed.
 */
export function providerCredentials(provider: ProviderOptions, sources: CredentialSources): () => Promise<Credentials> {
  // A login may be renewed while the program runs: it is read when it is needed.
  return async () => resolve(provider, sources);
}

export function authModeOf(credentials: Credentials): AuthMode {
  return credentials.kind === 'bearer' ? credentials.mode : 'none';
}

/** Where a person finds the key that the server did not accept. */
export function keyAdvice(
  { id, envKeys, bearerToken, httpHeaders, envHttpHeaders }: ProviderOptions,
  credentials: Credentials,
): string {
  if (credentials.kind === 'bearer' && credentials.renew !== undefined) return credentials.renew;
  if (envKeys.length > 0) return `Check the key in ${envKeys.join(' or ')} and what it may use.`;
  if (bearerToken !== undefined) return `Check experimental_bearer_token of the provider ${id} and what it may use.`;
  const named = [...Object.keys(httpHeaders), ...Object.keys(envHttpHeaders)];
  if (named.length > 0) return `Check the key of the provider ${id}, in its headers ${named.join(', ')}.`;
  return `No key was sent. Name the variable that holds the key in env_key of the provider ${id}.`;
}

function resolve(provider: ProviderOptions, { environment, loadLogin, now }: CredentialSources): Credentials {
  const { envKeys, bearerToken, login, name, envKeyInstructions } = provider;
  if (envKeys.length === 0) {
    const token = bearerToken?.trim() ?? '';
    return token === '' ? { kind: 'none' } : { kind: 'bearer', mode: 'api-key', token };
  }
  const token = envKeys.map((key) => environment[key]?.trim() ?? '').find((value) => value !== '');
  if (token !== undefined) return { kind: 'bearer', mode: 'api-key', token };
  const loggedIn = login === undefined ? undefined : fromLogin(loadLogin(), login.baseUrl, now());
  if (loggedIn !== undefined) return loggedIn;
  const names = envKeys.join(' or ');
  return {
    kind: 'missing',
    message: `The environment variable ${names}, which holds the key for ${name}, is not set.`,
    next: envKeyInstructions ?? `Set ${names} and try again.`,
  };
}

function fromLogin(login: Login, baseUrl: string | undefined, now: number): Credentials | undefined {
  switch (login.kind) {
    case 'none':
      return undefined;
    case 'unusable':
      return { kind: 'missing', message: login.message, next: login.next };
    case 'api-key':
      return { kind: 'bearer', mode: 'api-key', token: login.key, renew: login.renew };
    case 'chatgpt': {
      const { accessToken, accountId, expiresAt, renew } = login;
      if (expiresAt !== undefined && expiresAt <= now) {
        return { kind: 'missing', message: 'The login with ChatGPT has expired.', next: renew };
      }
      return {
        kind: 'bearer',
        mode: 'chatgpt',
        token: accessToken,
        ...(accountId === undefined ? {} : { accountId }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
        renew,
      };
    }
  }
}
