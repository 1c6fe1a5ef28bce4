import { expect, test } from 'vitest';
import { isExemptFromProxy, isLoopback } from './destination.ts';

test.each([
  ['models.corp.example', 'corp.example', true],
  ['models.corp.example', '.corp.example', true],
  ['models.corp.example', '*.corp.example', true],
  ['corp.example', '.corp.example', true],
  ['Models.Corp.Example.', 'CORP.example', true],
  ['othercorp.example', 'corp.example', false],
  ['corp.example', 'models.corp.example', false],
  ['corp.example', 'a.example,  corp.example ,', true],
  ['corp.example', 'a.example corp.example', true],
  ['corp.example', 'corp.example:443', true],
  ['corp.example', 'corp.example:80', false],
  ['corp.example', '*', true],
  ['corp.example', '.', false],
  ['corp.example', ' , ', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.3:443', true],
  ['10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', '10.0.0.0/16', false],
  ['10.1.2.3', '10.0.0.0/99', false],
  ['10.1.2.3', '10.0.0.0/', false],
  ['10.1.2.3', '2.3', false],
  ['10.1.2.3', '*', true],
  ['fd00::1', 'fd00:0::1', true],
  ['fd00::1', '[fd00::1]', true],
  ['fd00::1', '[fd00::1]:443', true],
  ['fd00::1', '[fd00::1]:80', false],
  ['fd00::1', 'fd00::/8', true],
  ['fd00::1', '10.0.0.0/8', false],
])('%s in "%s": %s', (host, list, exempt) => {
  expect(isExemptFromProxy({ host, port: 443 }, list)).toBe(exempt);
});

test('this machine has several names', () => {
  const own = [
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '::',
  ];
  const others = ['localhost.example', '128.0.0.1', '10.0.0.1', '::2', 'mylocalhost'];
  expect([...own, ...others].filter(isLoopback)).toEqual(own);
});
