import { defineFragment } from '../text/define.ts';

/** Capstan recognises it in older files and never makes it: the hosts that rules open are among those of `permissions`. */
export const networkRulesFragment = defineFragment<{ readonly rules: string }>({
  id: 'network-rules',
  purpose: 'Rules about hosts, in threads of earlier versions and of other programs. `permissions` has them now.',
  role: 'developer',
  markers: ['<network_rules>', '</network_rules>'],
  capTokens: 1500,
  section: 'permissions',
  matches: (text) =>
    /^\s*<network_rules>[\s\S]*<\/network_rules>\s*$/i.test(text) ||
    /^\s*(?:Allowed|Denied) network rule saved in execpolicy\b/.test(text),
  body: ({ rules }) => `\n${rules}\n`,
});
