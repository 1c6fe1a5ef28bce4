/** How a command asked for a host. `https` is any tunnel that CONNECT opens: what is inside is not seen. */
export type HostProtocol = 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';

/**
 * Why the proxy refused a request.
 * - `denied`: a deny pattern covers the host, or an address that its name leads to.
 * - `not_allowed`: no allow pattern covers the host. The only one that a user can lift by an answer.
 * - `not_allowed_local`: the host is this machine or a private network.
 * - `unresolved`: the name could not be looked up in time, or has no address.
 * - `method_not_allowed`: only reading is allowed, and the request does more.
 * - `mitm_required`: only reading is allowed, and the proxy cannot see what an encrypted tunnel does.
 * - `policy_denied`: no list allows it, such as UDP.
 */
export type DenialReason =
  | 'denied'
  | 'not_allowed'
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
}
