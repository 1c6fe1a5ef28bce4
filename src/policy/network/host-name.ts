import type { OtherScheme } from '../../protocol/lost-connection.ts';
import { addressVersion, hasZones, isLoopbackAddress, isPublicAddress } from './ip-address.ts';

/** The longest name that the domain name system has. */
const longestName = 253;

/**
 * One spelling for each host, so that patterns compare what programs would reach: small letters, no final dot, no
 * brackets, names of other scripts as the domain name system has them, and `127.1` as `127.0.0.1`. Undefined: no host.
 */
export function normaliseHost(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase();
  const isBracketed = trimmed.startsWith('[') && trimmed.endsWith(']');
  const bare = isBracketed ? trimmed.slice(1, -1) : trimmed;
  if (bare.includes(':')) return normaliseVersion6(bare);
  const name = bare.replace(/\.+$/, '');
  // Everything else would mean something to the parser of addresses.
  if (isBracketed || name === '' || name.length > longestName || /[\0-,/:-@[-^`{-\x7f\s]/.test(name)) return undefined;
  if (name.split('.').includes('')) return undefined;
  const host = URL.parse(`http://${name}/`)?.hostname.replace(/\.+$/, '');
  return host === undefined || host === '' || host.length > longestName ? undefined : host;
}

function normaliseVersion6(text: string): string | undefined {
  const [address = '', zone, ...more] = text.split('%');
  if (addressVersion(address) !== 6 || more.length > 0) return undefined;
  if (zone !== undefined && !/^[\w.-]{1,32}$/.test(zone)) return undefined;
  const short = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  // A zone says which network an address is in. Where an address is the same in all of them it would hide it from lists.
  if (zone !== undefined && hasZones(address)) return `${short}%${zone}`;
  // An address of version 4 that is spelled as one of version 6 reaches the same machine.
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.');
}

export interface HostAndPort {
  readonly host: string;
  readonly port?: number;
}

/** Takes `host`, `host:80`, `[::1]:80` and `::1` apart; the host is in normal form. Undefined: it is none of them. */
export function splitHostAndPort(text: string): HostAndPort | undefined {
  const trimmed = text.trim();
  const isVersion6 = !trimmed.startsWith('[') && trimmed.split(':').length > 2;
  const [, name = '', digits] = isVersion6
    ? [trimmed, trimmed]
    : (/^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(trimmed) ?? []);
  const host = normaliseHost(name);
  if (host === undefined) return undefined;
  if (digits === undefined) return { host };
  const port = Number(digits);
  return /^\d{1,5}$/.test(digits) && port > 0 && port < 65_536 ? { host, port } : undefined;
}

/** Names that mean this machine whatever the domain name system says. */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** Whether a host in normal form is this machine. What connects to the unspecified address reaches it, too. */
export function isThisMachine(host: string): boolean {
  return isLoopbackName(host) || isLoopbackAddress(host);
}

export function isAddress(host: string): boolean {
  return addressVersion(host) !== 0;
}

/**
 * The scheme that the address of a server may have to begin with instead. Without TLS a key can be read on the way, so
 * `http://` is advised for this machine and private addresses alone.
 */
export function otherSchemeOf({
  protocol,
  host,
}: {
  readonly protocol: string;
  readonly host: string;
}): OtherScheme | undefined {
  if (protocol === 'http:') return 'https://';
  const isNear = isThisMachine(host) || (isAddress(host) && !isPublicAddress(host));
  return isNear ? 'http://' : undefined;
}
