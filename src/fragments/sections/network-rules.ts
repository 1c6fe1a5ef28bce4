import type { NetworkRule } from '../../policy/network/network-rules.ts';
import { type BoundedList, boundedList, dashedLines } from '../text/bounded-list.ts';
import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

/** Rules are only ever added here; when one goes, the permissions are told anew. */
export const networkRulesFragment = defineFragment<{ readonly added: readonly NetworkRule[] }>({
  id: 'network-rules',
  purpose: 'Rules about hosts that the user saved since `permissions` was sent.',
  role: 'developer',
  markers: ['<network_rules>', '</network_rules>'],
  capTokens: 1500,
  section: 'permissions',
  matches: (text) =>
    /^\s*<network_rules>[\s\S]*<\/network_rules>\s*$/i.test(text) ||
    /^\s*(?:Allowed|Denied) network rule saved in execpolicy\b/.test(text),
  body: ({ added }) => `\nNetwork rules saved; they hold from now on:\n${dashedLines(listRules(added)).join('\n')}\n`,
});

/** Each once. */
export function listRules(rules: readonly NetworkRule[]): BoundedList {
  const lines = rules.map(({ host, action }) => `${action} ${quote(host)}`);
  return boundedList([...new Set(lines)], { count: 100, characters: 5000 });
}
