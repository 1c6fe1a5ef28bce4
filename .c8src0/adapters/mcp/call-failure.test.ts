import { expect, test } from 'vitest';
import { toShownWebAddress } from './call-failure.ts';

test('a server sends the user to plain pages of the web alone', () => {
  const given = [
    'https://a.org/x?y#z',
    'HTTP://A.org\t/x',
    'https://bücher.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://bank.com@evil.org/',
    'https://:x@evil.org/',
    'no page',
  ];
  expect(given.map(toShownWebAddress)).toEqual([
    'https://a.org/x?y#z',
    'http://a.org/x',
    'https://xn--bcher-kva.example/',
    ...Array.from({ length: 5 }, () => undefined),
  ]);
});
