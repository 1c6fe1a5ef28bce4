import { expect, test } from 'vitest';
import { reviewWords } from './turn-lines.ts';

const verdict = { risk: 'high', authorization: 'low', rationale: 'Fine.' } as const;

test('a decision of a reviewer in one line', () => {
  expect(reviewWords({ kind: 'declined' })).toBeUndefined();
  expect(reviewWords({ kind: 'declined', by: 'default' })).toBeUndefined();
  expect(reviewWords({ kind: 'declined', by: 'review', verdict })).toBe(
    'reviewer: declined (risk high, authorization low): Fine.',
  );
});

test('a reviewer who was overruled gives no reason for the opposite', () => {
  const overruled = { ...verdict, overruled: true } as const;
  expect(reviewWords({ kind: 'declined', by: 'review', verdict: overruled, note: 'Only you can.' })).toBe(
    'reviewer: allowed it, and Capstan declined (risk high, authorization low): Only you can.',
  );
});
