import type { HostProtocol } from './asked-host.ts';
import type { DeniedByRule } from './network-lists.ts';

/**
 * Why the proxy refused a request.
 * - `denied`: a deny pattern covers the host, or an address that its name leads to.
 * - `not_allowed`: no allow pattern covers the host, and no one could be asked.
 * - `held_back`: a rule asks about the host, and no one could be asked.
 * - `not_asked`: the command had asked about as many hosts as one may.
 * - `declined`: the host was asked about, and the answer was no.
 * - `not_allowed_local`: the host is this machine or a private network.
 * - `unresolved`: the name could not be looked up in time, or has no address.
 * - `method_not_allowed`: only reading is allowed, and the request does more.
 * - `mitm_required`: only reading is allowed, and the proxy cannot see what an encrypted tunnel does.
 * - `policy_denied`: no list allows it, such as UDP.
 */
export type DenialReason =
  | 'denied'
  | 'not_allowed'
  | 'held_back'
  | 'not_asked'
  | 'declined'
  | 'not_allowed_local'
  | 'unresolved'
  | 'method_not_allowed'
  | 'mitm_required'
  | 'policy_denied';

/** A request of a command that the proxy refused. */
export interface DeniedRequest {
  /** In normal form. */
  readonly host: string;
  readonly port: number;
  readonly protocol: HostProtocol;
  readonly reason: DenialReason;
  /** Of `denied`: the rule that denies the host. Absent: a profile does, or the rule is about its address. */
  readonly rule?: DeniedByRule;
}
