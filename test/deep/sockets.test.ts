import fc from 'fast-check';
import { inject, it } from 'vitest';
import { cutLaw, damageLaw, splitLaw } from '../formats/socket-laws.ts';

/** 100,000 in all; `CAPSTAN_TEST_RUNS=40` makes it a million. */
const runs = 8_250 * inject('runFactor');

it('an answer reads the same, whatever fragments and pieces it comes in', () =>
  fc.assert(splitLaw(), { numRuns: runs }));

it('an answer fails by name where its connection breaks off', () => fc.assert(cutLaw(), { numRuns: runs }));

it('damaged frames give an answer or a failure by name', () => fc.assert(damageLaw(), { numRuns: runs }));
