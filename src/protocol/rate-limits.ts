import { defined } from '../base/objects.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from './json.ts';

/** Usage of a provider's limits, from its newest answer. */
export type RateLimits = { readonly limits: readonly RateLimit[] };

export interface RateLimit {
  /** The provider's name for it: `primary`, `requests`, `tokens`, … */
  readonly name: string;
  readonly usedPercent: number;
  readonly windowMinutes?: number;
  /** Seconds since the Unix epoch. */
  readonly resetsAt?: number;
}

/** Fields for `rate_limits` of a `token_count`: Codex's names where it has them, ours for the rest. */
export function rateLimitFields({ limits }: RateLimits): JsonObject {
  const fields = ({ usedPercent, windowMinutes, resetsAt }: RateLimit): JsonObject => ({
    used_percent: usedPercent,
    ...defined({ window_minutes: windowMinutes, resets_at: resetsAt }),
  });
  const named = (wanted: string): JsonObject | null =>
    limits.filter(({ name }) => name === wanted).map(fields)[0] ?? null;
  const others = limits.filter(({ name }) => name !== 'primary' && name !== 'secondary');
  return {
    limit_id: 'codex',
    primary: named('primary'),
    secondary: named('secondary'),
    ...(others.length > 0 && { capstan: { limits: others.map((limit) => ({ name: limit.name, ...fields(limit) })) } }),
  };
}

export function readRateLimits(fields: JsonObject | undefined): RateLimits | undefined {
  const own = ['primary', 'secondary'].flatMap((name) => readLimit(name, objectAt(fields, name)));
  const ours = objectsAt(objectAt(fields, 'capstan'), 'limits');
  const others = ours.flatMap((limit) => readLimit(stringAt(limit, 'name') ?? '', limit));
  const limits = [...own, ...others].slice(0, mostLimits);
  return limits.length === 0 ? undefined : { limits };
}

const mostLimits = 16;

function readLimit(name: string, fields: JsonObject | undefined): readonly RateLimit[] {
  const usedPercent = numberAt(fields, 'used_percent');
  if (name === '' || usedPercent === undefined) return [];
  const resetsAt = displayableTime(numberAt(fields, 'resets_at'));
  return [{ name, usedPercent, ...defined({ windowMinutes: numberAt(fields, 'window_minutes'), resetsAt }) }];
}

/** End of the year 9999: later dates need more than four digits. */
const lastSecond = 253_402_300_799;

/** Seconds since the epoch, if they are a displayable date. */
export const displayableTime = (seconds: number | undefined): number | undefined =>
  seconds !== undefined && Math.abs(seconds) <= lastSecond ? seconds : undefined;
