import { defined } from '../../../base/objects.ts';
import type { ModelEvent } from '../../../ports/model.ts';
import { type RateLimit, type RateLimits, displayableTime } from '../../../protocol/rate-limits.ts';
import type { HttpHeaders } from './network/http-head.ts';

/**
 * Rate limits in the headers of ChatGPT accounts (`x-codex-primary-used-percent`), of OpenAI and compatible servers
 * (`x-ratelimit-remaining-tokens`), and of Anthropic (`anthropic-ratelimit-tokens-remaining`). Undefined if there are
 * none; unreadable values are left out.
 */
export function rateLimitsIn(headers: HttpHeaders, now: number): RateLimits | undefined {
  const limits = Object.keys(headers)
    .toSorted()
    .flatMap((name) => ofAccount(headers, name) ?? ofKey(headers, name, now) ?? []);
  return limits.length === 0 ? undefined : { limits };
}

const accountHeader = /^x-(.{1,40})-(primary|secondary)-used-percent$/;

function ofAccount(headers: HttpHeaders, header: string): RateLimit | undefined {
  const [, limit = '', window = ''] = accountHeader.exec(header) ?? [];
  const used = numberIn(headers[header]);
  if (limit === '' || used === undefined) return undefined;
  const usedPercent = Math.min(used, 100);
  const about = (part: string): number | undefined => numberIn(headers[`x-${limit}-${window}-${part}`]);
  const [windowMinutes, resetsAt] = [about('window-minutes'), displayableTime(about('reset-at'))];
  // All zero: the plan has no such window.
  if (usedPercent === 0 && (windowMinutes ?? 0) === 0 && resetsAt === undefined) return undefined;
  const name = limit === 'codex' ? window : `${limit.replaceAll('-', '_')} ${window}`;
  return { name, usedPercent, ...defined({ windowMinutes, resetsAt }) };
}

const keyHeader = /^(?:x-ratelimit-remaining-(requests|tokens)|anthropic-ratelimit-([a-z-]{1,40})-remaining)$/;

function ofKey(headers: HttpHeaders, header: string, now: number): RateLimit | undefined {
  const [, openai, anthropic] = keyHeader.exec(header) ?? [];
  const name = openai ?? anthropic;
  if (name === undefined) return undefined;
  const of = (part: string): string | undefined => {
    const value = headers[openai === undefined ? `anthropic-ratelimit-${name}-${part}` : `x-ratelimit-${part}-${name}`];
    return typeof value === 'string' ? value : undefined;
  };
  const [limit, remaining] = [numberIn(of('limit')), numberIn(of('remaining'))];
  if (limit === undefined || limit === 0 || remaining === undefined) return undefined;
  const usedPercent = Math.round(Math.min(100, Math.max(0, 100 - (100 * remaining) / limit)));
  return { name: name.replaceAll('-', '_'), usedPercent, ...defined({ resetsAt: resetIn(of('reset'), now) }) };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a date, or a duration such as `6m0s` or `20ms`. In seconds since the epoch. */
function resetIn(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(text)) {
    const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
    const waitMs = [...parts].reduce((sum, [, amount, unit = '']) => sum + Number(amount) * (units[unit] ?? 0), 0);
    return displayableTime(Math.ceil((now + waitMs) / 1000));
  }
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : displayableTime(Math.ceil(date / 1000));
}

const numberIn = (header: string | readonly string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\s*\d{1,15}(?:\.\d{1,9})?\s*$/.test(header) ? Number(header) : undefined;

export function headerEvents(headers: HttpHeaders, now: number): readonly ModelEvent[] {
  const limits = rateLimitsIn(headers, now);
  const etag = headers['x-models-etag'];
  return [
    ...(limits === undefined ? [] : [{ kind: 'rate-limits', limits } as const]),
    ...serverModelEvents(headers['openai-model']),
    ...(typeof etag === 'string' && /^[!-~]{1,200}$/.test(etag) ? [{ kind: 'models-etag', etag } as const] : []),
  ];
}

/** Ignores anything that is not a plausible model name. */
export const serverModelEvents = (name: unknown): readonly ModelEvent[] =>
  typeof name === 'string' && /^[\w./:@+-]{1,200}$/.test(name) ? [{ kind: 'server-model', model: name }] : [];
