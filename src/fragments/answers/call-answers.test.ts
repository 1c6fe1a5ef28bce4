import { describe, expect, it } from 'vitest';
import { declined, outcomeUnknown, stoppedByUser } from './call-answers.ts';
import { refusedByReview, reviewFailed } from './review-answers.ts';

describe('a call that did not run', () => {
  it("marks what the user said as the user's words", () => {
    expect(declined('Not today.')).toBe('Not run: the user declined it. The user says: Not today.');
    expect(stoppedByUser('Enough.')).toMatch(/stopped the turn\. The user says: Enough\.$/);
  });
});

it('a call that waited for an answer while it ran says about what', () => {
  const about = { waitedFor: ['whether it may connect to a.test:443'] };
  expect(outcomeUnknown('gone', about)).toContain(
    "while this call was under way. It waited for the user's answer whether it may connect to a.test:443, and got none. It may",
  );
  expect(outcomeUnknown('gone')).not.toContain('waited');
});

describe('a review', () => {
  it('that failed says once to tell the user', () => {
    const text = refusedByReview({ kind: 'declined', by: 'review', note: reviewFailed('no answer') });
    expect(text.match(/tell the user/gi)).toHaveLength(1);
  });
});
