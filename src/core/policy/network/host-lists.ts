import type { DenialReason, NetworkLists } from '../../../protocol/permissions.ts';
import {
  isIpAddress,
  isLoopbackName,
  isPublicAddress,
  isThisMachine,
  splitHostAndPort,
  withoutZone,
} from './host-name.ts';

interface HostLists extends Readonly<Record<'allow' | 'deny' | 'ask' | 'granted', readonly HostPattern[]>> {
  readonly local: boolean;
}

/** In normal form. */
export type HostTarget = { readonly host: string; readonly port: number };
export type ResolvedTarget = { readonly addresses: readonly string[]; readonly port: number };
/** `public`: every address of the name must be public. `any`: they may be private too. */
type WantedAddresses = 'public' | 'any';

export type HostVerdict =
  | { readonly kind: 'allowed'; readonly addresses: WantedAddresses }
  /** Open after approval, otherwise closed. `by`: a rule asks, or no list has the host. */
  | { readonly kind: 'asked'; readonly by: 'rule' | 'lists'; readonly addresses: WantedAddresses }
  | { readonly kind: 'blocked'; readonly reason: DenialReason };

/** Configuration refuses malformed patterns. One that gets here allows nothing, and denies or asks about everything. */
export function readHostLists({ allow, deny, ask = [], granted = [], local }: NetworkLists): HostLists {
  const opening = (patterns: readonly string[]) =>
    patterns.map((text) => parseHostPattern(text, 'allow')).filter((pattern) => typeof pattern !== 'string');
  const holding = (patterns: readonly string[]) =>
    patterns.map((text): HostPattern => {
      const pattern = parseHostPattern(text, 'deny');
      return typeof pattern === 'string' ? { kind: 'any', host: '' } : pattern;
    });
  return { allow: opening(allow), deny: holding(deny), ask: holding(ask), granted: opening(granted), local };
}

/** Decides by the name alone. Other names are never resolved: a lookup would leak data that a command put into one. */
export function decideHost({ allow, deny, ask, granted, local }: HostLists, target: HostTarget): HostVerdict {
  const { host } = target;
  if (deny.some((pattern) => deniesHost(pattern, target))) return { kind: 'blocked', reason: 'denied' };
  const isLocal = isLoopbackName(host) || (isIpAddress(host) && !isPublicAddress(host));
  const allowing = allow.filter((pattern) => coversHost(pattern, target));
  // Only an entry that names the host exactly opens a local one; a wildcard or an answer does not.
  if (isLocal && !local && !allowing.some(({ kind }) => kind === 'exact'))
    return { kind: 'blocked', reason: 'not_allowed_local' };
  const addresses = local || isLocal ? 'any' : 'public';
  if (granted.some((pattern) => coversHost(pattern, target))) return { kind: 'allowed', addresses };
  if (ask.some((pattern) => deniesHost(pattern, target))) return { kind: 'asked', by: 'rule', addresses };
  return allowing.length === 0 ? { kind: 'asked', by: 'lists', addresses } : { kind: 'allowed', addresses };
}

/** The second half of the decision, on the resolved addresses. All count, because a connection may use any. */
export function decideAddresses({ deny }: HostLists, wanted: WantedAddresses, { addresses, port }: ResolvedTarget) {
  if (addresses.some((host) => deny.some((pattern) => deniesHost(pattern, { host, port })))) return 'denied';
  if (addresses.length === 0) return 'unresolved';
  return wanted === 'any' || addresses.every(isPublicAddress) ? undefined : 'not_allowed_local';
}

/** A parsed pattern. `below`: names below the host. `within`: the host and names below it. */
interface HostPattern {
  readonly kind: 'any' | 'exact' | 'below' | 'within';
  /** In normal form; empty for `any`. */
  readonly host: string;
  /** Absent: every port. */
  readonly port?: number;
}

/** Returns a string if the pattern is malformed: the reason. */
export function parseHostPattern(text: string, list: 'allow' | 'deny'): HostPattern | string {
  const [, stars = '', rest = ''] = /^(\*{0,2})(.*)$/s.exec(text.trim()) ?? [];
  if (stars === '*' && (rest === '' || rest.startsWith(':'))) {
    const target = splitHostAndPort(`any${rest}`);
    if (target === undefined) return `the port after "*" must be a number from 1 to 65535`;
    if (list === 'deny') return '"*" can only be allowed; leave a host out to deny it';
    return { ...target, kind: 'any', host: '' };
  }
  if (stars !== '' && !rest.startsWith('.')) return 'a wildcard must be "*", or come before a dot: "*.example.com"';
  const target = splitHostAndPort(stars === '' ? rest : rest.slice(1));
  if (target === undefined || rest.includes('*'))
    return 'it must be a host such as "example.com", "*.example.com" or "example.com:443"';
  if (stars !== '' && isIpAddress(target.host)) return 'an address cannot have a wildcard';
  return { ...target, kind: stars === '' ? 'exact' : stars === '*' ? 'below' : 'within' };
}

/** Requires a host in normal form. */
function coversHost(pattern: HostPattern, { host, port }: HostTarget): boolean {
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (pattern.kind === 'any') return true;
  const isSame = host === pattern.host;
  const isBelow = !isIpAddress(host) && host.endsWith(`.${pattern.host}`);
  return pattern.kind === 'exact' ? isSame : pattern.kind === 'below' ? isBelow : isSame || isBelow;
}

/** Matches a deny pattern. All names and addresses of this machine are one; an address's zone makes no difference. */
export function deniesHost(pattern: HostPattern, { host, port }: HostTarget): boolean {
  if (coversHost(pattern, { host, port })) return true;
  if (pattern.port !== undefined && pattern.port !== port) return false;
  if (isThisMachine(pattern.host)) return isThisMachine(host);
  return pattern.kind === 'exact' && withoutZone(host) === withoutZone(pattern.host);
}

/** Requires a host in normal form. */
export const hostAtPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The canonical form of a pattern: lower case, no final dot, the port if it names one. Undefined: not a pattern. */
export function normalHostPattern(text: string): string | undefined {
  const pattern = parseHostPattern(text, 'allow');
  if (typeof pattern === 'string') return undefined;
  const { kind, host, port } = pattern;
  const name = port === undefined ? host : hostAtPort(host, port);
  return `${{ any: '*', exact: '', below: '*.', within: '**.' }[kind]}${name}`;
}
