import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frameParser } from '../../src/model/socket/frame-parser.ts';
import { cutLaw, damageLaw, roundLaw, splitLaw } from './socket-laws.ts';

/** test/deep/sockets.test.ts runs the same many more times. */
const runs = 400;

it('an answer reads the same, whatever fragments and pieces it comes in', () =>
  fc.assert(splitLaw(), { numRuns: runs }));

it('an answer fails by name where its connection breaks off', () => fc.assert(cutLaw(), { numRuns: runs }));

it('damaged frames give an answer or a failure by name', () => fc.assert(damageLaw(), { numRuns: runs }));

it('a frame comes out as it went in', () => fc.assert(roundLaw(), { numRuns: 100 }));

it('a message is too large by what its frames say, not by what came', () => {
  const parse = frameParser({ masked: false, maxBytes: 10, mayCompress: false });
  expect(parse(Buffer.from([0x01, 6, ...Buffer.from('123456')]))).toEqual([]);
  expect(parse(Buffer.from([0x80, 5]))).toEqual([
    { kind: 'wrong', code: 1009, why: 'sent a message that is too large' },
  ]);
});
