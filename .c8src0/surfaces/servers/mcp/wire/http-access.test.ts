import { expect, test } from 'vitest';
import { parseHttpAddress } from './http-access.ts';

test.each([
  ['8931', { host: '127.0.0.1', port: 8931 }],
  [':0', { host: '127.0.0.1', port: 0 }],
  ['localhost:80', { host: 'localhost', port: 80 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['::1:80', 'usage'],
  ['65536', 'usage'],
  ['localhost', 'usage'],
  ['', 'usage'],
])('%s', (written, address) => {
  const read = parseHttpAddress(written);
  expect('code' in read ? read.code : read).toEqual(address);
});
