import { describe, expect, test } from 'vitest';
import { type Delivery, deliveries, finishedLines, heldMemory, unfinishedLine } from '../harness/held-memory.ts';

const mega = 1024 * 1024;

function* repeated(text: string, bytes: number): Generator<string> {
  for (let left = bytes; left > 0; left -= text.length) yield text;
}

/** Streams in which nothing is ever finished. */
const streams: Readonly<Record<string, (bytes: number) => Iterable<string>>> = {
  'one line of data': unfinishedLine,
  'one comment': (bytes) => ['event: x\n: ', ...repeated('x'.repeat(1000), bytes)],
  'one event of short lines': (bytes) => repeated('data:x\n'.repeat(100), bytes),
};

describe('an answer that comes byte by byte', () => {
  const cases = (Object.keys(deliveries) as Delivery[]).flatMap((delivery) =>
    Object.keys(streams).map((name) => [delivery, name] as const),
  );
  const usuals: Partial<Record<Delivery, ReturnType<typeof heldMemory>>> = {};
  test.each(cases)('takes at most 64 MB over one in finished lines: %s, %s', async (delivery, name) => {
    const size = (delivery.endsWith('extensions') ? 0.1 : 1) * mega;
    const usual = await (usuals[delivery] ??= heldMemory(delivery, finishedLines(size)));
    const held = await heldMemory(delivery, streams[name]!(size));
    expect(held.end?.kind).toBe('failed');
    expect((held.most - usual.most) / mega).toBeLessThan(64);
  });
});
