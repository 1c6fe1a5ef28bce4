import type { DenialReason } from '../../protocol/denied-request.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import { isAddress, isLoopbackName } from './host-name.ts';
import { coversHost, deniesHost, type HostPattern, parseHostPattern } from './host-pattern.ts';
import { isPublicAddress } from './ip-address.ts';

/** Lists whose patterns are taken apart once, for many questions. */
export interface HostLists {
  readonly allow: readonly HostPattern[];
  readonly deny: readonly HostPattern[];
  readonly ask: readonly HostPattern[];
  readonly granted: readonly HostPattern[];
  readonly local: boolean;
}

/** A host in normal form. */
export interface HostTarget {
  readonly host: string;
  readonly port: number;
}

/** `public`: every address that the name leads to must be public. `any`: they may be private too. */
type WantedAddresses = 'public' | 'any';

export type HostVerdict =
  | { readonly kind: 'allowed'; readonly addresses: WantedAddresses }
  /** Open after a yes, and closed without one. `by`: a rule asks, or no list has the host. */
  | { readonly kind: 'asked'; readonly by: 'rule' | 'lists'; readonly addresses: WantedAddresses }
  | { readonly kind: 'blocked'; readonly reason: DenialReason };

/**
 * Configuration refuses patterns that make no sense. Should one come here, it allows nothing, and a deny or a question
 * is about all.
 */
export function readHostLists({ allow, deny, ask = [], granted = [], local }: NetworkLists): HostLists {
  const read = (list: 'allow' | 'deny', patterns: readonly string[]) =>
    patterns.map((text) => parseHostPattern(text, list));
  const all: HostPattern = { kind: 'any', host: '' };
  const opening = (patterns: readonly string[]) =>
    read('allow', patterns).filter((pattern) => typeof pattern !== 'string');
  const holding = (patterns: readonly string[]) =>
    read('deny', patterns).map((pattern) => (typeof pattern === 'string' ? all : pattern));
  return { allow: opening(allow), deny: holding(deny), ask: holding(ask), granted: opening(granted), local };
}

/**
 * Decides by the name alone. A name that nothing allows is never resolved: a lookup would carry it, and what a command
 * wrote into it, to the outside.
 */
export function decideHost({ allow, deny, ask, granted, local }: HostLists, target: HostTarget): HostVerdict {
  const { host } = target;
  if (deny.some((pattern) => deniesHost(pattern, target))) return { kind: 'blocked', reason: 'denied' };
  const isLocal = isLoopbackName(host) || (isAddress(host) && !isPublicAddress(host));
  const allowing = allow.filter((pattern) => coversHost(pattern, target));
  // Who names the place means it; a wildcard or an answer does not.
  if (isLocal && !local && !allowing.some(({ kind }) => kind === 'exact')) {
    return { kind: 'blocked', reason: 'not_allowed_local' };
  }
  const addresses = local || isLocal ? 'any' : 'public';
  if (granted.some((pattern) => coversHost(pattern, target))) return { kind: 'allowed', addresses };
  if (ask.some((pattern) => deniesHost(pattern, target))) return { kind: 'asked', by: 'rule', addresses };
  return allowing.length === 0 ? { kind: 'asked', by: 'lists', addresses } : { kind: 'allowed', addresses };
}

/** The second half of the decision, about what the name led to. All addresses count: a connection may take any. */
export function decideAddresses(
  { deny }: HostLists,
  wanted: WantedAddresses,
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
): DenialReason | undefined {
  const isDenied = addresses.some((host) => deny.some((pattern) => deniesHost(pattern, { host, port })));
  if (isDenied) return 'denied';
  if (addresses.length === 0) return 'unresolved';
  const isFine = wanted === 'any' || addresses.every(isPublicAddress);
  return isFine ? undefined : 'not_allowed_local';
}
