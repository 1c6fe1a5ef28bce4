import fc from 'fast-check';
import { describe, it } from 'vitest';
import { cutLaw, damageLaw, junkLaw, splitLaw, streamFormats } from './stream-laws.ts';

/** test/deep/streams.test.ts runs the same many more times. */
const runs = 400;

describe.each(streamFormats)('a stream in $title', (format) => {
  it('reads the same, whatever pieces it comes in', () => fc.assert(splitLaw(format), { numRuns: runs }));

  it('fails by name where it breaks off', () => fc.assert(cutLaw(format), { numRuns: runs }));

  it('that is damaged gives an answer or a failure by name', () => fc.assert(damageLaw(format), { numRuns: runs }));

  it('of any chunks gives an answer or a failure by name', () => fc.assert(junkLaw(format), { numRuns: runs }));
});
