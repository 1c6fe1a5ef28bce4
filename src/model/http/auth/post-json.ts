import type { JsonObject } from '../../../protocol/json.ts';
import type { Opened, Send } from '../network/exchange.ts';
import { readWhole } from '../network/response-body.ts';
import { noAnswerFailure } from '../no-answer-failure.ts';
import { type Target, targetAt } from '../network/target.ts';

/** `why` is the end of a sentence. */
export type PostedJson =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost'; readonly why: string };

export type PostJson = (url: string, body: JsonObject, signal: AbortSignal) => Promise<PostedJson>;

const idleMs = 30_000;
const largestAnswerBytes = 1024 * 1024;

/**
 * Sends a small object and waits for a small answer. Never rejects. The signal stops it only until the object is sent:
 * that has an effect, a refresh token is used up by it, and what came of it must not be lost.
 */
export function postJson(sendTo: (target: Target) => Send): PostJson {
  return async (url, body, signal) => {
    const target = targetAt(url);
    if (target === undefined) return { kind: 'lost', why: 'the address for it is not an http or https address' };
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const untilSent = stoppableUntilSent(signal);
    const posted = [Buffer.from(JSON.stringify(body))];
    const opened = await sendTo(target)({ headers, body: posted, idleMs, ...untilSent });
    untilSent.onSent();
    if (opened.kind !== 'answer') return { kind: 'lost', why: whyLost(opened, target.origin) };
    const read = await readWhole(opened.body, { idleMs, maxBytes: largestAnswerBytes });
    if (read.kind === 'whole') return { kind: 'answer', status: opened.message.statusCode ?? 0, text: read.text };
    return { kind: 'lost', why: `the answer of ${target.origin} was incomplete` };
  };
}

function stoppableUntilSent(signal: AbortSignal): { readonly signal: AbortSignal; readonly onSent: () => void } {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return { signal: stop.signal, onSent: () => signal.removeEventListener('abort', onAbort) };
}

function whyLost(opened: Exclude<Opened, { kind: 'answer' }>, origin: string): string {
  if (opened.kind === 'idle' && opened.proxy === undefined) return `${origin} did not answer`;
  const { message } = noAnswerFailure(opened, { origin, idleMs });
  // A sentence becomes the end of another.
  return `${message[0]!.toLowerCase()}${message.slice(1).replace(/\.$/, '')}`;
}
