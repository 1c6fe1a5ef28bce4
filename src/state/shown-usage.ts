import { defined } from '../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt } from '../protocol/json.ts';
import { readRateLimits } from '../protocol/rate-limits.ts';
import type { UsageEvent } from '../protocol/thread-event.ts';
import type { Usage } from '../protocol/usage.ts';
import { readUsage, usageFields } from './usage-fields.ts';

/** What users are shown after a request. The total stands beside it in the line. */
export type ShownUsage = Omit<UsageEvent, 'kind' | 'turnId' | 'total'>;

const measures = ['exact', 'scaled', 'estimated'] as const;

/** Under `capstan` of a `token_count`. `counted`: what the line says itself about the request. */
export function shownUsage(shown: ShownUsage, counted: Usage | undefined): JsonObject {
  const { step, last, tokens, measure, effectiveWindow, percentRemaining, refused } = shown;
  const own = last === undefined || last === counted ? undefined : usageFields(last);
  const isCounted = last !== undefined && last === counted ? true : undefined;
  return {
    step,
    tokens,
    measure,
    window: effectiveWindow,
    percent_remaining: percentRemaining,
    ...defined({ counted: isCounted, last: own, refused }),
  };
}

/** Undefined where the line does not say it. */
export function readShownUsage(event: JsonObject): ShownUsage | undefined {
  const ours = objectAt(event, 'capstan');
  const [step, tokens, percentRemaining] = ['step', 'tokens', 'percent_remaining'].map((name) => numberAt(ours, name));
  const measure = measures.find((known) => known === ours?.['measure']);
  const effectiveWindow = numberAt(ours, 'window');
  if (step === undefined || tokens === undefined || percentRemaining === undefined) return undefined;
  if (measure === undefined || effectiveWindow === undefined) return undefined;
  const line = objectAt(objectAt(event, 'info'), 'last_token_usage');
  const fields = ours?.['counted'] === true ? line : objectAt(ours, 'last');
  const last = fields === undefined ? undefined : readUsage(fields);
  return {
    step,
    ...defined({ last }),
    tokens,
    measure,
    effectiveWindow,
    percentRemaining,
    ...defined({ rateLimits: readRateLimits(objectAt(event, 'rate_limits')) }),
    ...(ours?.['refused'] === true && { refused: true }),
  };
}
