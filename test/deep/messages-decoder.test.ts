import { expect, test } from 'vitest';
import { checkAnySplit, checkJunk } from '../formats/messages-decoder-law.ts';

test('an answer in the Messages format says the same however its bytes are cut apart', () => {
  expect(checkAnySplit(100_000)).toBe(100_000);
});

test('whatever a server of the Messages format sends, the answer ends once and with a name', () => {
  expect(checkJunk(100_000)).toBe(100_000);
});
