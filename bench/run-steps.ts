import { GrowingThread } from './context/growing-thread.ts';
import type { BenchOptions } from './options.ts';
import type { MarkId } from './report/marks.ts';
import type { Bench } from './run-scenarios.ts';

export const stepRepetitions = { full: 300, quick: 100 };
const rowLength = 50;

const sizes: readonly (readonly [MarkId, number])[] = [
  ['step-100k', 100_000],
  ['step-1m', 1_000_000],
  ['step-10m', 10_000_000],
];

/** The context of one step, in this process, beside one copy of the bytes that it sends. Threads take turns in rows of steps. */
export function runSteps(
  { book, effort, say }: Pick<Bench, 'book' | 'effort' | 'say'>,
  only: BenchOptions['only'],
): void {
  const wanted = sizes.filter(([mark]) => only.length === 0 || only.includes(mark));
  if (wanted.length === 0) return;
  const rounds = stepRepetitions[effort];
  say(`context of a step: ${rounds} times`);
  const threads = wanted.map(([mark, bytes]) => ({ mark, thread: new GrowingThread(bytes) }));
  // The first row of each is for the compiler.
  for (let round = -rowLength; round < rounds; round += rowLength) {
    for (const { mark, thread } of threads) {
      const measured = Array.from({ length: rowLength }, () => measure(thread));
      if (round < 0) continue;
      book.add(
        mark,
        'capstan',
        measured.map(({ step }) => step),
      );
      book.add(
        mark,
        'copy',
        measured.map(({ copy }) => copy),
      );
    }
  }
}

/** Before a step stands the copy of the step before, as before a real one its bytes were sent: caches are as cold. */
function measure(thread: GrowingThread): { readonly step: number; readonly copy: number } {
  thread.grow();
  const startedAt = performance.now();
  const { body } = thread.step();
  const steppedAt = performance.now();
  Buffer.concat(body);
  const copiedAt = performance.now();
  return { step: (steppedAt - startedAt) * 1000, copy: (copiedAt - steppedAt) * 1000 };
}
