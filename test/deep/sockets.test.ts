import fc from 'fast-check';
import { it } from 'vitest';
import { cutLaw, damageLaw, roundLaw, splitLaw } from '../formats/socket-laws.ts';

/** Of all laws together 100,000. */
const runs = 33_000;

it('an answer reads the same, whatever fragments and pieces it comes in', () =>
  fc.assert(splitLaw(), { numRuns: runs }));

it('an answer fails by name where its connection breaks off', () => fc.assert(cutLaw(), { numRuns: runs }));

it('damaged frames give an answer or a failure by name', () => fc.assert(damageLaw(), { numRuns: runs }));

it('a frame comes out as it went in', () => fc.assert(roundLaw(), { numRuns: 1000 }));
