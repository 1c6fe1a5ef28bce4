import { expect, test } from 'vitest';
import { parseReviewFindings, reviewText } from './code-review.ts';

const finding = {
  title: 'T',
  body: 'one\n\ntwo',
  code_location: { absolute_file_path: '/a', line_range: { start: 4 } },
};

test('an answer is JSON, JSON with words around it, or words', () => {
  const json = JSON.stringify({ findings: [finding, 7, {}], overall_explanation: 'why' });
  const expected = {
    findings: [{ title: 'T', body: 'one\n\ntwo', place: { path: '/a', from: 4, to: 4 } }],
    correctness: '',
    explanation: 'why',
  };
  expect(parseReviewFindings(json)).toEqual(expected);
  expect(parseReviewFindings(`Sure:\n\`\`\`json\n${json}\n\`\`\``)).toEqual(expected);
  expect(parseReviewFindings(' No faults. ')).toEqual({ findings: [], correctness: '', explanation: 'No faults.' });
  expect(parseReviewFindings('It returns {"a":1}.')).toMatchObject({
    findings: [],
    explanation: 'It returns {"a":1}.',
  });
});

test('a review as text', () => {
  const review = parseReviewFindings(JSON.stringify({ findings: [finding, finding], overall_explanation: 'why' }));
  const one = '- T — /a:4\n  one\n\n  two';
  expect(reviewText(review)).toBe(`why\n\nFull review comments:\n\n${one}\n\n${one}`);
  expect(reviewText(parseReviewFindings(''))).toBe('Reviewer failed to output a response.');
});
