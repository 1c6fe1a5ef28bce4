import type { ModelFailure } from '../../ports/model-client.ts';
import { isJsonObject, type Json, type JsonObject, numberAt, stringAt } from '../../protocol/json.ts';
import { detailOf, modelFailure } from '../http/failure.ts';
import { causeOfEnding } from '../http/failure-causes.ts';
import { httpFailure } from '../http/http-failure.ts';
import { isOverflowCode } from '../http/overflow.ts';
import { overflowFailure, streamFailure } from '../http/stream-failure.ts';

/** What a reason for the end of an answer means. `cut`: what was said stands, and calls may be half written. */
export type FinishMeaning =
  | { readonly kind: 'whole' }
  | { readonly kind: 'cut'; readonly failure: ModelFailure }
  | { readonly kind: 'lost'; readonly failure: ModelFailure };

/** Reasons of common servers by which an answer is broken off. Asking again may help. */
const broken: ReadonlySet<string> = new Set(['error', 'network_error', 'insufficient_system_resource']);

/** What is not known ends an answer well: `stop`, `tool_calls`, `eos`, … */
export function finishMeaning(reason: string): FinishMeaning {
  if (broken.has(reason)) {
    const message = `The provider broke off the answer. Reason: ${reason}.`;
    return { kind: 'lost', failure: modelFailure({ cause: 'server', message }) };
  }
  if (isOverflowCode(reason)) return { kind: 'lost', failure: overflowFailure('') };
  const cause = causeOfEnding(reason);
  if (cause !== 'answer-length' && cause !== 'content-filter') return { kind: 'whole' };
  const message = `The provider ended the answer before it was complete. Reason: ${detailOf(reason)}.`;
  return { kind: cause === 'answer-length' ? 'cut' : 'lost', failure: modelFailure({ cause, message }) };
}

/** The error that an event of a stream reports, in any of the shapes that servers use; undefined if it reports none. */
export function reportedError(event: JsonObject): JsonObject | undefined {
  const error = event['error'];
  if (typeof error === 'string') return { message: error };
  if (isJsonObject(error)) return error;
  return event['object'] === 'error' ? event : undefined;
}

/** A code that is a status means what the status would have meant before the stream began. */
export function errorFailure(error: JsonObject, api: string): ModelFailure {
  const status = statusOf(error['code']);
  if (status === undefined) return streamFailure(error);
  const { code: _status, ...rest } = error;
  const words = { ...rest, message: stringAt(error, 'message') ?? '' };
  return httpFailure({ status, headers: {}, body: JSON.stringify({ error: words }) }, { now: 0, api });
}

function statusOf(code: Json | undefined): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : numberAt({ code }, 'code');
  return status !== undefined && status >= 400 && status <= 599 ? status : undefined;
}
