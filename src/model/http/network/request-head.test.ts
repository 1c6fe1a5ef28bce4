import { expect, test } from 'vitest';
import { requestHead } from './request-head.ts';

test('a head has one line for each header', () => {
  expect(requestHead('POST', '/v1?x=%20', { host: 'h', a: 'b\u00E4' })).toBe(
    'POST /v1?x=%20 HTTP/1.1\r\nhost: h\r\na: b\u00E4\r\n\r\n',
  );
});

test.each([
  ['/v1 HTTP/1.1\r\nx: y', {}],
  ['', {}],
  ['/v1', { 'a\r\nb': 'c' }],
  ['/v1', { 'a b': 'c' }],
  ['/v1', { authorization: 'Bearer secret\r\nx: y' }],
  ['/v1', { authorization: 'Bearer secret\u0000' }],
  ['/v1', { authorization: 'Bearer secret\u{1F600}' }],
])('what would become another request is refused without its value: %#', (path, headers) => {
  expect(() => requestHead('POST', path, headers)).toThrow(/^(?!.*secret).*no (path|header) may have/s);
});
