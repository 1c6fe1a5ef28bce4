import { describe, expect, test } from 'vitest';
import { waitFromHeaders, waitFromMessage } from './model-failure.ts';

describe('a wait', () => {
  test.each([
    ['Please try again in 11.054s.', 11_054],
    ['TRY AGAIN IN 28ms', 28],
    ['try again in35 seconds', 35_000],
    ['try again in 1 second', 1000],
    ['try again in 2 minutes', undefined],
    [`try again in ${'9'.repeat(400)}s`, 365 * 24 * 3_600_000],
    ['try again in 2sm', undefined],
    ['try again', undefined],
  ])('in words: %s', (message, expected) => {
    expect(waitFromMessage(message)).toBe(expected);
  });

  const now = Date.UTC(2026, 0, 1);
  test.each([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '3600' }, 3_600_000],
    [{ 'retry-after': new Date(now + 5000).toUTCString() }, 5000],
    [{ 'retry-after': new Date(now - 5000).toUTCString() }, 0],
    [{ 'retry-after': '2', 'retry-after-ms': '70' }, 70],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, 365 * 24 * 3_600_000],
    [{}, undefined],
  ])('in headers: %j', (headers, expected) => {
    expect(waitFromHeaders(headers, now)).toBe(expected);
  });
});
