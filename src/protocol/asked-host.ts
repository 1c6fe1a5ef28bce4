/** How a command asked for a host. `https` is any tunnel that CONNECT opens: what is inside is not seen. */
export type HostProtocol = 'http' | 'https' | 'socks5_tcp' | 'socks5_udp';

/** A host that a command wants to reach and that needs an answer. */
export interface AskedHost {
  /** In normal form. */
  readonly name: string;
  readonly port: number;
  readonly protocol: HostProtocol;
}
