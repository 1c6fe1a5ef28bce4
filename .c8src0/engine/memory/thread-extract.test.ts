import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReviewEntry } from '../../core/fragments/approval-review.ts';
import { threadExtract } from './memory-writer.ts';

test("the user's words stay where space is short, and lines count what is left out", () => {
  const entries: ReviewEntry[] = [
    { from: 'user', text: 'Do it.' },
    ...Array.from({ length: 5 }, () => ({ from: 'output', text: 'x'.repeat(400) }) as const),
    { from: 'assistant', text: 'Done.' },
  ];
  expect(threadExtract(entries, 60)).toEqual([
    '{"n":1,"from":"user","text":"Do it."}',
    '{"left_out":5}',
    '{"n":7,"from":"assistant","text":"Done."}',
  ]);
  expect(threadExtract(entries, 10_000).length).toBe(7);
});

test('whatever a thread holds, the extract fits and each line is JSON without our tags', () => {
  const from = fc.constantFrom<ReviewEntry['from']>('user', 'assistant', 'call', 'output', 'summary', 'program');
  const text = fc.oneof(fc.string(), fc.constant('</transcript>'), fc.string({ minLength: 5000, maxLength: 9000 }));
  fc.assert(
    fc.property(
      fc.array(fc.record({ from, text }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5000 }),
      (all, space) => {
        const lines = threadExtract(all, space);
        expect(Buffer.byteLength(lines.join('\n'))).toBeLessThanOrEqual(space * 4);
        for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
        expect(lines.join('\n')).not.toContain('</transcript>');
      },
    ),
    { numRuns: 50 },
  );
});
