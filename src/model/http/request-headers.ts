import { addressSecrets, repeatable, secretsAmong } from '../../policy/secrets.ts';
import { isFramingHeader, isHeaderName, isHeaderValue } from '../../protocol/header-text.ts';
import type { Variables } from '../../protocol/variables.ts';
import type { Credentials, ProviderOptions } from './credentials.ts';
import { proxySecrets } from './network/proxy.ts';

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
export function secretsOf(sources: HeaderSources): readonly string[] {
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
