import type { HttpScheme } from '../../../protocol/http.ts';
import { BlockList, isIP } from 'node:net';

const longestName = 253;

/**
 * One spelling per host, so that patterns compare what programs would reach: lower case, no final dot, no brackets,
 * international names as in the domain name system, and `127.1` as `127.0.0.1`. Undefined: no host.
 */
export function normaliseHost(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase();
  const isBracketed = trimmed.startsWith('[') && trimmed.endsWith(']');
  const bare = isBracketed ? trimmed.slice(1, -1) : trimmed;
  if (bare.includes(':')) return normaliseVersion6(bare);
  const name = bare.replace(/\.+$/, '');
  // Other characters would have a meaning for the address parser.
  if (isBracketed || name === '' || name.length > longestName || /[\0-,/:-@[-^`{-\x7f\s]/.test(name)) return undefined;
  if (name.split('.').includes('')) return undefined;
  const host = URL.parse(`http://${name}/`)?.hostname.replace(/\.+$/, '');
  return host === undefined || host === '' || host.length > longestName ? undefined : host;
}

function normaliseVersion6(text: string): string | undefined {
  const [address = '', zone, ...more] = text.split('%');
  if (ipVersion(address) !== 6 || more.length > 0) return undefined;
  if (zone !== undefined && !/^[\w.-]{1,32}$/.test(zone)) return undefined;
  const short = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  // A zone names a network. On an address that means the same in all networks, it would hide the address from lists.
  if (zone !== undefined && isZonedAddress(address)) return `${short}%${zone}`;
  // An IPv4 address written as IPv6 reaches the same machine.
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.');
}

/** Splits `host`, `host:80`, `[::1]:80` and `::1`; the host is in normal form. Undefined: none of these. */
export function splitHostAndPort(text: string): { readonly host: string; readonly port?: number } | undefined {
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
export const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');
/** Requires a host in normal form. Connecting to the unspecified address reaches this machine, too. */
export const isThisMachine = (host: string): boolean => isLoopbackName(host) || isLoopbackAddress(host);
export const isIpAddress = (host: string): boolean => ipVersion(host) !== 0;

/** The scheme that an address may need. Keys are readable without TLS, so `http://` is only for near addresses. */
export function otherSchemeOf({
  protocol,
  host,
}: Readonly<Record<'protocol' | 'host', string>>): HttpScheme | undefined {
  if (protocol === 'http:') return 'https://';
  const isNear = isThisMachine(host) || (isIpAddress(host) && !isPublicAddress(host));
  return isNear ? 'http://' : undefined;
}

/** 4 or 6 for an address in its usual spelling, else 0. Ignores a zone. */
export function ipVersion(text: string): 0 | 4 | 6 {
  const version = isIP(withoutZone(text));
  return version === 4 || version === 6 ? version : 0;
}

export const withoutZone = (text: string): string => (text.includes(':') ? text.replace(/%.*$/s, '') : text);
type AddressRanges = (text: string) => boolean;

/** Accepts ranges such as `10.0.0.0/8`, and throws on malformed ones. An IPv4 range includes its IPv6 equivalents. */
export function addressRangeMatcher(ranges: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    list.addSubnet(withoutZone(base), Number(bits), ipVersion(base) === 6 ? 'ipv6' : 'ipv4');
  }
  return (text) => {
    const version = ipVersion(text);
    return version !== 0 && list.check(withoutZone(text), version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Not on the public internet: this machine, private and shared networks, documentation, multicast, reserved. */
const closed4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';

/** IPv6: protocol assignments, documentation, and addresses that carry a closed IPv4 address (NAT64, 6to4). */
function closed6(): readonly string[] {
  const carriers = closed4.split(' ').flatMap((range) => {
    const [base = '', bits] = range.split('/');
    const [a, b, c, d] = base.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
    return [`64:ff9b::${base}/${96 + Number(bits)}`, `2002:${a}${b}:${c}${d}::/${16 + Number(bits)}`];
  });
  return ['2001::/23', '2001:db8::/32', '3fff::/20', ...carriers];
}

/** Built when the first address is checked: startup checks none. */
function lazyRanges(ranges: () => readonly string[]): AddressRanges {
  let built: AddressRanges | undefined;
  return (text) => (built ??= addressRangeMatcher(ranges()))(text);
}

const isClosed = lazyRanges(() => [...closed4.split(' '), ...closed6()]);
/** In IPv6 only this is the public internet, and addresses that carry or equal an IPv4 address. */
const isOpen6 = lazyRanges(() => ['2000::/3', '64:ff9b::/96', '::ffff:0:0/96']);
/** True if the address means something else in each network. */
export const isZonedAddress = lazyRanges(() => ['fe80::/10', 'ff00::/8']);
/** Includes the unspecified address: connecting to it reaches this machine, too. */
export const isLoopbackAddress = lazyRanges(() => ['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128']);

/** False for a text that is not an address. */
export function isPublicAddress(text: string): boolean {
  const version = ipVersion(text);
  return version !== 0 && !isClosed(text) && (version === 4 || isOpen6(text));
}
