import { expect, test } from 'vitest';
import { finishedLines, heldMemory, unfinishedLine } from '../harness/held-memory.ts';

/** Held as pieces, each byte would take about a hundred. */
const size = 200_000;

test('an answer that comes byte by byte takes about as much memory as it has bytes', async () => {
  const usual = await heldMemory('chunks of one byte', finishedLines(size));
  const chunks = await heldMemory('chunks of one byte', unfinishedLine(size));
  const fragments = await heldMemory('WebSocket fragments of one byte', unfinishedLine(size));
  const ends = [usual, chunks, fragments].map(({ end }) => end?.kind === 'failed' && end.failure.code);
  expect(ends).toEqual(['stream-cut', 'stream-cut', 'stream-cut']);
  expect(Math.max(chunks.most, fragments.most) - usual.most).toBeLessThan(10_000_000);
});
