import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressRangeMatcher, ipVersion, isZonedAddress, isLoopbackAddress, isPublicAddress } from './host-name.ts';

test.each(
  `
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7
    203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1
    ::ffff:10.0.0.1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fdff::1 ff02::1 64:ff9b::7f00:1 64:ff9b:1::1
    2002:7f00:1:: 2002:a00:1::1 2001::1 2001:db8::1 3fff::1 100::1 5f00::1 example.com 1.2.3 1.2.3.4.5
    01.2.3.4 1.2.3.256 ::: 1::2::3 ::1.2.3 1.2.3.4%eth0 ::ffff:0:127.0.0.1 0:0:0:0:0:ffff:7f00:1
  `.split(/\s+/),
)('%j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(
  `
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 172.15.255.255
    172.32.0.0 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2606:4700::1111%eth0
    2a00:1450:4001:80e::200e ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 ::FFFF:808:808 64:ff9b::8.8.8.8
  `
    .trim()
    .split(/\s+/),
)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('the ranges of version 4 hold for every spelling of an address', () => {
  const closed =
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'
      .split(' ')
      .map((range) => range.split('/'))
      .map(([base = '', bits]) => ({ base: numberOf(base.split('.').map(Number)), size: 2 ** (32 - Number(bits)) }));
  const near = fc.constantFrom(0, 9, 10, 11, 100, 127, 128, 169, 172, 192, 198, 203, 223, 224, 239, 240, 255);
  const byte = fc.oneof(near, fc.nat(255));
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const number = numberOf(bytes);
      const isClosed = closed.some(({ base, size }) => number >= base && number < base + size);
      const dotted = bytes.join('.');
      const [high, low] = [Math.floor(number / 65_536).toString(16), (number % 65_536).toString(16)];
      const spellings = [dotted, `::ffff:${dotted}`, `::FFFF:${high}:${low}`, `64:ff9b::${dotted}`];
      for (const each of [...spellings, `64:ff9b::${high}:${low}`, `2002:${high}:${low}::1`])
        expect([each, isPublicAddress(each)]).toEqual([each, !isClosed]);
    }),
    { numRuns: 3000 },
  );
});

function numberOf(bytes: readonly number[]): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

test('an address of version 4 has four numbers up to 255, without zeros in front', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.') }), fc.ipV4(), (text, address) => {
      expect(ipVersion(address)).toBe(4);
      const parts = text.split('.');
      const isAddress =
        parts.length === 4 && parts.every((part) => Number(part) < 256 && String(Number(part)) === part);
      expect(ipVersion(text)).toBe(isAddress ? 4 : 0);
    }),
    { numRuns: 1000 },
  );
});

test.each<readonly [string, boolean]>([
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['0.0.0.0', true],
  ['0.0.0.1', false],
  ['128.0.0.1', false],
  ['::', true],
  ['::1', true],
  ['::1%lo', true],
  ['::2', false],
  ['::ffff:127.0.0.1', true],
  ['::ffff:0.0.0.0', true],
  ['::ffff:1.2.3.4', false],
  ['::127.0.0.1', false],
  ['localhost', false],
])('%s leads to this machine: %s', (address, does) => {
  expect(isLoopbackAddress(address)).toBe(does);
});

test.each<readonly [string, boolean]>([
  ['fe80::1', true],
  ['febf::1%eth0', true],
  ['ff02::1', true],
  ['fec0::1', false],
  ['fc00::1', false],
  ['254.128.0.1', false],
  ['255.2.0.1', false],
])('%s means something else in each network: %s', (address, does) => {
  expect(isZonedAddress(address)).toBe(does);
});

test('a range of version 4 has the addresses of version 6 that mean it', () => {
  const isIn = addressRangeMatcher(['10.0.0.0/8', '2606:4700::/32']);
  const found = ['10.1.2.3', '::ffff:10.1.2.3', '11.0.0.1', '2606:4700:1::', '2606:4701::', '10.1', ''].filter((each) =>
    isIn(each),
  );
  expect(found).toEqual(['10.1.2.3', '::ffff:10.1.2.3', '2606:4700:1::']);
});
