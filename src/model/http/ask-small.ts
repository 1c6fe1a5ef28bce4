import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { noAnswerFailure } from './no-answer-failure.ts';
import type { Send } from './network/exchange.ts';
import { readWhole } from './network/response-body.ts';
import { type Target, targetAt } from './network/target.ts';

/** A question that has no effect on the server. */
export interface SmallQuestion {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST. Absent: GET. */
  readonly body?: JsonObject;
  /** From the first byte to the last. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** `lost`: no whole answer came in time. `why`: without anything secret. Absent: it was stopped, or has no address. */
export type AskedAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly etag?: string }
  | { readonly kind: 'lost'; readonly why?: Pick<ModelFailure, 'message' | 'next'> };

export type AskSmall = (question: SmallQuestion) => Promise<AskedAnswer>;

const largestAnswerBytes = 8 * 1024 * 1024;

/** Asks a server about itself, over the connections that requests take. Never rejects, and ends in its time. */
export function askSmall(sendTo: (target: Target) => Send): AskSmall {
  return async ({ url, headers = {}, body, timeoutMs, signal: given }) => {
    const target = targetAt(url);
    if (target === undefined) return { kind: 'lost' };
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = given === undefined ? limit : AbortSignal.any([limit, given]);
    const form = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) };
    const opened = await sendTo(target)({
      ...(body === undefined ? { method: 'GET' as const } : {}),
      headers: { ...headers, ...form },
      body: body === undefined ? [] : [Buffer.from(JSON.stringify(body))],
      idleMs: timeoutMs,
      signal,
    });
    if (opened.kind !== 'answer') {
      if (given?.aborted === true) return { kind: 'lost' };
      if (limit.aborted) return { kind: 'lost', why: late(target, timeoutMs) };
      const { message, next } = noAnswerFailure(opened, { origin: target.origin, idleMs: timeoutMs });
      return { kind: 'lost', why: { message, next } };
    }
    const read = await readWhole(opened.body, { idleMs: timeoutMs, maxBytes: largestAnswerBytes });
    if (read.kind !== 'whole') return { kind: 'lost' };
    const { status, headers: got } = opened.head;
    return { kind: 'answer', status, text: read.text, ...defined({ etag: got['etag'] }) };
  };
}

function late({ origin }: Target, timeoutMs: number): Pick<ModelFailure, 'message' | 'next'> {
  const message = `${origin} gave no answer within ${timeoutMs / 1000} seconds.`;
  return { message, next: 'Check that the server works, then try again.' };
}
