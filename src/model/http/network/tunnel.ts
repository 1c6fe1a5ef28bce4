import type { Socket } from 'node:net';
import { defined } from '../../../protocol/defined.ts';
import { awaitHead, behindHead } from './await-head.ts';
import { dial, type SecurePeer } from './dial.ts';
import type { Proxy } from './proxy.ts';
import { requestHead } from './request-head.ts';

/** What a proxy did instead of opening a tunnel: it could not be reached, said no, or said nothing. */
export type TunnelTrouble =
  | { readonly kind: 'lost'; readonly code: string; readonly stale: false; readonly before: 'tunnel' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'idle' };

export interface TunnelWish {
  /** Absent: `giveUp` says how long is waited. */
  readonly idleMs?: number;
  /** When the connection is no longer wanted. */
  readonly giveUp: AbortSignal;
}

/**
 * A connection through a proxy, which sees where it leads, and nothing of what it carries inside of TLS. `authority`:
 * host and port of the target.
 */
export async function openTunnel(
  proxy: Proxy,
  authority: string,
  { secure, ...opening }: TunnelWish & { readonly secure: SecurePeer },
): Promise<Socket | TunnelTrouble> {
  const socket = dial(proxy, secure);
  const known = defined({ 'proxy-authorization': proxy.authorization });
  socket.write(requestHead('CONNECT', authority, { host: authority, connection: 'keep-alive', ...known }), 'latin1');
  const answer = await awaitHead(socket, { ...opening, isTunnel: true });
  if (answer.kind === 'lost') return { kind: 'lost', code: answer.code, stale: false, before: 'tunnel' };
  if (answer.kind === 'given-up') return { kind: 'lost', code: 'aborted', stale: false, before: 'tunnel' };
  if (answer.kind === 'idle') return answer;
  const { status } = answer.head;
  if (status < 200 || status > 299) {
    socket.destroy();
    return { kind: 'refused', status };
  }
  const early = behindHead(answer);
  if (early.length > 0) socket.unshift(early);
  socket.setTimeout(0);
  return socket;
}
