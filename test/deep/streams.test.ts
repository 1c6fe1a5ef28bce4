import fc from 'fast-check';
import { describe, it } from 'vitest';
import { cutLaw, damageLaw, junkLaw, splitLaw, streamFormats } from '../formats/stream-laws.ts';

/** Of each law, so 100,000 of each format. */
const runs = 25_000;
/** The events of the Responses format hold whole items, so there is less to put together; its own suites cover it. */
const putTogether = streamFormats.filter(({ title }) => title !== 'Responses');

describe.each(putTogether)('a stream in $title, many times', (format) => {
  it('reads the same, whatever pieces it comes in', () => fc.assert(splitLaw(format), { numRuns: runs }));

  it('fails by name where it breaks off', () => fc.assert(cutLaw(format), { numRuns: runs }));

  it('that is damaged gives an answer or a failure by name', () => fc.assert(damageLaw(format), { numRuns: runs }));

  it('of any chunks gives an answer or a failure by name', () => fc.assert(junkLaw(format), { numRuns: runs }));
});
