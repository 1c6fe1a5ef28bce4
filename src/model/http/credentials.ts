import type { ProviderConfig } from '../../config/providers.ts';
import type { AuthMode } from '../../ports/model-client.ts';

/** Where a model is reached and how patiently: what the configuration says of it. */
export type ProviderOptions = ProviderConfig;

/** `missing`: a key should be there and is not. No request is sent then. */
export type Credentials =
  | {
      readonly kind: 'bearer';
      readonly mode: 'api-key' | 'chatgpt';
      readonly token: string;
      /** Of a login with ChatGPT. */
      readonly accountId?: string;
      /** Its account is one of the government's cloud. */
      readonly isFedramp?: true;
      /** Where requests go with it, instead of the provider's address. */
      readonly baseUrl?: string;
      /** What to do when it is not accepted; absent: what the provider's options say. */
      readonly renew?: string;
      /** Whether another one may be had when it is not accepted. */
      readonly renewable?: boolean;
    }
  | { readonly kind: 'none' }
  /** `passing`: it may be there in a moment. */
  | { readonly kind: 'missing'; readonly message: string; readonly next: string; readonly passing?: boolean };

export interface CredentialsWanted {
  readonly signal: AbortSignal;
  /** A token that the server did not accept: another one is wanted. */
  readonly rejected?: string;
  /** From what is at hand: nothing is renewed, and what has expired still says how requests identify themselves. */
  readonly asIs?: boolean;
}

export function authModeOf(credentials: Credentials): AuthMode {
  return credentials.kind === 'bearer' ? credentials.mode : 'none';
}

/** Where the user finds the key that the server did not accept. */
export function keyAdvice(
  { id, envKeys, bearerToken, tokenCommand, httpHeaders, envHttpHeaders }: ProviderOptions,
  credentials: Credentials,
): string {
  if (credentials.kind === 'bearer' && credentials.renew !== undefined) return credentials.renew;
  if (envKeys.length > 0) return `Check the key in ${envKeys.join(' or ')} and its permissions.`;
  if (bearerToken !== undefined) return `Check experimental_bearer_token of the provider ${id} and its permissions.`;
  if (tokenCommand !== undefined) {
    return `Check the key that the command in model_providers.${id}.auth prints, and its permissions.`;
  }
  const named = [...Object.keys(httpHeaders), ...Object.keys(envHttpHeaders)];
  if (named.length > 0) return `Check the key in the headers of the provider ${id}: ${named.join(', ')}.`;
  return `Capstan sent no key. Set env_key of the provider ${id} to the environment variable that holds the key.`;
}
