import fc from 'fast-check';
import { describe, inject, it } from 'vitest';
import { cutLaw, damageLaw, junkLaw, splitLaw, streamFormats } from '../formats/stream-laws.ts';

/** 100,000 in all for each format; `CAPSTAN_TEST_RUNS=40` makes it a million. */
const numRuns = 6_250 * inject('runFactor');

describe.each(streamFormats)('a stream in $title, many times', (format) => {
  it('reads the same, whatever pieces it comes in', () => fc.assert(splitLaw(format), { numRuns }));

  it('fails by name where it breaks off', () => fc.assert(cutLaw(format), { numRuns }));

  it('that is damaged gives an answer or a failure by name', () => fc.assert(damageLaw(format), { numRuns }));

  it('of any chunks gives an answer or a failure by name', () => fc.assert(junkLaw(format), { numRuns }));
});
