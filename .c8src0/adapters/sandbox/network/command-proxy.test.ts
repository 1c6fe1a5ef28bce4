import { expect, test } from 'vitest';
import { proxyVariables } from './command-proxy.ts';

const lists = { allow: ['*', 'a.test'], deny: [], local: false, methods: 'any' } as const;

test('the loopback of a command is reached directly, but for what is listed by name', () => {
  expect(proxyVariables(lists)['no_proxy']).toBe('localhost,127.0.0.1,::1');
  const listed = proxyVariables({ ...lists, allow: ['127.0.0.1:8080'] });
  expect([listed['no_proxy'], listed['NO_PROXY']]).toEqual(['localhost,::1', 'localhost,::1']);
});
