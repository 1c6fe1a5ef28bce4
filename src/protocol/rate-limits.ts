import { defined } from '../base/objects.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from './json.ts';

/** How much of a provider's limits is used, as it said with its newest answer. */
export interface RateLimits {
  readonly limits: readonly RateLimit[];
}

export interface RateLimit {
  /** As the provider calls it: `primary`, `requests`, `tokens`, … */
  readonly name: string;
  readonly usedPercent: number;
  readonly windowMinutes?: number;
  /** Seconds since the Unix epoch. */
  readonly resetsAt?: number;
}

/** Under `rate_limits` of a `token_count`: what Codex knows by its names, the rest under ours. */
export function rateLimitFields({ limits }: RateLimits): JsonObject {
  const fields = ({ usedPercent, windowMinutes, resetsAt }: RateLimit): JsonObject => ({
    used_percent: usedPercent,
    ...defined({ window_minutes: windowMinutes, resets_at: resetsAt }),
  });
  const named = (name: string): JsonObject | null => {
    const found = limits.find((limit) => limit.name === name);
    return found === undefined ? null : fields(found);
  };
  const others = limits.filter(({ name }) => name !== 'primary' && name !== 'secondary');
  return {
    limit_id: 'codex',
    primary: named('primary'),
    secondary: named('secondary'),
    ...(others.length > 0 && { capstan: { limits: others.map((limit) => ({ name: limit.name, ...fields(limit) })) } }),
  };
}

/** Undefined where a line says nothing of limits. */
export function readRateLimits(fields: JsonObject | undefined): RateLimits | undefined {
  const own = ['primary', 'secondary'].flatMap((name) => readLimit(name, objectAt(fields, name)));
  const others = (arrayAt(objectAt(fields, 'capstan') ?? {}, 'limits') ?? []).flatMap((value) =>
    isJsonObject(value) ? readLimit(stringAt(value, 'name') ?? '', value) : [],
  );
  const limits = [...own, ...others].slice(0, mostLimits);
  return limits.length === 0 ? undefined : { limits };
}

/** A provider has a handful. */
const mostLimits = 16;

function readLimit(name: string, fields: JsonObject | undefined): readonly RateLimit[] {
  const usedPercent = numberAt(fields, 'used_percent');
  if (name === '' || usedPercent === undefined) return [];
  const [windowMinutes, resetsAt] = [numberAt(fields, 'window_minutes'), readableTime(numberAt(fields, 'resets_at'))];
  return [{ name, usedPercent, ...defined({ windowMinutes, resetsAt }) }];
}

/** The year 9999: what lies behind it has no date in four digits. */
const lastSecond = 253_402_300_799;

/** Seconds since the epoch, if they are a date that can be shown. */
export function readableTime(seconds: number | undefined): number | undefined {
  return seconds !== undefined && Math.abs(seconds) <= lastSecond ? seconds : undefined;
}
