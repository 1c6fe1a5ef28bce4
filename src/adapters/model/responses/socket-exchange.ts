import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type {
  FrameLink,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  ModelPrompt,
  SentFrame,
} from '../../../ports/model.ts';
import { valueOrAbort } from '../../../protocol/abort.ts';
import type { Item } from '../../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import { joinedDeltas, socketMessageDecoder, mostEventBytes } from '../http/answer-decoder.ts';
import { headerEvents } from '../http/answer-headers.ts';
import {
  abortedFailure,
  answerTooLarge,
  idleFailure,
  formatMegabytes,
  noAnswerFailure,
  wireFormatFailure,
} from '../http/failures/answer-failure.ts';
import { type AnswerContext, httpFailure } from '../http/failures/http-failure.ts';
import { failed, modelFailure } from '../http/failures/model-failure.ts';
import type { OpenedSocket, SocketRead, WebSocketConnection } from '../http/network/open-socket.ts';
import { socketOpener } from '../http/network/open-socket.ts';
import { prepareRequest, answerLimits, type ProviderConnection, usableCredentials } from '../http/send-question.ts';
import { responsesReader } from './decode.ts';
import { fullFrame, type IncrementalFrame, isSameButInput, itemBytes } from './encode.ts';

export interface SocketRequestContext {
  readonly request: ModelRequest & { readonly prompt: ModelPrompt };
  readonly frame: IncrementalFrame;
  readonly signal: AbortSignal;
  /** Another connection already failed for a reason of its own: if this one does too, the request fails. */
  readonly isSecond: boolean;
  /**
   * Called before the last event is given, since the caller may stop reading after it. `completed`: the connection may be
   * reused. `broken`: it failed.
   */
  readonly onEnd: (end: 'completed' | 'broken') => void;
}

/** `again`: nothing came; another connection may do better. */
export type SocketEnd = 'over' | 'again';
/** A connection that was idle longer may be gone without notice. */
const trustedRestMs = 30_000;

/** Sends one request over an open connection and yields its answer. Unless it completes, the connection is gone. */
export async function* socketExchange(
  connection: ProviderConnection,
  kept: KeptSocket,
  { request, frame, signal, isSecond, onEnd }: SocketRequestContext,
): AsyncGenerator<ModelEvent, SocketEnd> {
  const { options, wire } = connection;
  const { socket, hide } = kept;
  const { prompt } = request;
  const onAbort = (): void => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  let isCompleted = false;
  const ends = (end: 'completed' | 'broken'): void => {
    isCompleted = end === 'completed';
    signal.removeEventListener('abort', onAbort);
    kept.restsSince = options.clock.now();
    if (isCompleted) socket.rest();
    onEnd(end);
  };
  try {
    const limits = answerLimits(options, request);
    const idleMs = options.provider.streamIdleTimeoutMs;
    if (!(await isAllowed(request, signal))) return yield* stopped();
    const { waits, tell, isUsed } = send(connection, kept, { request, frame });
    const reader = socketReader(limits, () => ({ now: options.clock.now(), api: wire.api }));
    const decoder = socketMessageDecoder(limits, reader);
    const output: Item[] = [];
    let hasEvents = false;
    for (;;) {
      const read = await decoder.wait(idleMs, (ms) => socket.read({ ...waits, idleMs: ms }));
      if (signal.aborted) return yield* stopped();
      const isEnd = read.kind !== 'messages';
      const cause = (): ModelFailure => endFailure(read, { idleMs, limits, sawOther: decoder.sawOther() });
      const events = isEnd ? decoder.end(cause) : decoder.push(read.messages);
      const isOnlyFailure = !hasEvents && events.length === 1 && events[0]!.kind === 'failed';
      // After a reported error, the end of the connection is not a fault of the connection.
      const isBroken = isEnd && reader.hasError !== true;
      const isForConnection = reader.wantsOtherConnection || (isBroken && isUsed);
      if (isOnlyFailure && isForConnection && !isSecond) return 'again';
      for (const event of joinedDeltas(events)) {
        // Check between events that arrived together, too: abort takes effect immediately.
        if (signal.aborted) return yield* stopped();
        tell();
        hasEvents = true;
        if (event.kind === 'item') output.push(event.item);
        if (event.kind === 'completed') {
          kept.answered = { prompt, responseId: event.responseId, output };
          ends('completed');
        }
        if (event.kind === 'failed' && isBroken) ends('broken');
        yield event.kind === 'failed' ? { ...event, failure: hide(event.failure) } : event;
        if (event.kind === 'completed' || event.kind === 'failed') return 'over';
      }
    }
  } catch (error) {
    // A throwing reader may quote the answer, and a server may echo the key.
    yield failed(hide(wireFormatFailure(error)));
    return 'over';
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!isCompleted) socket.destroy();
  }
}

/** Waits until the thread's lines for this request are safe. False if that fails or the request is aborted. */
const isAllowed = ({ after = Promise.resolve() }: ModelRequest, signal: AbortSignal): Promise<boolean> =>
  valueOrAbort(
    after.then(() => true).catch(() => false),
    signal,
    false,
  );

/** `isUsed`: not a new connection, so its end may be unrelated to the request. */
function send(
  { options }: ProviderConnection,
  kept: KeptSocket,
  { request, frame: write }: Pick<SocketRequestContext, 'request' | 'frame'>,
) {
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
  if (isOld) socket.ping();
  const firstMs = isOld ? Math.min(idleMs, websocketConnectTimeoutMs) : undefined;
  return { waits: { idleMs, firstMs }, tell, isUsed: isOld || kept.restsSince !== undefined };
}

