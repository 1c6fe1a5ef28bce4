import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSocksGreeting, readSocksRequest } from './socks5.ts';

test.each([
  [[5, 1, 0, 1, 8, 8, 4, 4, 0, 53], { host: '8.8.4.4', port: 53, length: 10 }],
  [[5, 1, 0, 3, 4, ...Buffer.from('X.de'), 1, 187, 9], { host: 'x.de', port: 443, length: 11 }],
  [[5, 1, 0, 3, 5, ...Buffer.from('ü.de'), 1, 187], { host: 'xn--tda.de', port: 443, length: 12 }],
  [[5, 1, 0, 4, ...Buffer.from('20010db8000000000000000000000001', 'hex'), 0, 80], { host: '2001:db8::1', port: 80 }],
  [[5, 3, 0, 1, 0, 0, 0, 0, 0, 0], { command: 3, host: '0.0.0.0', port: 0 }],
])('%j', (bytes, expected) => {
  expect(readSocksRequest(Buffer.from(bytes))).toMatchObject({ kind: 'request', ...expected });
});

test('a name in broken UTF-8 is no host', () => {
  const step = readSocksRequest(Buffer.from([5, 1, 0, 3, 2, 0xff, 0xfe, 0, 80]));
  expect(step).toEqual({ kind: 'request', length: 9, command: 1, port: 80 });
});

test.each([
  ['greeting', readSocksGreeting],
  ['request', readSocksRequest],
] as const)('any bytes as a %s are read, waited for or refused, and none are read twice', (_, read) => {
  const bytes = fc.uint8Array({ maxLength: 300 }).map((given) => Buffer.from([5, ...given]));
  fc.assert(
    fc.property(fc.oneof(bytes, fc.uint8Array({ maxLength: 40 }).map(Buffer.from)), (given) => {
      const step = read(given);
      expect('length' in step ? step.length : 0).toBeLessThanOrEqual(given.length);
      // More bytes never change what was read.
      const longer = read(Buffer.concat([given, Buffer.from([0])]));
      const isOpen = step.kind === 'more' || (step.kind === 'request' && step.port === 0);
      expect(isOpen || JSON.stringify(longer) === JSON.stringify(step)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
