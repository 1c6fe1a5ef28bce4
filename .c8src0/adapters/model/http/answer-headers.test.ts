import { expect, test } from 'vitest';
import { readRateLimits, rateLimitFields, type RateLimit } from '../../../protocol/rate-limits.ts';
import { rateLimitsIn } from './answer-headers.ts';

const now = Date.UTC(2026, 0, 1);
const second = now / 1000;

test.each<[string, Record<string, string>, readonly RateLimit[] | undefined]>([
  [
    'a ChatGPT account',
    {
      'x-codex-primary-used-percent': '42.5',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': '1767300000',
      'x-codex-secondary-used-percent': '7',
      'x-codex-secondary-window-minutes': '10080',
    },
    [
      { name: 'primary', usedPercent: 42.5, windowMinutes: 300, resetsAt: 1_767_300_000 },
      { name: 'secondary', usedPercent: 7, windowMinutes: 10_080 },
    ],
  ],
  [
    'a window that the plan lacks',
    { 'x-codex-primary-used-percent': '0', 'x-codex-primary-window-minutes': '0' },
    undefined,
  ],
  ['another limit', { 'x-gpt-5-pro-primary-used-percent': '3' }, [{ name: 'gpt_5_pro primary', usedPercent: 3 }]],
  [
    'OpenAI with a key',
    {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-reset-requests': '120ms',
      'x-ratelimit-limit-tokens': '200000',
      'x-ratelimit-remaining-tokens': '50000',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    [
      { name: 'requests', usedPercent: 0, resetsAt: second + 1 },
      { name: 'tokens', usedPercent: 75, resetsAt: second + 360 },
    ],
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-input-tokens-limit': '1000',
      'anthropic-ratelimit-input-tokens-remaining': '100',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:01:00Z',
    },
    [{ name: 'input_tokens', usedPercent: 90, resetsAt: second + 60 }],
  ],
  [
    'words instead of numbers',
    { 'x-codex-primary-used-percent': 'much', 'x-ratelimit-remaining-tokens': '5' },
    undefined,
  ],
  [
    'a time without a date and more than all',
    { 'x-codex-primary-used-percent': '4000', 'x-codex-primary-reset-at': '999999999999999' },
    [{ name: 'primary', usedPercent: 100 }],
  ],
  ['nothing', {}, undefined],
])('%s', (_, headers, limits) => {
  const read = rateLimitsIn(headers, now);
  expect(read?.limits).toEqual(limits);
  expect(readRateLimits(read && rateLimitFields(read))).toEqual(read);
});
