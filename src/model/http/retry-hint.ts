import type { HttpHeaders } from './network/await-head.ts';

const sentence = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|seconds?|s)(?![a-z])/i;

/** A year. A longer one is no answer to "when". */
const longestWait = 365 * 24 * 3_600_000;

/** The wait that a rate-limit message asks for in words, such as "try again in 11.054s". */
export function waitFromMessage(message: string): number | undefined {
  const match = sentence.exec(message);
  if (match === null) return undefined;
  const amount = Number(match[1]);
  return Math.min(match[2]?.toLowerCase() === 'ms' ? amount : amount * 1000, longestWait);
}

/** The wait that response headers ask for. `now` is needed for the form that is a date. */
export function waitFromHeaders(headers: HttpHeaders, now: number): number | undefined {
  const wait = numberIn(headers['retry-after-ms']) ?? waitFromRetryAfter(headers['retry-after'], now);
  return wait === undefined ? undefined : Math.min(Math.max(wait, 0), longestWait);
}

function waitFromRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = numberIn(header);
  if (seconds !== undefined) return seconds * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : date - now;
}

function numberIn(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : undefined;
}
