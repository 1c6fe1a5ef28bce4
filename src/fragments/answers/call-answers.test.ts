import { describe, expect, it } from 'vitest';
import { declined, notRunAgain, ranAgain, stoppedByUser, uncovered } from './call-answers.ts';
import { beyondReviewer, refusedByReview, reviewFailed } from './review-answers.ts';

describe('a call that did not run', () => {
  it("marks what the user said as the user's words", () => {
    expect(declined('Not today.')).toBe('Not run: the user declined it. The user says: Not today.');
    expect(stoppedByUser('Enough.')).toMatch(/stopped the turn\. The user says: Enough\.$/);
  });

  it('was declined by nobody where prepared answers do not cover it', () => {
    expect(declined(uncovered)).toBe('Not run: the answers that were prepared for this run do not cover it.');
  });
});

describe('a second try', () => {
  it('names who decided', () => {
    expect(ranAgain({ where: 'outside', by: 'review' })).toContain('the reviewer let it run again outside');
    expect(ranAgain({ where: 'sandbox' })).toContain('the user let it run again with what it needed');
  });

  it('names what was asked for', () => {
    expect(notRunAgain({ where: 'sandbox' }, undefined)).toContain('the user did not let it reach the host');
    expect(notRunAgain({ where: 'outside', by: 'review' }, 'Risky.')).toMatch(/the reviewer did not .* Risky\.$/);
  });
});

describe('a review', () => {
  const verdict = { risk: 'high', authorization: 'unknown', rationale: 'fine' } as const;

  it('that said yes to more than it may is not said to have declined', () => {
    const text = refusedByReview({ kind: 'declined', by: 'review', verdict, note: beyondReviewer });
    expect(text).toMatch(/^Not run: only the user can allow an action of this risk \(risk: high; /);
    expect(text).not.toMatch(/declined|fine/);
  });

  it('that failed says once to tell the user', () => {
    const text = refusedByReview({ kind: 'declined', by: 'review', note: reviewFailed('no answer') });
    expect(text.match(/tell the user/gi)).toHaveLength(1);
  });
});
