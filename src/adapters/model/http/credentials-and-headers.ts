import type { ProviderConfig } from '../../../core/config/providers/provider-config.ts';
import { addressSecrets, repeatable, secretsAmong } from '../../../core/policy/secrets.ts';
import type { AuthMode } from '../../../ports/model.ts';
import { isFramingHeader, isHeaderName, isHeaderValue } from '../../../protocol/http.ts';
import type { Variables } from '../../../protocol/shell.ts';
import { proxySecrets } from './network/destination.ts';

type Headers = Readonly<Record<string, string>>;

export interface HeaderSources {
  readonly provider: ProviderOptions;
  readonly environment: Variables;
  readonly request: Headers;
  readonly identify: (credentials: Credentials) => Headers;
  readonly credentials: Credentials;
  /** `socket`: it has no body, and no answer but an open connection. */
  readonly wants: 'events' | 'json' | 'socket';
}

const json = 'application/json';
const contentHeaders: Readonly<Record<HeaderSources['wants'], Headers>> = {
  events: { accept: 'text/event-stream', 'content-type': json },
  json: { accept: json, 'content-type': json },
  socket: {},
};

/** Headers by lower-case name. The provider's go first, then the request's, then the key, then what the API needs. */
export function wireHeaders(sources: HeaderSources): Headers {
  const { provider, credentials } = sources;
  const merged = new Map<string, string>();
  for (const group of [
    provider.httpHeaders,
    environmentHeaders(provider, sources.environment),
    sources.request,
    sources.identify(credentials),
    contentHeaders[sources.wants],
  ]) {
    for (const [name, value] of Object.entries(group)) {
      if (isSendable(name, value)) merged.set(name.toLowerCase(), value);
    }
  }
  return Object.fromEntries(merged);
}

/** The usual way to say who sends a request. */
export function bearerHeader(credentials: Credentials): Headers {
  return credentials.kind === 'bearer' ? { authorization: `Bearer ${credentials.token}` } : {};
}

/** Values that must never be shown, in all forms in which a server may repeat them. */
export function requestSecrets(sources: HeaderSources): readonly string[] {
  const { provider, credentials, environment } = sources;
  const configured = [provider.httpHeaders, environmentHeaders(provider, environment), provider.queryParams];
  const addresses = [provider.baseUrl, 'baseUrl' in credentials ? (credentials.baseUrl ?? '') : ''];
  const login = credentials.kind === 'bearer' ? [credentials.token, credentials.accountId ?? ''] : [];
  const secrets = [
    ...configured.flatMap(secretsAmong),
    ...addresses.flatMap(addressSecrets),
    ...proxySecrets(environment),
    ...login,
  ];
  // A key is a key however short it is.
  const short = login.slice(0, 1).filter((token) => token !== '');
  return [...new Set([...repeatable(secrets), ...short])];
}

function environmentHeaders(provider: ProviderOptions, environment: Variables): Headers {
  const found = Object.entries(provider.envHttpHeaders).flatMap(([name, variable]) => {
    const value = environment[variable]?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** One bad header in a configuration must not keep every request from being sent. The reader of the configuration warns. */
function isSendable(name: string, value: string): boolean {
  return !isFramingHeader(name) && isHeaderName(name) && isHeaderValue(value);
}

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
