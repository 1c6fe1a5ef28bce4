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

/** Values that must never be shown, longest first so that none hides a part of another. */
export function secretsOf(sources: HeaderSources): readonly string[] {
  const { provider, credentials, environment } = sources;
  const configured = [provider.httpHeaders, environmentHeaders(provider, environment), provider.queryParams].flatMap(
    (group) => Object.values(group),
  );
  // A server may quote a key without the scheme in front of it, as in "Bearer …".
  const values = configured.flatMap((value) => [value, value.replace(/^\S+\s+/, '')]);
  const address = [provider.baseUrl, 'baseUrl' in credentials ? (credentials.baseUrl ?? '') : ''].flatMap(
    addressSecrets,
  );
  const secrets = [...values, ...address, ...proxySecrets(environment)].filter(isLong);
  if (credentials.kind === 'bearer') {
    if (credentials.token !== '') secrets.push(credentials.token);
    secrets.push(...[credentials.accountId ?? ''].filter(isLong));
  }
  return [...new Set(secrets.flatMap(writtenForms))].toSorted((a, b) => b.length - a.length);
}

/** As it is, and as an address or a form has it. */
function writtenForms(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret), new URLSearchParams([['', secret]]).toString().slice(1)];
}

/** The user, the password and the values in the query of an address. */
function addressSecrets(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, searchParams } = new URL(address);
  return [username, password, ...[username, password].map(decoded), ...searchParams.values()];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shorter values are words such as "true": blotting these out would garble every message. */
function isLong(value: string): boolean {
  return value.length >= 8;
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
