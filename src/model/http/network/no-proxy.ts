/** Whether the host is this machine: no proxy elsewhere would find the same one under such a name. */
export function isLoopback(host: string): boolean {
  const name = plain(host);
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return contains('127.0.0.0/8', name) || contains('::1/128', name);
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
  const net = process.getBuiltinModule('node:net');
  if (net.isIP(pattern) !== 0) return contains(`${pattern}/${net.isIPv6(pattern) ? 128 : 32}`, name);
  const domain = pattern.replace(/^\*?\./, '');
  return domain !== '' && net.isIP(name) === 0 && (name === domain || name.endsWith(`.${domain}`));
}

/** Whether the name is an address in the range. */
function contains(range: string, name: string): boolean {
  const net = process.getBuiltinModule('node:net');
  const [base = '', bits = ''] = range.split('/');
  const version = net.isIP(base);
  const most = version === 6 ? 128 : 32;
  if (version === 0 || net.isIP(name) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return false;
  const block = new net.BlockList();
  block.addSubnet(base, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
  return block.check(name, net.isIPv6(name) ? 'ipv6' : 'ipv4');
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
