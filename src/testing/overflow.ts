import type { RecordedRequest } from './recorded-request.ts';
import { failed, httpError, incomplete, type ScriptStep } from './script.ts';

/** In how many ways servers say that a request does not fit into the window of the model. */
export const overflowForms = [
  /** Status 400 with a code in the body. */
  'status',
  /** Status 400 with words alone, as compatible servers have it. */
  'status-words',
  /** `response.failed` in the stream. */
  'failed',
  /** The same with words alone. */
  'failed-words',
  /** A bare `error` event in the stream. */
  'error',
  /** `response.incomplete` in the stream. */
  'incomplete',
] as const;

export type OverflowForm = (typeof overflowForms)[number];

/** How much fits into a request, and who counts. */
export interface ModelWindow {
  readonly tokens: number;
  readonly count: (request: RecordedRequest) => number;
  /** How a stream that does not fit is refused; `status` unless said. The compact endpoint has only the status. */
  readonly form?: OverflowForm;
}

/** The step of a server that finds its request too long. */
export function overflow(
  form: OverflowForm,
  { tokens, window }: { readonly tokens: number; readonly window: number } = { tokens: 9000, window: 8192 },
): ScriptStep {
  const code = 'context_length_exceeded';
  const message = `This model's maximum context length is ${window} tokens, and the request has ${tokens}.`;
  switch (form) {
    case 'status':
      return httpError({ status: 400, body: { error: { type: 'invalid_request_error', code, message } } });
    case 'status-words':
      return httpError({ status: 400, body: { error: { type: 'invalid_request_error', message } } });
    case 'failed':
      return failed({ code, message });
    case 'failed-words':
      return failed({ code: 'invalid_request_error', message });
    case 'error':
      return failed({ code, message, event: 'error' });
    case 'incomplete':
      return incomplete({ reason: code });
  }
}
