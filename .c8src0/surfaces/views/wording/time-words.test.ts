import { expect, it } from 'vitest';
import { agoWords, clockTime, clockTimeOf } from './time-words.ts';

it('says how long ago, and the day where that is longer', () => {
  const now = Date.parse('2026-11-16T12:00:00Z');
  const ago = (seconds: number): string => agoWords(now - 1000 * seconds, now);
  expect([ago(0), ago(59), ago(60), ago(3599), ago(3600), ago(86_399)]).toEqual([
    'just now',
    'just now',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '23 h ago',
  ]);
  // A clock that was set back says no nonsense.
  for (const seconds of [86_400, -5]) expect(ago(seconds)).toBe(clockTime(now - 1000 * seconds));
});

it('leaves a time alone that makes no sense', () => {
  expect(clockTimeOf('soon')).toBe('soon');
  expect(clockTimeOf('2026-11-16T12:00:00Z')).toMatch(/^2026-11-1[5-7] \d\d:\d\d$/);
});
