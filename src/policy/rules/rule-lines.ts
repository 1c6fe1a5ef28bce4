import type { HostRule } from './rule-set.ts';

/** The line that allows every command that begins with these words. */
export function prefixRuleLine(prefix: readonly string[]): string {
  return `prefix_rule(pattern=[${prefix.map(quoted).join(', ')}], decision="allow")`;
}

/** The line that allows a host. */
export function hostRuleLine(host: string, protocol: HostRule['protocol']): string {
  const label = protocol === 'https' ? 'https_connect' : protocol;
  const justification = quoted(`Allow ${label} access to ${host}`);
  return `network_rule(host=${quoted(host)}, protocol="${protocol}", decision="allow", justification=${justification})`;
}

/** The strings of JSON are strings of rules too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
