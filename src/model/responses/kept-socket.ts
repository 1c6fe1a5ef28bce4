import type { ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { limitsOf, addressOf, type Connection, usableCredentials } from '../http/ask.ts';
import { mostEventBytes } from '../http/answer-decoder.ts';
import { httpFailure } from '../http/http-failure.ts';
import { noAnswerFailure } from '../http/no-answer-failure.ts';
import { type OpenedSocket, socketOpener } from '../socket/open-socket.ts';
import type { WebSocketConnection } from '../socket/web-socket.ts';
import type { RememberedExchange } from './continuation.ts';

/** An open WebSocket, and what its server remembers. */
export interface KeptSocket {
  readonly socket: WebSocketConnection;
  readonly openedAt: number;
  /** Takes the secrets of its request out of a failure. */
  readonly hide: (failure: ModelFailure) => ModelFailure;
  /** Since when it rests, if it was used already. */
  restsSince: number | undefined;
  answered: RememberedExchange | undefined;
}

/** `why`: the rest of a sentence that begins with the provider. */
export type OpenedKeptSocket =
  | { readonly kind: 'open'; readonly kept: KeptSocket }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'no-credentials' | 'aborted' };

/** By which the server knows the form of frames that it gets. */
const frameForm = { 'openai-beta': 'responses_websockets=2026-02-06' } as const;

/** Opens a WebSocket with the headers of a request. Whatever goes wrong with it, HTTP may still work. */
export async function openKeptSocket(
  { wire, options }: Connection,
  headers: ModelRequest['headers'],
  signal: AbortSignal,
): Promise<OpenedKeptSocket> {
  const { provider, clock, environment } = options;
  const credentials = await usableCredentials(options, { signal });
  // Over HTTP the user reads what is missing.
  if (credentials.kind === 'failed') return { kind: 'no-credentials' };
  const asked = {
    request: { headers: { ...headers, ...frameForm } },
    credentials,
    endpoint: wire.endpoint,
    wants: 'socket',
  } as const;
  const { target, headers: own, hide } = addressOf({ wire, options }, asked);
  if (target === undefined) return { kind: 'no-credentials' };
  const timeoutMs = provider.websocketConnectTimeoutMs;
  const maxBytes = mostEventBytes(limitsOf(options, {}));
  const opened = await socketOpener({ environment })(target, { headers: own, timeoutMs, maxBytes, signal });
  if (opened.kind !== 'open') return opened.kind === 'aborted' ? opened : { kind: 'failed', why: why(opened, hide) };
  const { socket } = opened;
  return { kind: 'open', kept: { socket, openedAt: clock.now(), hide, restsSince: undefined, answered: undefined } };

  function why(failed: Exclude<OpenedSocket, { kind: 'open' | 'aborted' }>, hidden: KeptSocket['hide']): string {
    if (failed.kind === 'declined') {
      const answer = { ...failed.head, body: failed.words };
      const { message } = hidden(httpFailure(answer, { now: clock.now(), api: wire.api }));
      return message.replace(/^The provider /, '');
    }
    if (failed.kind === 'idle') return `did not answer within ${timeoutMs / 1000} seconds`;
    return `could not be reached: ${hidden(noAnswerFailure(failed, { origin: target!.origin, idleMs: timeoutMs })).message}`;
  }
}
