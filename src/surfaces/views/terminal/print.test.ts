import { expect, it } from 'vitest';
import { layOutFailureText } from './print.ts';

it('breaks a complaint between words on a terminal, below its text', () => {
  const text = 'Thread one waits for an answer.\nResume it.';
  expect(layOutFailureText(text, undefined)).toBe('capstan: Thread one waits for an answer.\n         Resume it.');
  expect(layOutFailureText(text, 35)).toBe('capstan: Thread one waits for an\n         answer.\n         Resume it.');
});
