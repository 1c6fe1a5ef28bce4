import type { Socket } from 'node:net';
import { type HttpHead, NotHttp } from './http-head.ts';
import { type HttpPart, HttpReader } from './http-reader.ts';

export interface HeadOfAnswer {
  readonly kind: 'head';
  readonly head: HttpHead;
  /** Goes on with what the socket brings. */
  readonly reader: HttpReader;
  /** What has come behind the head already. */
  readonly parts: readonly HttpPart[];
}

/** No head came, and the connection is closed. */
export type NoHead =
  | { readonly kind: 'lost'; readonly code: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'given-up' };

/** Waits for the head of an answer. Nobody else may read the socket meanwhile; afterwards the caller goes on. */
export function awaitHead(
  socket: Socket,
  { idleMs, giveUp }: { readonly idleMs?: number; readonly giveUp: AbortSignal },
): Promise<HeadOfAnswer | NoHead> {
  return new Promise((resolve) => {
    const reader = new HttpReader();
    let waiting: NodeJS.Timeout | undefined;
    const settle = (outcome: HeadOfAnswer | NoHead): void => {
      clearTimeout(waiting);
      giveUp.removeEventListener('abort', onGiveUp);
      socket.off('readable', onReadable).off('timeout', onIdle).off('error', onError);
      socket.off('end', onEnd).off('close', onEnd);
      if (outcome.kind !== 'head') socket.destroy();
      resolve(outcome);
    };
    const onGiveUp = (): void => settle({ kind: 'given-up' });
    const onIdle = (): void => settle({ kind: 'idle' });
    const onEnd = (): void => settle({ kind: 'lost', code: 'ECONNRESET' });
    const onError = ({ code = 'ERROR' }: NodeJS.ErrnoException): void => settle({ kind: 'lost', code });
    const onParts = ([first, ...parts]: readonly HttpPart[]): boolean => {
      if (first === undefined) return false;
      if (first.kind === 'head') {
        settle({ kind: 'head', head: first.head, reader, parts });
        return true;
      }
      // Hints are no answer: however many come, they give the server no more time.
      if (idleMs !== undefined) waiting ??= setTimeout(onIdle, idleMs);
      return onParts(parts);
    };
    const onReadable = (): void => {
      try {
        for (let bytes = unread(socket); bytes !== null; bytes = unread(socket))
          if (onParts(reader.push(bytes))) return;
      } catch (error) {
        if (!(error instanceof NotHttp)) throw error;
        settle({ kind: 'lost', code: error.code });
      }
    };
    if (giveUp.aborted) return onGiveUp();
    giveUp.addEventListener('abort', onGiveUp, { once: true });
    socket.on('readable', onReadable).on('timeout', onIdle).on('error', onError);
    socket.on('end', onEnd).on('close', onEnd);
    if (idleMs !== undefined) socket.setTimeout(idleMs);
  });
}

/** What has come over a socket and was not read. */
export function unread(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
