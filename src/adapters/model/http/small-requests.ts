import type { JsonObject } from '../../../protocol/json.ts';
import type { Unanswered, OutgoingRequest, SendHttpRequest } from './network/exchange.ts';
import { readWholeBody } from './network/response-body.ts';
import { noAnswerFailure } from './failures/answer-failure.ts';
import { type RequestTarget, parseTarget } from './network/destination.ts';

/** `why` is the end of a sentence. */
export type SmallAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost'; readonly why: string };

export type PostJson = (
  url: string,
  body: JsonObject,
  signal: AbortSignal,
  /** For a request without lasting effect: it can be stopped at any time. */
  more?: { readonly headers: Readonly<Record<string, string>>; readonly patienceMs: number },
) => Promise<SmallAnswer>;

/** They never reject. The signal stops a POST only until it is sent: from then on it may use up a token or a code. */
export interface SmallRequests {
  readonly postJson: PostJson;
  postForm(url: string, fields: Readonly<Record<string, string>>, signal: AbortSignal): Promise<SmallAnswer>;
  get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<SmallAnswer>;
}

const longestIdleMs = 30_000;
const largestAnswerBytes = 1024 * 1024;
type SmallRequest = Omit<OutgoingRequest, 'idleMs'> & { readonly idleMs?: number };

export function smallRequests(sendTo: (target: RequestTarget) => SendHttpRequest): SmallRequests {
  const send = async (url: string, { idleMs = longestIdleMs, ...outgoing }: SmallRequest): Promise<SmallAnswer> => {
    const target = parseTarget(url);
    if (target === undefined) return { kind: 'lost', why: 'the address for it is not an http or https address' };
    const headers = { accept: 'application/json', ...outgoing.headers };
    const opened = await sendTo(target)({ ...outgoing, headers, idleMs });
    outgoing.onSent?.();
    if (opened.kind !== 'answer') return { kind: 'lost', why: whyLost(opened, target.origin, idleMs) };
    const read = await readWholeBody(opened.body, { idleMs, maxBytes: largestAnswerBytes });
    if (read.kind === 'whole') return { kind: 'answer', status: opened.head.status, text: read.text };
    return { kind: 'lost', why: `the answer of ${target.origin} was incomplete` };
  };
  const post = (url: string, type: string, text: string, signal: AbortSignal, more: Partial<SmallRequest> = {}) =>
    send(url, {
      ...more,
      headers: { ...more.headers, 'content-type': type },
      body: [Buffer.from(text)],
      ...(more.idleMs === undefined ? stoppableUntilSent(signal) : { signal }),
    });
  return {
    postJson(url, body, signal, more) {
      const rest = more && { headers: more.headers, idleMs: more.patienceMs };
      return post(url, 'application/json', JSON.stringify(body), signal, rest);
    },
    postForm: (url, fields, signal) =>
      post(url, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString(), signal),
    get: (url, headers, signal) => send(url, { method: 'GET', headers, body: [], signal }),
  };
}

function stoppableUntilSent(signal: AbortSignal): Pick<SmallRequest, 'signal' | 'onSent'> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return { signal: stop.signal, onSent: () => signal.removeEventListener('abort', onAbort) };
}

function whyLost(opened: Unanswered, origin: string, idleMs: number): string {
  if (opened.kind === 'idle' && opened.proxy === undefined) return `${origin} did not answer`;
  const { message } = noAnswerFailure(opened, { origin, idleMs });
  return `${message[0]!.toLowerCase()}${message.slice(1).replace(/\.$/, '')}`;
}
