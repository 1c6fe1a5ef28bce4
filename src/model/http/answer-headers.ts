import type { HttpHeaders } from './network/await-head.ts';
import type { ModelEvent } from '../../ports/model-client.ts';
import { rateLimitsIn } from './rate-limit-headers.ts';

/** What the headers of an answer say besides it. */
export function headerEvents(headers: HttpHeaders, now: number): readonly ModelEvent[] {
  const limits = rateLimitsIn(headers, now);
  const [model, etag] = [headers['openai-model'], headers['x-models-etag']];
  return [
    ...(limits === undefined ? [] : [{ kind: 'rate-limits', limits } as const]),
    ...serverModel(model),
    ...(typeof etag === 'string' && /^[!-~]{1,200}$/.test(etag) ? [{ kind: 'models-etag', etag } as const] : []),
  ];
}

/** A name as models have them; anything else says nothing. */
export function serverModel(name: unknown): readonly ModelEvent[] {
  return typeof name === 'string' && /^[\w./:@+-]{1,200}$/.test(name) ? [{ kind: 'server-model', model: name }] : [];
}
