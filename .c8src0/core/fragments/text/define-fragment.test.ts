import { expect, it } from 'vitest';
import { fingerprint } from './define-fragment.ts';

it('gives the digest that other programs give', () => {
  const text = '<collaboration_mode>make a plan</collaboration_mode>';
  expect(fingerprint({ role: 'developer', text })).toBe('bc50ed412c1138502df45ef1b6634a6ef618da4c');
});

it('does not see the difference between line ends', () => {
  expect(fingerprint({ role: 'user', text: 'a\r\nb' })).toBe(fingerprint({ role: 'user', text: 'a\nb' }));
});
