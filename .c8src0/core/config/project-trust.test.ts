import { expect, test } from 'vitest';
import { decideTrust } from './project-trust.ts';

const decisions = {
  '/repo': { trustLevel: 'untrusted' },
  '/repo/sub/': { trustLevel: 'trusted' },
  '/blank': {},
  '/': { trustLevel: 'trusted' },
} as const;

test.each([
  [['/repo/sub', '/repo'], { trust: 'trusted', folder: '/repo/sub/' }],
  [['/repo/other', '/repo/'], { trust: 'untrusted', folder: '/repo' }],
  [['/blank', '/repo'], { trust: 'untrusted', folder: '/repo' }],
  [['/repository'], { trust: 'unknown' }],
  [['toString', '__proto__'], { trust: 'unknown' }],
  [['/'], { trust: 'trusted', folder: '/' }],
  [[], { trust: 'unknown' }],
])('%j: %j', (folders, decision) => {
  expect(decideTrust(decisions, folders)).toEqual(decision);
});
