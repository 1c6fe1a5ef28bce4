import { valueOr } from '../../../../base/objects.ts';
import type { ProviderConfig } from '../../../../core/config/providers/provider-config.ts';
import { addressRangeMatcher, ipVersion, isThisMachine } from '../../../../core/policy/network/host-name.ts';
import type { EnvironmentVariables } from '../../../../protocol/shell.ts';
import { portOf } from './connections.ts';

export interface Endpoint {
  readonly protocol: 'http:' | 'https:';
  /** Without brackets. */
  readonly host: string;
  /** Empty: the protocol's default. */
  readonly port: string;
  /** Scheme, host and port: safe to show. Paths, queries and user names may be secret. */
  readonly origin: string;
}

export interface Proxy extends Endpoint {
  readonly kind: 'proxy';
  readonly variable: string;
  /** Secret. */
  readonly authorization: string | undefined;
}

/** Settings of the environment that cannot be used. Capstan then sends no request. */
export type UnusableNetwork = { readonly kind: 'unusable'; readonly message: string; readonly next: string };

/**
 * The proxy for a target: HTTPS_PROXY or HTTP_PROXY by its protocol, else ALL_PROXY. Upper-case names take precedence
 * and a blank value counts as none. Undefined: none is set, or the target is this machine or in NO_PROXY.
 */
export function proxyFor(
  target: RequestTarget,
  environment: EnvironmentVariables,
): Proxy | UnusableNetwork | undefined {
  const own = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const named = firstSet([own, 'ALL_PROXY'], environment);
  if (named === undefined || isLoopback(target.host)) return undefined;
  const exempt = firstSet(['NO_PROXY'], environment);
  const place = { host: target.host, port: portOf(target) };
  if (exempt !== undefined && isExemptFromProxy(place, exempt.value)) return undefined;
  return proxyAt(named.value, named.name);
}

/** The parts of proxy addresses that must never be shown. */
export const proxySecrets = (environment: EnvironmentVariables): readonly string[] =>
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => {
    const named = firstSet([name], environment);
    const url = named === undefined ? undefined : addressOf(named.value);
    if (url === undefined || (url.username === '' && url.password === '')) return [];
    return [url.username, url.password, decoded(url.username), decoded(url.password), basic(url)];
  });

const firstSet = (names: readonly string[], environment: EnvironmentVariables) =>
  names
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => ({ name, value: environment[name]?.trim() ?? '' }))
    .find(({ value }) => value !== '');

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

/** Undefined also when characters of a password may have been parsed as the host, since the host is shown. */
function addressOf(value: string): URL | undefined {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return `${url.pathname}${url.search}${url.hash}`.includes('@') ? undefined : url;
}

const basic = ({ username, password }: URL): string =>
  Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');

function decoded(text: string): string {
  // A percent sign that begins no code is literal.
  return valueOr(text, () => decodeURIComponent(text));
}

/** True for names of this machine. A proxy on another machine would reach another host under such a name. */
export const isLoopback = (host: string): boolean => isThisMachine(plain(host));

/**
 * Matches a NO_PROXY list. Entries are separated by commas or blanks: a host, which includes its subdomains, with or
 * without a leading dot or `*.`; an address; a range such as `10.0.0.0/8`; each with or without a port; or `*`. `host`
 * has no brackets.
 */
export function isExemptFromProxy(
  { host, port }: { readonly host: string; readonly port: number },
  list: string,
): boolean {
  const name = plain(host);
  return list.split(/[\s,]+/).some((entry) => {
    const { pattern, only } = entryOf(entry);
    if (entry === '' || (only !== undefined && only !== port)) return false;
    return pattern === '*' || (pattern.includes('/') ? contains(pattern, name) : covers(pattern, name));
  });
}

function entryOf(entry: string) {
  // Several colons without brackets are an IPv6 address, not a port.
  const [, bracketed, named = '', port] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (bracketed === undefined && named === '') return { pattern: plain(entry) };
  return { pattern: plain(bracketed ?? named), only: port === undefined ? undefined : Number(port) };
}

function covers(pattern: string, name: string): boolean {
  const version = ipVersion(pattern);
  if (version !== 0) return contains(`${pattern}/${version === 6 ? 128 : 32}`, name);
  const domain = pattern.replace(/^\*?\./, '');
  return domain !== '' && ipVersion(name) === 0 && (name === domain || name.endsWith(`.${domain}`));
}

function contains(range: string, name: string): boolean {
  const [base = '', bits = ''] = range.split('/');
  const version = ipVersion(base);
  if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) return false;
  return addressRangeMatcher([range])(name);
}

const plain = (host: string): string => host.toLowerCase().replace(/\.$/, '');
export type RequestTarget = Endpoint & { readonly path: string };

/** The endpoint below a provider's base URL; undefined if the base is not an HTTP address. */
export function endpointTarget(provider: Pick<ProviderConfig, 'baseUrl' | 'queryParams'>, endpoint: string) {
  const base = parseTarget(provider.baseUrl);
  if (base === undefined) return undefined;
  const [, path = '', given = ''] = /^([^?]*)\??(.*)$/.exec(base.path) ?? [];
  const pairs = Object.entries(provider.queryParams).map((pair) => pair.map(encodeURIComponent).join('='));
  const query = [given, ...pairs].filter((part) => part !== '').join('&');
  return { ...base, path: `${path.replace(/\/+$/, '')}/${endpoint}${query === '' ? '' : `?${query}`}` };
}

export function parseTarget(address: string): RequestTarget | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const protocol = url?.protocol;
  if (url === undefined || (protocol !== 'http:' && protocol !== 'https:')) return undefined;
  return { protocol, host: bareHost(url), port: url.port, path: url.pathname + url.search, origin: url.origin };
}

/** The host as connections need it: an IPv6 address without brackets. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
