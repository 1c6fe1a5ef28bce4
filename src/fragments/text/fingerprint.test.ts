import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hex, sha1 } from '../../protocol/sha1.ts';
import { fingerprint } from './fingerprint.ts';

it('gives the digest that other programs give', () => {
  const text = '<collaboration_mode>make a plan</collaboration_mode>';
  expect(fingerprint({ role: 'developer', text })).toBe('bc50ed412c1138502df45ef1b6634a6ef618da4c');
});

it('does not see the difference between line ends', () => {
  expect(fingerprint({ role: 'user', text: 'a\r\nb' })).toBe(fingerprint({ role: 'user', text: 'a\nb' }));
});

it('computes SHA-1', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(hex(sha1(bytes))).toBe(createHash('sha1').update(bytes).digest('hex'));
    }),
  );
});
