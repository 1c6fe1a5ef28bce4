import type { ProviderConfig } from '../../../../core/config/providers/provider-config.ts';
import { addressRanges, addressVersion, isThisMachine } from '../../../../core/policy/network/host-name.ts';
import type { Variables } from '../../../../protocol/shell.ts';
import { defaultPorts } from './connections.ts';

/** Who passes requests on, as the environment names it. */
export interface Proxy {
  readonly kind: 'proxy';
  /** The variable that names it. */
  readonly variable: string;
  /** How to speak with the proxy itself, whatever the target speaks. */
  readonly protocol: 'http:' | 'https:';
  readonly host: string;
  readonly port: string;
  /** Scheme, host and port: what may be shown. */
  readonly origin: string;
  /** What identifies us to the proxy. Secret. */
  readonly authorization: string | undefined;
}

/** Something that the environment demands and that cannot be done. No request is sent then. */
export interface UnusableNetwork {
  readonly kind: 'unusable';
  readonly message: string;
  readonly next: string;
}

/**
 * The proxy for requests to a target: by HTTPS_PROXY or HTTP_PROXY, whichever fits the target, else by ALL_PROXY.
 * Names in capitals go first, and a blank value counts as none. Undefined: none is named, or the target is this
 * machine or stands in NO_PROXY.
 */
export function proxyFor(target: Target, environment: Variables): Proxy | UnusableNetwork | undefined {
  const own = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const named = firstSet([own, 'ALL_PROXY'], environment);
  if (named === undefined || isLoopback(target.host)) return undefined;
  const port = target.port === '' ? defaultPorts[target.protocol] : Number(target.port);
  const exempt = firstSet(['NO_PROXY'], environment);
  if (exempt !== undefined && isExempt({ host: target.host, port }, exempt.value)) return undefined;
  return proxyAt(named.value, named.name);
}

/** What of the addresses of proxies must never be shown. */
export function proxySecrets(environment: Variables): readonly string[] {
  return ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => {
    const named = firstSet([name], environment);
    const url = named === undefined ? undefined : addressOf(named.value);
    if (url === undefined || (url.username === '' && url.password === '')) return [];
    return [url.username, url.password, decoded(url.username), decoded(url.password), basic(url)];
  });
}

function firstSet(names: readonly string[], environment: Variables) {
  return names
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => ({ name, value: environment[name]?.trim() ?? '' }))
    .find(({ value }) => value !== '');
}

function proxyAt(value: string, variable: string): Proxy | UnusableNetwork {
  const url = addressOf(value);
  if (url === undefined) {
    const isSocks = /^socks/i.test(value);
    const cause = isSocks ? 'is a SOCKS proxy, which Capstan does not support' : 'is not the address of a proxy';
    const signs = 'in a user name or password, write @ as %40, / as %2F and so on';
    const next = `Set ${variable} to an HTTP proxy, such as http://proxy.example.com:8080 (${signs}), or unset it.`;
    return { kind: 'unusable', message: `${variable} ${cause}.`, next };
  }
  return {
    kind: 'proxy',
    variable,
    protocol: url.protocol === 'https:' ? 'https:' : 'http:',
    host: bareHost(url),
    port: url.port,
    origin: url.origin,
    authorization: url.username === '' && url.password === '' ? undefined : `Basic ${basic(url)}`,
  };
}

/** Undefined also when signs of a password may have been taken for the host: what is shown of it would give them away. */
function addressOf(value: string): URL | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const isSplit = `${url.pathname}${url.search}${url.hash}`.includes('@');
  return isSplit ? undefined : url;
}

function basic({ username, password }: URL): string {
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that begins no code stands for itself.
    return text;
  }
}

/** Whether the host is this machine: no proxy elsewhere would find the same one under such a name. */
export function isLoopback(host: string): boolean {
  return isThisMachine(plain(host));
}

/**
 * Whether a list in the form of NO_PROXY names the place. Entries stand between commas or blanks: a host, which means
 * the hosts below it too, with or without a dot or `*.` in front; an address; a range such as `10.0.0.0/8`; each of
 * these with or without a port; or `*` for everything. The host is without brackets.
 */
export function isExempt({ host, port }: { readonly host: string; readonly port: number }, list: string): boolean {
  const name = plain(host);
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const { pattern, only } = entryOf(entry);
      if (only !== undefined && only !== port) return false;
      return pattern === '*' || (pattern.includes('/') ? contains(pattern, name) : covers(pattern, name));
    });
}

function entryOf(entry: string): { readonly pattern: string; readonly only?: number } {
  // Several colons without brackets are an address of version 6, and none of them begins a port.
  const [, bracketed, named = '', port] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed === undefined && named === '') return { pattern: plain(entry) };
  return { pattern: plain(bracketed ?? named), ...(port === undefined ? {} : { only: Number(port) }) };
}

function covers(pattern: string, name: string): boolean {
  const version = addressVersion(pattern);
  if (version !== 0) return contains(`${pattern}/${version === 6 ? 128 : 32}`, name);
  const domain = pattern.replace(/^\*?\./, '');
  return domain !== '' && addressVersion(name) === 0 && (name === domain || name.endsWith(`.${domain}`));
}

/** Whether the name is an address in the range. */
function contains(range: string, name: string): boolean {
  const [base = '', bits = ''] = range.split('/');
  const version = addressVersion(base);
  if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) return false;
  return addressRanges([range])(name);
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

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
export function endpointTarget(
  provider: Pick<ProviderConfig, 'baseUrl' | 'queryParams'>,
  endpoint: string,
): Target | undefined {
  const base = parseTarget(provider.baseUrl);
  if (base === undefined) return undefined;
  const [, path = '', given = ''] = /^([^?]*)\??(.*)$/.exec(base.path) ?? [];
  const pairs = Object.entries(provider.queryParams).map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  );
  const query = [given, ...pairs].filter((part) => part !== '').join('&');
  return { ...base, path: `${path.replace(/\/+$/, '')}/${endpoint}${query === '' ? '' : `?${query}`}` };
}

/** An address as it stands, or undefined when it is not an HTTP address. */
export function parseTarget(address: string): Target | undefined {
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
