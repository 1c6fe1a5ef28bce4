import type { ProviderConfig } from '../../../core/config/providers/provider-config.ts';
import { addressSecrets, repeatedSecretForms, secretsAmong } from '../../../core/policy/secrets.ts';
import type { AuthMode } from '../../../ports/model.ts';
import { isFramingHeader, isHeaderName, isHeaderValue } from '../../../protocol/http.ts';
import type { EnvironmentVariables } from '../../../protocol/shell.ts';
import { proxySecrets } from './network/destination.ts';

type Headers = Readonly<Record<string, string>>;

export interface HeaderSources {
  readonly provider: ProviderOptions;
  readonly environment: EnvironmentVariables;
  readonly request: Headers;
  readonly identify: (credentials: Credentials) => Headers;
  readonly credentials: Credentials;
  /** `socket`: no body, and the answer is an open connection. */
  readonly wants: 'events' | 'json' | 'socket';
}

const json = 'application/json';
const contentHeaders: Readonly<Record<HeaderSources['wants'], Headers>> = {
  events: { accept: 'text/event-stream', 'content-type': json },
  json: { accept: json, 'content-type': json },
  socket: {},
};

/** Headers by lower-case name. Later ones win: the provider's, the request's, the key, then what the API needs. */
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

export const bearerHeader = (credentials: Credentials): Headers =>
  credentials.kind === 'bearer' ? { authorization: `Bearer ${credentials.token}` } : {};

/** Values that must never be shown, in every form in which a server may repeat them. */
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
  // Mask a key however short it is.
  const short = login.slice(0, 1).filter((token) => token !== '');
  return [...new Set([...repeatedSecretForms(secrets), ...short])];
}

function environmentHeaders(provider: ProviderOptions, environment: EnvironmentVariables): Headers {
  const found = Object.entries(provider.envHttpHeaders).flatMap(([name, variable]) => {
    const value = environment[variable]?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(found);
}

/** One bad configured header must not block every request. The configuration reader warns. */
const isSendable = (name: string, value: string): boolean =>
  !isFramingHeader(name) && isHeaderName(name) && isHeaderValue(value);
export type ProviderOptions = ProviderConfig;

/** `missing`: a required key is not set, and no request is sent. */
export type Credentials =
  | {
      readonly kind: 'bearer';
      readonly mode: 'api-key' | 'chatgpt';
      readonly token: string;
      readonly accountId?: string;
      readonly isFedramp?: true;
      /** Replaces the provider's address for requests with these credentials. */
      readonly baseUrl?: string;
      /** Advice when they are not accepted; absent: use the provider's options. */
      readonly renew?: string;
      readonly renewable?: boolean;
    }
  | { readonly kind: 'none' }
  /** `passing`: may be available in a moment. */
  | { readonly kind: 'missing'; readonly message: string; readonly next: string; readonly passing?: boolean };

export interface CredentialsWanted {
  readonly signal: AbortSignal;
  /** A token that the server did not accept: another one is wanted. */
  readonly rejected?: string;
  /** Use what is available without renewal; expired credentials still show how requests identify themselves. */
  readonly asIs?: boolean;
}

export const authModeOf = (credentials: Credentials): AuthMode =>
  credentials.kind === 'bearer' ? credentials.mode : 'none';

export function keyAdvice(
  { id, envKeys, bearerToken, tokenCommand, httpHeaders, envHttpHeaders }: ProviderOptions,
  credentials: Credentials,
): string {
  if (credentials.kind === 'bearer' && credentials.renew !== undefined) return credentials.renew;
  if (envKeys.length > 0) return `Check the key in ${envKeys.join(' or ')} and its permissions.`;
  if (bearerToken !== undefined) return `Check experimental_bearer_token of the provider ${id} and its permissions.`;
  if (tokenCommand !== undefined)
    return `Check the key that the command in model_providers.${id}.auth prints, and its permissions.`;
  const named = [...Object.keys(httpHeaders), ...Object.keys(envHttpHeaders)];
  if (named.length > 0) return `Check the key in the headers of the provider ${id}: ${named.join(', ')}.`;
  return `Capstan sent no key. Set env_key of the provider ${id} to the environment variable that holds the key.`;
}
