import type { Socket } from 'node:net';
import { defined } from '../../../protocol/defined.ts';
import { awaitHead, type HeadWish } from './await-head.ts';
import { dial, type SecurePeer } from './dial.ts';
import type { Proxy } from './proxy.ts';
import { requestHead } from './request-head.ts';

/** What a proxy did instead of opening a tunnel: it could not be reached, said no, or said nothing. */
export type TunnelTrouble =
  | { readonly kind: 'lost'; readonly code: string; readonly stale: false; readonly before: 'tunnel' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'idle' };

/**
 * A connection through a proxy, which sees where it leads, and nothing of what it carries inside of TLS. `authority`:
 * host and port of the target.
 */
export async function openTunnel(
  proxy: Proxy,
  authority: string,
  { secure, ...wish }: HeadWish & { readonly secure: SecurePeer },
): Promise<Socket | TunnelTrouble> {
  const socket = dial(proxy, secure);
  const known = defined({ 'proxy-authorization': proxy.authorization });
  const head = requestHead('CONNECT', authority, { host: authority, connection: 'keep-alive', ...known });
  if (typeof head !== 'string') throw new TypeError(head.message);
  const sent = new Promise<void>((resolve) => socket.write(head, 'latin1', () => resolve()));
  const answer = await awaitHead(socket, wish, { isTunnel: true, sent });
  if (answer.kind === 'idle') return answer;
  if (answer.kind === 'other-protocol' && answer.status >= 200 && answer.status <= 299) {
    socket.setTimeout(0);
    return socket;
  }
  socket.destroy();
  if (answer.kind === 'other-protocol') return { kind: 'refused', status: answer.status };
  return { kind: 'lost', code: answer.kind === 'lost' ? answer.code : 'aborted', stale: false, before: 'tunnel' };
}
