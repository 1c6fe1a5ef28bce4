import { expect, test } from 'vitest';
import { type WebSearchMode, webSearchMode } from './requirements.ts';

test.each<[WebSearchMode, WebSearchMode[] | undefined, boolean, WebSearchMode]>([
  ['cached', undefined, false, 'cached'],
  ['cached', undefined, true, 'live'],
  ['live', undefined, false, 'live'],
  ['indexed', undefined, true, 'indexed'],
  ['disabled', undefined, true, 'disabled'],
  ['live', ['cached'], false, 'cached'],
  ['cached', ['cached'], true, 'cached'],
  ['cached', ['live'], false, 'live'],
  ['live', ['indexed'], true, 'disabled'],
  ['live', [], false, 'disabled'],
])('%s of %j, all allowed: %s is %s', (wanted, allowed, isUnlimited, expected) => {
  expect(webSearchMode({ wanted, isUnlimited, ...(allowed && { allowed }) })).toBe(expected);
});
