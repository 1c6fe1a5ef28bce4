import type { HostRule } from './rule-set.ts';

/** The line that allows every command that begins with these words. */
export function prefixRuleLine(prefix: readonly string[]): string {
  return `prefix_rule(pattern=[${prefix.map(quoted).join(', ')}], decision="allow")`;
}

const connectionWords: Readonly<Record<HostRule['protocol'], string>> = {
  http: 'HTTP connections',
  https: 'HTTPS connections',
  socks5_tcp: 'TCP connections',
  socks5_udp: 'UDP packets',
};

/** The line that allows a host. Its reason is for readers of the file. */
export function hostRuleLine(host: string, protocol: HostRule['protocol']): string {
  const justification = quoted(`Allow ${connectionWords[protocol]} to ${host}`);
  return `network_rule(host=${quoted(host)}, protocol="${protocol}", decision="allow", justification=${justification})`;
}

/** The strings of JSON are strings of rules too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
