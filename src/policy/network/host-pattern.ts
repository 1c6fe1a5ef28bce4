import { isAddress, isThisMachine, splitHostAndPort } from './host-name.ts';

/** A pattern of a list, taken apart. `below`: names below the host. `within`: the host and names below it. */
export interface HostPattern {
  readonly kind: 'any' | 'exact' | 'below' | 'within';
  /** In normal form; empty for `any`. */
  readonly host: string;
  /** Absent: every port. */
  readonly port?: number;
}

/** Reads a pattern; a string says what is wrong with it. */
export function parseHostPattern(text: string, list: 'allow' | 'deny'): HostPattern | string {
  const [, stars = '', rest = ''] = /^(\*{0,2})(.*)$/s.exec(text.trim()) ?? [];
  if (stars === '*' && (rest === '' || rest.startsWith(':'))) {
    const target = splitHostAndPort(`any${rest}`);
    if (target === undefined) return `the port after "*" must be a number from 1 to 65535`;
    if (list === 'deny') return '"*" can only be allowed; leave a host out to deny it';
    return { ...target, kind: 'any', host: '' };
  }
  if (stars !== '' && !rest.startsWith('.')) return 'a wildcard must be "*", or come before a dot: "*.example.com"';
  const target = splitHostAndPort(stars === '' ? rest : rest.slice(1));
  if (target === undefined || rest.includes('*')) {
    return 'it must be a host such as "example.com", "*.example.com" or "example.com:443"';
  }
  if (stars !== '' && isAddress(target.host)) return 'an address cannot have a wildcard';
  return { ...target, kind: stars === '' ? 'exact' : stars === '*' ? 'below' : 'within' };
}

/** Whether the pattern covers a host, which is in normal form. */
export function coversHost(pattern: HostPattern, { host, port }: { readonly host: string; readonly port: number }) {
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (pattern.kind === 'any') return true;
  const isSame = host === pattern.host;
  const isBelow = !isAddress(host) && host.endsWith(`.${pattern.host}`);
  return pattern.kind === 'exact' ? isSame : pattern.kind === 'below' ? isBelow : isSame || isBelow;
}

/**
 * Whether the pattern of a deny list covers a host. All names and addresses of this machine count as one, because what
 * listens at one of them often answers at the others; the zone of an address makes no difference.
 */
export function deniesHost(pattern: HostPattern, { host, port }: { readonly host: string; readonly port: number }) {
  if (coversHost(pattern, { host, port })) return true;
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (isThisMachine(pattern.host)) return isThisMachine(host);
  return pattern.kind === 'exact' && withoutZone(host) === withoutZone(pattern.host);
}

function withoutZone(host: string): string {
  return host.replace(/%.*$/, '');
}

/** The pattern for one host, which is in normal form, at one port. */
export function hostAtPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The one spelling of a pattern: small letters, no final dot, the port if it names one. Undefined: it is none. */
export function normalHostPattern(text: string): string | undefined {
  const pattern = parseHostPattern(text, 'allow');
  if (typeof pattern === 'string') return undefined;
  const { kind, host, port } = pattern;
  const name = port === undefined ? host : hostAtPort(host, port);
  return `${{ any: '*', exact: '', below: '*.', within: '**.' }[kind]}${name}`;
}
