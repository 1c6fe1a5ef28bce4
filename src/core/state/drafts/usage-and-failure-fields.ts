import { defined, ifAllDefined } from '../../../base/objects.ts';
import type { ModelFailure } from '../../../ports/model.ts';
import { isJsonObject, numberAt, objectAt, stringAt, trueAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { readRateLimits } from '../../../protocol/rate-limits.ts';
import type { UsageEvent } from '../../../protocol/thread-event.ts';
import { noUsage, repairUsage, type Usage } from '../../../protocol/usage.ts';

/** Token counts in the spelling of rollouts and event streams. Fields that Codex does not know are absent if empty. */
export function usageFields(usage: Usage) {
  const { estimated, cost } = usage;
  return {
    input_tokens: usage.input,
    cached_input_tokens: usage.cachedInput,
    cache_write_input_tokens: usage.cacheWriteInput,
    output_tokens: usage.output,
    reasoning_output_tokens: usage.reasoningOutput,
    total_tokens: usage.total,
    ...defined({ estimated_tokens: estimated, cost_nano_usd: cost?.nanoUsd, unpriced_tokens: cost?.unpriced }),
  } satisfies JsonObject;
}

export function readUsage(fields: Json | undefined): Usage {
  if (!isJsonObject(fields)) return noUsage;
  const nanoUsd = fields['cost_nano_usd'];
  return repairUsage({
    input: fields['input_tokens'],
    cachedInput: fields['cached_input_tokens'],
    cacheWriteInput: fields['cache_write_input_tokens'],
    output: fields['output_tokens'],
    reasoningOutput: fields['reasoning_output_tokens'],
    total: fields['total_tokens'],
    estimated: fields['estimated_tokens'],
    ...(nanoUsd !== undefined && { cost: { nanoUsd, unpriced: fields['unpriced_tokens'] } }),
  });
}

export type ShownUsage = Omit<UsageEvent, 'kind' | 'turnId' | 'total'>;
const measures = ['exact', 'scaled', 'estimated'] as const;

/** Fields under `capstan` of a `token_count`. `counted`: the usage of the request that the line itself states. */
export function shownUsageFields(shown: ShownUsage, counted: Usage | undefined): JsonObject {
  const { step, last, tokens, measure, effectiveWindow, percentRemaining, refused } = shown;
  const isCounted = last !== undefined && last === counted;
  return {
    step,
    tokens,
    measure,
    window: effectiveWindow,
    percent_remaining: percentRemaining,
    counted: isCounted || undefined,
    last: last && !isCounted ? usageFields(last) : undefined,
    refused,
  };
}

export function readShownUsage(event: JsonObject): ShownUsage | undefined {
  const ours = objectAt(event, 'capstan');
  const shown = ifAllDefined({
    step: numberAt(ours, 'step'),
    tokens: numberAt(ours, 'tokens'),
    measure: measures.find((known) => known === ours?.['measure']),
    effectiveWindow: numberAt(ours, 'window'),
    percentRemaining: numberAt(ours, 'percent_remaining'),
  });
  if (shown === undefined) return undefined;
  const line = objectAt(objectAt(event, 'info'), 'last_token_usage');
  const fields = ours?.['counted'] === true ? line : objectAt(ours, 'last');
  const rateLimits = readRateLimits(objectAt(event, 'rate_limits'));
  const refused = trueAt(ours, 'refused');
  const { step, ...known } = shown;
  return { step, ...defined({ last: fields && readUsage(fields) }), ...known, ...defined({ rateLimits, refused }) };
}

type FailureFacts = Partial<Pick<ModelFailure, 'cause' | 'status' | 'retry' | 'resetsAt'>>;

/** Facts about a failure, in the form of the turn's last line. Undefined if there are none. */
export function failureFacts(failure: Outcome): JsonObject | undefined {
  const { cause, status, retry, resetsAt } = failure as Outcome & FailureFacts;
  if (cause === undefined) return undefined;
  const waits =
    retry === undefined || retry === 'never' ? retry : defined({ after_ms: retry.afterMs, asked_ms: retry.askedMs });
  return defined({ cause, status, retry: waits, resets_at_ms: resetsAt });
}

export function readFailureFacts(stored: JsonObject | undefined): FailureFacts {
  const waits = objectAt(stored, 'retry');
  const never = stored?.['retry'] === 'never' ? ('never' as const) : undefined;
  const retry = waits && defined({ afterMs: numberAt(waits, 'after_ms'), askedMs: numberAt(waits, 'asked_ms') });
  return defined({
    cause: stringAt(stored, 'cause'),
    status: numberAt(stored, 'status'),
    retry: retry ?? never,
    resetsAt: numberAt(stored, 'resets_at_ms'),
  });
}
