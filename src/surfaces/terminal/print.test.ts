import { expect, it } from 'vitest';
import { complaint } from './print.ts';

it('breaks a complaint between words on a terminal, below its text', () => {
  const text = 'Thread one waits for an answer.\nResume it.';
  expect(complaint(text, undefined)).toBe('capstan: Thread one waits for an answer.\n         Resume it.');
  expect(complaint(text, 35)).toBe('capstan: Thread one waits for an\n         answer.\n         Resume it.');
});