function frameFor(
  { answered }: KeptSocket,
  { prompt, body }: SocketRequestContext['request'],
  write: IncrementalFrame,
): SentFrame {
  const link = continuationLink(answered, prompt);
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
  if (read.code === tooLarge) return answerTooLarge(formatMegabytes(mostEventBytes(limits)), 'event');
  return modelFailure({ cause: 'cut', message: `The provider ${read.why} before the answer was complete.` });
}

async function* stopped(): AsyncGenerator<ModelEvent, SocketEnd> {
  yield failed(abortedFailure());
  return 'over';
}

type RememberedExchange = {
  readonly prompt: ModelPrompt;
  readonly responseId: string;
  readonly output: readonly Item[];
};

/**
 * Continues from the last answer if the options are the same and the input begins with the previous input and that
 * answer's items. Undefined in any doubt: then the whole request is sent.
 */
function continuationLink(answered: RememberedExchange | undefined, now: ModelPrompt): FrameLink | undefined {
  if (answered === undefined || answered.responseId === '') return undefined;
  const { prompt, responseId, output } = answered;
  const known = [...prompt.input, ...output];
  if (now.input.length < known.length || !isSameButInput(prompt, now)) return undefined;
  if (!known.every((item, index) => isSameItem(item, now.input[index]!))) return undefined;
  return { previous: responseId, from: known.length };
}

/** Compare identity first: items of the previous request are the same objects. */
const isSameItem = (before: Item, now: Item): boolean =>
  Object.is(before, now) || itemBytes(before).equals(itemBytes(now));

export interface KeptSocket {
  readonly socket: WebSocketConnection;
  readonly openedAt: number;
  /** Removes the secrets of its request from a failure. */
  readonly hide: (failure: ModelFailure) => ModelFailure;
  /** Start of the idle time, if it was used already. */
  restsSince: number | undefined;
  answered: RememberedExchange | undefined;
}

/** `why`: the rest of a sentence that begins with the provider. */
export type OpenedKeptSocket =
  | { readonly kind: 'open'; readonly kept: KeptSocket }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'no-credentials' | 'aborted' };

const frameForm = { 'openai-beta': 'responses_websockets=2026-02-06' } as const;

/** Opens a WebSocket with the headers of a request. HTTP may still work after any failure. */
export async function openKeptSocket(
  { wire, options }: ProviderConnection,
  headers: ModelRequest['headers'],
  signal: AbortSignal,
): Promise<OpenedKeptSocket> {
  const { provider, clock, environment } = options;
  const credentials = await usableCredentials(options, { signal });
  // HTTP reports to the user what is missing.
  if (credentials.kind === 'failed') return { kind: 'no-credentials' };
  const request = { headers: { ...headers, ...frameForm } };
  const asked = { request, credentials, endpoint: wire.endpoint, wants: 'socket' } as const;
  const { target, headers: own, hide } = prepareRequest({ wire, options }, asked);
  if (target === undefined) return { kind: 'no-credentials' };
  const timeoutMs = provider.websocketConnectTimeoutMs;
  const maxBytes = mostEventBytes(answerLimits(options, {}));
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

/** Errors after which the same request succeeds over another connection. */
const connectionErrors = ['previous_response_not_found', 'websocket_connection_limit_reached'];

/**
 * Reads the messages of one answer: stream events, and errors with a status as over HTTP. `wantsOtherConnection`: the
 * server failed the request because of the connection alone.
 */
export function socketReader(limits: AnswerLimits, place: () => AnswerContext) {
  const reader = responsesReader(limits);
  let wantsOtherConnection = false;
  return {
    event(data: Buffer): readonly ModelEvent[] | undefined {
      const said = metadataIn(data);
      if (said !== undefined) return headerEvents(said, place().now);
      const error = errorIn(data);
      if (error === undefined) return reader.event(data);
      const isForConnection = connectionErrors.includes(stringAt(objectAt(error, 'error'), 'code') ?? '');
      // A key that has expired meanwhile is renewed when the next connection is opened.
      wantsOtherConnection = isForConnection || statusOf(error) === 401;
      return [{ kind: 'failed', failure: failureOf(error, place()) }];
    },
    end: () => reader.end(),
    get hasError() {
      return reader.hasError === true;
    },
    get wantsOtherConnection() {
      return wantsOtherConnection;
    },
  };
}

const metadata = Buffer.from('"codex.response.metadata"');

function metadataIn(data: Buffer): Readonly<Record<string, string>> | undefined {
  if (!data.subarray(0, 200).includes(metadata)) return undefined;
  const event = parseJsonObject(data.toString('utf8'));
  return event?.['type'] === 'codex.response.metadata' ? headersIn(event) : undefined;
}

function headersIn(event: JsonObject): Readonly<Record<string, string>> {
  const given = Object.entries(objectAt(event, 'headers') ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

const named = Buffer.from('"error"');

/** An error event with a status. One without a status only explains an end that follows. */
function errorIn(data: Buffer): JsonObject | undefined {
  if (!data.includes(named)) return undefined;
  const event = parseJsonObject(data.toString('utf8'));
  if (event?.['type'] !== 'error') return undefined;
  const status = statusOf(event);
  return status === undefined || (status >= 200 && status < 300) ? undefined : event;
}

const statusOf = (event: JsonObject): number | undefined => numberAt(event, 'status') ?? numberAt(event, 'status_code');

const failureOf = (event: JsonObject, place: AnswerContext): ModelFailure =>
  httpFailure({ status: statusOf(event) ?? 0, headers: headersIn(event), body: JSON.stringify(event) }, place);
