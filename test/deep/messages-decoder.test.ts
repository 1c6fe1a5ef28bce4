import { expect, test } from 'vitest';
import { checkJunk } from '../formats/messages-decoder-law.ts';

test('whatever a server of the Messages format sends, the answer ends once and with a name', () => {
  expect(checkJunk(100_000)).toBe(100_000);
});
