import type { DenialReason } from '../../protocol/denied-request.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import { isAddress, isLoopbackName } from './host-name.ts';
import { coversHost, deniesHost, type HostPattern, parseHostPattern } from './host-pattern.ts';
import { isPublicAddress } from './ip-address.ts';

/** Lists whose patterns are taken apart once, for many questions. */
export interface HostRules {
  readonly allow: readonly HostPattern[];
  readonly deny: readonly HostPattern[];
  readonly local: boolean;
}

/** A host in normal form. */
export interface HostTarget {
  readonly host: string;
  readonly port: number;
}

export type HostVerdict =
  /** `public`: every address that the name leads to must be public. `any`: they may be private too. */
  | { readonly kind: 'allowed'; readonly addresses: 'public' | 'any' }
  | { readonly kind: 'blocked'; readonly reason: DenialReason };

/** Configuration refuses patterns that make no sense. Should one come here, it allows nothing, and a deny denies all. */
export function readHostRules({ allow, deny, local }: NetworkLists): HostRules {
  const read = (list: 'allow' | 'deny', patterns: readonly string[]) =>
    patterns.map((text) => parseHostPattern(text, list));
  const nothing: HostPattern = { kind: 'any', host: '' };
  return {
    allow: read('allow', allow).filter((pattern) => typeof pattern !== 'string'),
    deny: read('deny', deny).map((pattern) => (typeof pattern === 'string' ? nothing : pattern)),
    local,
  };
}

/**
 * Decides by the name alone. A name that no pattern allows is never resolved: a lookup would carry it, and what a
 * command wrote into it, to the outside.
 */
export function decideHost(rules: HostRules, target: HostTarget): HostVerdict {
  const { allow, deny, local } = rules;
  const { host } = target;
  if (deny.some((pattern) => deniesHost(pattern, target))) return { kind: 'blocked', reason: 'denied' };
  const isLocal = isLoopbackName(host) || (isAddress(host) && !isPublicAddress(host));
  const allowing = allow.filter((pattern) => coversHost(pattern, target));
  if (isLocal && !local) {
    // Who names the place means it; a wildcard does not.
    const isNamed = allowing.some(({ kind }) => kind === 'exact');
    return isNamed ? { kind: 'allowed', addresses: 'any' } : { kind: 'blocked', reason: 'not_allowed_local' };
  }
  return allowing.length === 0 ? { kind: 'blocked', reason: 'not_allowed' } : allowedByAnswer(rules);
}

/** What holds for a host that the lists do not name and a user allowed. */
export function allowedByAnswer({ local }: HostRules): HostVerdict {
  return { kind: 'allowed', addresses: local ? 'any' : 'public' };
}

/** The second half of the decision, about what the name led to. All addresses count: a connection may take any. */
export function decideAddresses(
  { deny }: HostRules,
  wanted: 'public' | 'any',
  { addresses, port }: { readonly addresses: readonly string[]; readonly port: number },
): DenialReason | undefined {
  const isDenied = addresses.some((host) => deny.some((pattern) => deniesHost(pattern, { host, port })));
  if (isDenied) return 'denied';
  if (addresses.length === 0) return 'unresolved';
  const isFine = wanted === 'any' || addresses.every(isPublicAddress);
  return isFine ? undefined : 'not_allowed_local';
}
