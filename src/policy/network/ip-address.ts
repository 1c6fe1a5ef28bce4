import { BlockList, isIP } from 'node:net';

/** 4 or 6 for an address in its usual spelling, else 0. A zone is ignored. */
export function addressVersion(text: string): 0 | 4 | 6 {
  const version = isIP(withoutZone(text));
  return version === 4 || version === 6 ? version : 0;
}

function withoutZone(text: string): string {
  return text.includes(':') ? text.replace(/%.*$/s, '') : text;
}

/** Accepts an address in one of several ranges. */
type AddressRanges = (text: string) => boolean;

/**
 * Takes ranges such as `10.0.0.0/8`, and throws on what is none. One of version 4 has the addresses of version 6 that
 * mean it, too.
 */
export function addressRanges(ranges: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    list.addSubnet(withoutZone(base), Number(bits), addressVersion(base) === 6 ? 'ipv6' : 'ipv4');
  }
  return (text) => {
    const version = addressVersion(text);
    return version !== 0 && list.check(withoutZone(text), version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** What is not the public internet: this machine, private and shared networks, documentation, multicast, the future. */
const closed4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';

/** Of version 6: protocol assignments, documentation, and what carries a closed address of version 4 (NAT64, 6to4). */
function closed6(): readonly string[] {
  const carriers = closed4.split(' ').flatMap((range) => {
    const [base = '', bits] = range.split('/');
    const [a, b, c, d] = base.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
    return [`64:ff9b::${base}/${96 + Number(bits)}`, `2002:${a}${b}:${c}${d}::/${16 + Number(bits)}`];
  });
  return ['2001::/23', '2001:db8::/32', '3fff::/20', ...carriers];
}

// Each is made when the first address is looked at: a start looks at none.
let isClosed: AddressRanges | undefined;
let isOpen6: AddressRanges | undefined;
let isLinkLocal: AddressRanges | undefined;
let isLoopback: AddressRanges | undefined;

/** Whether the address belongs to the public internet. What is no address does not. */
export function isPublicAddress(text: string): boolean {
  const version = addressVersion(text);
  isClosed ??= addressRanges([...closed4.split(' '), ...closed6()]);
  // Of version 6 only this is the public internet, and what carries or means an address of version 4.
  isOpen6 ??= addressRanges(['2000::/3', '64:ff9b::/96', '::ffff:0:0/96']);
  return version !== 0 && !isClosed(text) && (version === 4 || isOpen6(text));
}

/** Whether the address means something else in each network. */
export function hasZones(text: string): boolean {
  isLinkLocal ??= addressRanges(['fe80::/10', 'ff00::/8']);
  return isLinkLocal(text);
}

/** Accepts an address that leads to this machine. A program that connects to an unspecified address reaches it, too. */
export function isLoopbackAddress(text: string): boolean {
  isLoopback ??= addressRanges(['127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128']);
  return isLoopback(text);
}
