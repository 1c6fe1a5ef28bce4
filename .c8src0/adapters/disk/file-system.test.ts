import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toNodePath, pathBytes, pathText } from './file-system.ts';

test('every name has a text of its own, which becomes the same bytes again', () => {
  const byte = fc.constantFrom(
    0x2f,
    0x61,
    0x80,
    0x82,
    0xac,
    0xc3,
    0xa9,
    0xe2,
    0xe9,
    0xed,
    0xa0,
    0xf0,
    0x9f,
    0x98,
    0xff,
  );
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.array(byte).map((found) => Uint8Array.from(found)),
  );
  fc.assert(fc.property(bytes, (name) => void expect([...pathBytes(pathText(name))]).toEqual([...name])));
});

test('UTF-8 is what it says, and what is not shows its bytes', () => {
  for (const name of ['', 'plain', 'café', '\uFFFD', '\uFEFFa', '😀']) expect(pathText(Buffer.from(name))).toBe(name);
  expect(pathText(Buffer.from('caf\xE9/x', 'latin1'))).toBe('caf\uDCE9/x');
  expect(pathText(Buffer.concat([Buffer.from('é'), Buffer.of(0xff, 0xe2, 0x82)]))).toBe('é\uDCFF\uDCE2\uDC82');
});

test('only a path that is not UTF-8 goes to Node as bytes', () => {
  expect(toNodePath('/a/é')).toBe('/a/é');
  expect(toNodePath('/a/\uDCE9😀')).toEqual(Buffer.concat([Buffer.from('/a/'), Buffer.of(0xe9), Buffer.from('😀')]));
});
