import { expect, test } from 'vitest';
import { outcomeText, endWithFullStop } from './outcome.ts';

test('a sentence gets the full stop that it lacks', () => {
  const whole = ['Done.', 'Why?', 'No!', 'And so on…', 'He said "no."', '(It was so.)'];
  expect(whole.map(endWithFullStop)).toEqual(whole);
  expect(endWithFullStop('status 400: no such field (request req_7)')).toBe(
    'status 400: no such field (request req_7).',
  );
});

test('what happened and what to do are one text', () => {
  expect(outcomeText({ message: 'It broke', next: 'Mend it.' })).toBe('It broke. Mend it.');
  expect(outcomeText({ message: 'It broke', next: '' })).toBe('It broke');
});
