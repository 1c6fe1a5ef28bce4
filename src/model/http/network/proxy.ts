import { isExempt, isLoopback } from './no-proxy.ts';
import type { Variables } from '../../../protocol/variables.ts';
import { bareHost, type Target } from './target.ts';

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
export interface Unusable {
  readonly kind: 'unusable';
  readonly message: string;
  readonly next: string;
}

/**
 * The proxy for requests to a target: by HTTPS_PROXY or HTTP_PROXY, whichever fits the target, else by ALL_PROXY.
 * Names in capitals go first, and a blank value counts as none. Undefined: none is named, or the target is this
 * machine or stands in NO_PROXY.
 */
export function proxyFor(target: Target, environment: Variables): Proxy | Unusable | undefined {
  const own = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const named = firstSet([own, 'ALL_PROXY'], environment);
  if (named === undefined || isLoopback(target.host)) return undefined;
  const port = target.port === '' ? defaultPorts[target.protocol] : Number(target.port);
  const exempt = firstSet(['NO_PROXY'], environment);
  if (exempt !== undefined && isExempt({ host: target.host, port }, exempt.value)) return undefined;
  return proxyAt(named.value, named.name);
}

/**
 * The options of a connection to the proxy. Its name is said in so many words: Node would take it from the header `host`,
 * which speaks of the target. Addresses are not said as names.
 */
export function connectionTo({ host, port }: Proxy) {
  const servername = process.getBuiltinModule('node:net').isIP(host) === 0 ? host : '';
  return { host, port, servername };
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

const defaultPorts = { 'http:': 80, 'https:': 443 };

function firstSet(names: readonly string[], environment: Variables) {
  return names
    .flatMap((name) => [name, name.toLowerCase()])
    .map((name) => ({ name, value: environment[name]?.trim() ?? '' }))
    .find(({ value }) => value !== '');
}

function proxyAt(value: string, variable: string): Proxy | Unusable {
  const url = addressOf(value);
  if (url === undefined) {
    const cause = /^socks/i.test(value)
      ? 'names a SOCKS proxy, which cannot be used'
      : 'does not hold the address of a proxy';
    return {
      kind: 'unusable',
      message: `${variable} ${cause}.`,
      next:
        `Let ${variable} name an HTTP proxy, such as http://proxy.example.com:8080 (signs in a user name or a password ` +
        'are written as %40 for @, %2F for / and so on), or unset it.',
    };
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
