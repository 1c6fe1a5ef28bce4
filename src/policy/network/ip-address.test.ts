import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressBytes, isPublicAddress } from './ip-address.ts';

test.each(
  `
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7
    203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1
    ::ffff:10.0.0.1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fdff::1 ff02::1 64:ff9b::7f00:1 64:ff9b:1::1
    2002:7f00:1:: 2002:a00:1::1 2001::1 2001:db8::1 3fff::1 100::1 5f00::1 example.com 1.2.3 1.2.3.4.5
    01.2.3.4 1.2.3.256 ::: 1::2::3 ::1.2.3
  `.split(/\s+/),
)('%j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(
  `
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 172.15.255.255
    172.32.0.0 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111
    2a00:1450:4001:80e::200e ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
  `
    .trim()
    .split(/\s+/),
)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('the ranges of version 4 are those that Node finds too', () => {
  const closed = new BlockList();
  const ranges =
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
  for (const range of ranges.split(' ')) {
    const [network = '', bits] = range.split('/');
    closed.addSubnet(network, Number(bits));
  }
  const near = fc.constantFrom(0, 9, 10, 11, 100, 127, 128, 169, 172, 192, 198, 203, 223, 224, 239, 240, 255);
  const byte = fc.oneof(near, fc.nat(255));
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
      const address = bytes.join('.');
      expect(isPublicAddress(address)).toBe(!closed.check(address));
    }),
    { numRuns: 3000 },
  );
});

test('any text is an address exactly if Node says so', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.') }), (text) => {
      expect(addressBytes(text) !== undefined).toBe(isIPv4(text));
    }),
  );
});
