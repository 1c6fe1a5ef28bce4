import { expect, it } from 'vitest';
import { asksNow } from './approval-notices.ts';

it('a run that asks at once does not say how to be asked', () => {
  const waits = { code: 'turn-suspended', message: 'It waits.', next: 'Answer with a command.' };
  expect(asksNow(waits, true)).toEqual({ ...waits, next: 'The question follows.' });
  expect(asksNow(waits, false)).toBe(waits);
  const other = { ...waits, code: 'turn-cut-off' };
  expect(asksNow(other, true)).toBe(other);
});
