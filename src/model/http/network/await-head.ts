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
  /** `isSilent`: not a byte had come. */
  | { readonly kind: 'lost'; readonly code: string; readonly isSilent: boolean }
  | { readonly kind: 'idle' }
  | { readonly kind: 'given-up' };

export interface HeadWish {
  readonly idleMs?: number;
  readonly giveUp: AbortSignal;
  /** The answer opens a tunnel. */
  readonly isTunnel?: boolean;
}

/** Waits for the head of an answer. Until then it alone reads the socket; afterwards the caller does. */
export function awaitHead(
  socket: Socket,
  { idleMs, giveUp, isTunnel = false }: HeadWish,
): Promise<HeadOfAnswer | NoHead> {
  return new Promise((resolve) => {
    const reader = new HttpReader({ isTunnel });
    let isSilent = true;
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
    const onEnd = (): void => settle({ kind: 'lost', code: 'ECONNRESET', isSilent });
    const onError = ({ code = 'ERROR' }: NodeJS.ErrnoException): void => settle({ kind: 'lost', code, isSilent });
    const onParts = (parts: readonly HttpPart[]): boolean => {
      const at = parts.findIndex(({ kind }) => kind === 'head');
      const first = parts[at];
      if (first?.kind === 'head') {
        settle({ kind: 'head', head: first.head, reader, parts: parts.slice(at + 1) });
        return true;
      }
      // Neither hints nor a part of a head are an answer: however many come, they give the server no more time.
      if (idleMs !== undefined) waiting ??= setTimeout(onIdle, idleMs);
      return false;
    };
    const onReadable = (): void => {
      try {
        for (let bytes = unread(socket); bytes !== null; bytes = unread(socket)) {
          isSilent = false;
          if (onParts(reader.push(bytes))) return;
        }
      } catch (error) {
        if (!(error instanceof NotHttp)) throw error;
        settle({ kind: 'lost', code: error.code, isSilent });
      }
    };
    if (giveUp.aborted) return onGiveUp();
    giveUp.addEventListener('abort', onGiveUp, { once: true });
    socket.on('readable', onReadable).on('timeout', onIdle).on('error', onError);
    socket.on('end', onEnd).on('close', onEnd);
    if (idleMs !== undefined) socket.setTimeout(idleMs);
  });
}

/** What came behind a head that ends HTTP on the connection. */
export function behindHead({ parts }: HeadOfAnswer): Buffer {
  return Buffer.concat(parts.flatMap((part) => (part.kind === 'bytes' ? [part.bytes] : [])));
}

/** What has come over a socket and was not read. */
export function unread(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
