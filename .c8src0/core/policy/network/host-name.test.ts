import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseHost, splitHostAndPort } from './host-name.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

test.each([
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com...', 'example.com'],
  [' example.com ', 'example.com'],
  ['a_b.example.com', 'a_b.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['127.1', '127.0.0.1'],
  ['0x7f.0.0.1', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['１２７.0.0.1', '127.0.0.1'],
  ['[::1]', '::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::FFFF:127.0.0.1', '127.0.0.1'],
  ['[::ffff:7f00:1]', '127.0.0.1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['[::1%lo]', '::1'],
  ['::ffff:127.0.0.1%1', '127.0.0.1'],
  ['::ffff:0.0.0.0', '0.0.0.0'],
  ['::FFFF:1:203', '0.1.2.3'],
  ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1'],
  ['fe80::1%ETH0', 'fe80::1%eth0'],
])('%s is the host %s', (text, host) => {
  expect(normaliseHost(text)).toBe(host);
});

test.each([
  '',
  '.',
  '..',
  'a..b',
  '.example.com',
  'a b',
  'a/b',
  'user@example.com',
  'example.com?x',
  'example.com#x',
  'exa%6dple.com',
  'a\\b',
  '*.example.com',
  '[example.com]',
  '[127.0.0.1]',
  '1.2.3.999',
  '::1::',
  '1:2:3:4:5:6:7:8:9',
  'fe80::1%',
  'fe80::1%a%b',
  'a\0b',
  'a\r\nb',
  `${'a.'.repeat(130)}com`,
])('%j is no host', (text) => {
  expect(normaliseHost(text)).toBeUndefined();
});

test.each([
  ['example.com', { host: 'example.com' }],
  ['example.com:443', { host: 'example.com', port: 443 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['[::1]', { host: '::1' }],
  ['::1', { host: '::1' }],
  ['::ffff:1.2.3.4', { host: '1.2.3.4' }],
  ['example.com:', undefined],
  ['example.com:0', undefined],
  ['example.com:65536', undefined],
  ['example.com:4 4', undefined],
  ['example.com:1:2', undefined],
  ['[::1]x:80', undefined],
  [':80', undefined],
] as const)('%s comes apart', (text, parts) => {
  expect(splitHostAndPort(text)).toEqual(parts);
});

test('whatever is read as a host stays the same when it is read again, and holds nothing that ends a name', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.ipV4(), fc.ipV6(), fc.domain()), (text) => {
      const host = normaliseHost(text);
      if (host === undefined) return;
      expect(normaliseHost(host)).toBe(host);
      expect(host).toMatch(/^[^\s/@?#\\[\]\0]+$/);
      expect(host).toBe(host.toLowerCase());
    }),
    { numRuns: 2000 },
  );
});

test('every address is a host, and reads as the same bytes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const bytes = bytesOf(text);
      const read = bytesOf(normaliseHost(text) ?? '');
      // One of version 4 in the spelling of version 6 is the same as without it.
      const mapped = bytes.length === 16 && read.length === 4 ? [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255] : [];
      expect([...mapped, ...read]).toEqual(bytes);
    }),
    { numRuns: 1000 },
  );
});

function bytesOf(address: string): readonly number[] {
  if (!address.includes(':')) return address.split('.').map(Number);
  const [before = '', after] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const [head, tail] = [before, after ?? []].map((groups) => [...groups].flatMap(groupBytes));
  return [...head!, ...Array.from({ length: 16 - head!.length - tail!.length }, () => 0), ...tail!];
}

function groupBytes(group: string): readonly number[] {
  if (group.includes('.')) return group.split('.').map(Number);
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
}
