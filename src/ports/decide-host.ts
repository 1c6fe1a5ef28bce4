import type { HostProtocol } from '../protocol/denied-request.ts';

/** A host that a command asks for and no list names. */
export interface AskedHost {
  /** In normal form. */
  readonly name: string;
  readonly port: number;
  readonly protocol: HostProtocol;
}

/** Answers while the command waits. The proxy takes an answer that comes too late, or a rejection, as `deny`. */
export type DecideHost = (host: AskedHost) => Promise<'allow' | 'deny'>;
