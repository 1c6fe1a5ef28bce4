import type { ModelEvent, ModelFailure, ModelRequest, SentFrame } from '../../ports/model-client.ts';
import type { Prompt } from '../../ports/prompt.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import type { Item } from '../../protocol/item.ts';
import type { AnswerLimits } from '../../config/defaults.ts';
import { messageDecoder, mostEventBytes } from '../http/answer-decoder.ts';
import { abortedFailure, answerTooLarge, idleFailure, megabytes, providerFault } from '../http/answer-failure.ts';
import { type Connection, limitsOf } from '../http/ask.ts';
import { modelFailure } from '../http/failure.ts';
import { joinedDeltas } from '../http/joined-deltas.ts';
import type { SocketRead } from '../socket/web-socket.ts';
import { linkTo } from './continuation.ts';
import { fullFrame, type IncrementalFrame } from './encode.ts';
import type { KeptSocket } from './kept-socket.ts';
import { socketReader } from './socket-reader.ts';

export interface SocketAsking {
  readonly request: ModelRequest & { readonly prompt: Prompt };
  /** Makes the message of a request that continues from the last answer. */
  readonly frame: IncrementalFrame;
  readonly signal: AbortSignal;
  /** Another connection failed already for its own sake: if this one does so, too, the request fails. */
  readonly isSecond: boolean;
  /**
   * Called before the last event is given: no one may read on after it. `completed`: the connection may be used again.
   * `broken`: it did not hold.
   */
  readonly onEnd: (end: 'completed' | 'broken') => void;
}

/** `again`: nothing came, and another connection may do better. */
export type SocketEnd = 'over' | 'again';

/** A connection that rests for so long may be gone without a word. */
const trustedRestMs = 30_000;

/** Sends one request over an open connection and gives its answer. Unless it is completed, the connection is gone. */
export async function* socketExchange(
  connection: Connection,
  kept: KeptSocket,
  { onEnd, ...asking }: SocketAsking,
): AsyncGenerator<ModelEvent, SocketEnd> {
  const { socket, hide } = kept;
  const { signal } = asking;
  const onAbort = (): void => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  let isCompleted = false;
  const ends = (end: 'completed' | 'broken'): void => {
    isCompleted = end === 'completed';
    signal.removeEventListener('abort', onAbort);
    kept.restsSince = connection.options.clock.now();
    if (isCompleted) socket.rest();
    onEnd(end);
  };
  try {
    return yield* exchange(connection, kept, { ...asking, onEnd: ends });
  } catch (error) {
    // A reader that throws may cite the answer, and a server may send the key back.
    yield failed(hide(providerFault(error)));
    return 'over';
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!isCompleted) socket.destroy();
  }
}

async function* exchange(
  connection: Connection,
  kept: KeptSocket,
  { request, frame, signal, isSecond, onEnd }: SocketAsking,
): AsyncGenerator<ModelEvent, SocketEnd> {
  const { options } = connection;
  const { socket, hide } = kept;
  const { prompt } = request;
  const limits = limitsOf(options, request);
  const idleMs = options.provider.streamIdleTimeoutMs;
  if (!(await isAllowed(request, signal))) return yield* stopped();
  const { waits, tell, isUsed } = send(connection, kept, { request, frame });
  const reader = socketReader(limits, () => ({ now: options.clock.now(), api: connection.wire.api }));
  const decoder = messageDecoder(limits, reader);
  const output: Item[] = [];
  let hasEvents = false;
  for (;;) {
    const read = await decoder.wait(idleMs, (ms) => socket.read({ ...waits, idleMs: ms }));
    if (signal.aborted) return yield* stopped();
    const isEnd = read.kind !== 'messages';
    const cause = (): ModelFailure => endFailure(read, { idleMs, limits, sawOther: decoder.sawOther });
    const events = isEnd ? decoder.end(cause) : decoder.push(read.messages);
    const isOnlyFailure = !hasEvents && events.length === 1 && events[0]!.kind === 'failed';
    // After an error that the server reported, the end of the connection says nothing about the connection.
    const isBroken = isEnd && reader.hasError !== true;
    const isForConnection = reader.wantsOtherConnection || (isBroken && isUsed);
    if (isOnlyFailure && isForConnection && !isSecond) return 'again';
    for (const event of joinedDeltas(events)) {
      // Also between events that came together: abort means now.
      if (signal.aborted) return yield* stopped();
      tell();
      hasEvents = true;
      if (event.kind === 'item') output.push(event.item);
      if (event.kind === 'completed') {
        kept.answered = { prompt, responseId: event.responseId, output };
        onEnd('completed');
      }
      if (event.kind === 'failed' && isBroken) onEnd('broken');
      yield event.kind === 'failed' ? { ...event, failure: hide(event.failure) } : event;
      if (event.kind === 'completed' || event.kind === 'failed') return 'over';
    }
  }
}

/** Whether the lines of the request are safe. */
function isAllowed({ after = Promise.resolve() }: ModelRequest, signal: AbortSignal): Promise<boolean> {
  const settled = after.then(
    () => true,
    () => false,
  );
  return beforeAbort(settled, signal, false);
}

interface Sending {
  readonly waits: { readonly idleMs: number; readonly firstMs?: number };
  /** Says that it has left, once. */
  readonly tell: () => void;
  /** Whether the connection is not a new one: that it ends may have nothing to do with the request. */
  readonly isUsed: boolean;
}

function send(
  { options }: Connection,
  kept: KeptSocket,
  { request, frame: write }: Pick<SocketAsking, 'request' | 'frame'>,
): Sending {
  const { socket } = kept;
  const { streamIdleTimeoutMs: idleMs, websocketConnectTimeoutMs } = options.provider;
  const frame = frameFor(kept, request, write);
  kept.answered = undefined;
  let isTold = false;
  const tell = (): void => {
    if (!isTold) request.onSent?.(frame);
    isTold = true;
  };
  void socket.send(frame.content).then(() => socket.isOpen && tell());
  const isOld = options.clock.now() - (kept.restsSince ?? kept.openedAt) > trustedRestMs;
  if (!isOld) return { waits: { idleMs }, tell, isUsed: kept.restsSince !== undefined };
  socket.ping();
  return { waits: { idleMs, firstMs: Math.min(idleMs, websocketConnectTimeoutMs) }, tell, isUsed: true };
}

function frameFor(
  { answered }: KeptSocket,
  { prompt, body }: SocketAsking['request'],
  write: IncrementalFrame,
): SentFrame {
  const link = linkTo(answered, prompt);
  const { length } = prompt.input;
  if (link === undefined) return { items: length, content: fullFrame(body) };
  return { link, items: length - link.from, content: write(prompt, link) };
}

const tooLarge = 1009;

function endFailure(
  read: SocketRead,
  { idleMs, limits, sawOther }: { readonly idleMs: number; readonly limits: AnswerLimits; readonly sawOther: boolean },
): ModelFailure {
  if (read.kind !== 'ended') return idleFailure(idleMs, { sawOther });
  if (read.code === tooLarge) return answerTooLarge(megabytes(mostEventBytes(limits)), 'event');
  const message = `The provider ${read.why} before the answer was complete.`;
  return modelFailure({ cause: 'cut', message });
}

async function* stopped(): AsyncGenerator<ModelEvent, SocketEnd> {
  yield failed(abortedFailure());
  return 'over';
}

function failed(failure: ModelFailure): ModelEvent {
  return { kind: 'failed', failure };
}
