import { networkWord, type PolicyDescription, type ReachedNetwork } from '../../policy/describe-policy.ts';
import type { NetworkAccess } from '../../protocol/permission-profile.ts';
import { type ApprovalTold, asksAbout } from './approval-text.ts';
import { networkLines } from './policy-lists.ts';

/** The network as it is now: that of the policy, or as an answer opened it. */
export type NetworkTold = ReachedNetwork &
  ApprovalTold & { readonly opened?: ReachedNetwork; readonly landlock?: PolicyDescription['landlock'] };

/** What the model reads about it: less than 8,000 bytes. */
export function reachLines(told: NetworkTold): readonly string[] {
  const now = { ...told, ...told.opened };
  return [
    `Network: ${networkWord(now)}. ${reachSentences(now)}`,
    ...networkLines(now, { asksAboutRules: asksAbout(told, 'rules') }),
  ];
}

const plainSentence: Readonly<Record<NetworkAccess, string>> = {
  restricted:
    'Nothing outside a command can be reached. It can reach servers that it starts itself, on its own loopback.',
  enabled: 'Commands can use the network.',
};

const withoutLoopback =
  'Nothing outside a command can be reached, and it cannot start servers either: no sockets work but connected pairs.';

const ownServers = ' Servers that a command starts itself answer on its own loopback, whatever the lists say.';

function reachSentences(told: NetworkTold): string {
  const { network, lists } = told;
  if (lists === undefined && network === 'restricted' && told.landlock !== undefined) return withoutLoopback;
  if (lists === undefined) return plainSentence[network];
  const others = lists.allow.includes('*')
    ? ''
    : asksAbout(told, 'sandbox')
      ? ' A connection to any other host waits until the user has allowed or declined it: run the command without asking first. Its time limit stands still meanwhile.'
      : ' Connections to any other host fail.';
  const local = lists.local
    ? ' This machine and private networks count as hosts like any other: where they are allowed, servers of this machine also answer on the loopback of a command.'
    : ' Connections to this machine and to private networks fail, unless their address itself is listed.';
  const methods =
    lists.methods === 'any' ? '' : ' Only GET, HEAD and OPTIONS requests over plain HTTP are let through: HTTPS fails.';
  return `Commands reach the hosts listed here through a proxy.${others}${local}${ownServers}${methods}`;
}
