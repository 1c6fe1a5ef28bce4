import { expect, it } from 'vitest';
import { adaptSuspendedNotice, nothingToAnswer } from './run-exec.ts';

it('a run that asks at once does not say how to be asked', () => {
  const waits = { code: 'turn-suspended', message: 'It waits.', next: 'Answer with a command.' };
  expect(adaptSuspendedNotice(waits, 'asks')).toEqual({
    ...waits,
    next: 'The question follows, if the call is still allowed.',
  });
  expect(adaptSuspendedNotice(waits, 'starts-anew')).toBe(waits);
  expect(adaptSuspendedNotice(waits, 'cannot-ask')).toEqual({ ...waits, next: '' });
  const other = { ...waits, code: 'turn-cut-off' };
  expect(adaptSuspendedNotice(other, 'asks')).toBe(other);
});

it('a thread that was cut off and is resumed without a prompt says what happened, and not only what is missing', () => {
  const missing = { code: 'no-prompt', message: 'There is no prompt.', next: 'Give it.' };
  const cutOff = { code: 'turn-cut-off', message: 'It was cut off.', next: 'Nothing is repeated.' };
  expect(nothingToAnswer(missing, [])).toBe(missing);
  expect(nothingToAnswer(missing, [cutOff])).toEqual({
    code: 'no-prompt',
    message: 'It was cut off.',
    next: 'Nothing is repeated. There is nothing to answer: give a prompt to continue the thread.',
  });
});
