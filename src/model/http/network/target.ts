import type { ProviderConfig } from '../../../config/providers.ts';

/** Where requests go. */
export interface Target {
  readonly protocol: 'http:' | 'https:';
  readonly host: string;
  readonly port: string;
  /** Path and query. */
  readonly path: string;
  /** Scheme, host and port: what may be shown. Queries and user names may be secret. */
  readonly origin: string;
}

/** The address of an endpoint below a provider's base URL, or undefined when the base is not an HTTP address. */
export function targetOf(
  provider: Pick<ProviderConfig, 'baseUrl' | 'queryParams'>,
  endpoint: string,
): Target | undefined {
  const base = targetAt(provider.baseUrl);
  if (base === undefined) return undefined;
  const [, path = '', given = ''] = /^([^?]*)\??(.*)$/.exec(base.path) ?? [];
  const pairs = Object.entries(provider.queryParams).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  );
  const query = [given, ...pairs].filter((part) => part !== '').join('&');
  return { ...base, path: `${path.replace(/\/+$/, '')}/${endpoint}${query === '' ? '' : `?${query}`}` };
}

/** An address as it stands, or undefined when it is not an HTTP address. */
export function targetAt(address: string): Target | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const protocol = url?.protocol;
  if (url === undefined || (protocol !== 'http:' && protocol !== 'https:')) return undefined;
  return {
    protocol,
    host: bareHost(url),
    port: url.port,
    path: url.pathname + url.search,
    origin: url.origin,
  };
}

/** The host as connections name it: an address of version 6 without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
