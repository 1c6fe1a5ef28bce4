import { describe, expect, it } from 'vitest';
import { declined, stoppedByUser } from './call-answers.ts';
import { refusedByReview, reviewFailed } from './review-answers.ts';

describe('a call that did not run', () => {
  it("marks what the user said as the user's words", () => {
    expect(declined('Not today.')).toBe('Not run: the user declined it. The user says: Not today.');
    expect(stoppedByUser('Enough.')).toMatch(/stopped the turn\. The user says: Enough\.$/);
  });
});

describe('a review', () => {
  it('that failed says once to tell the user', () => {
    const text = refusedByReview({ kind: 'declined', by: 'review', note: reviewFailed('no answer') });
    expect(text.match(/tell the user/gi)).toHaveLength(1);
  });
});
