import type { ReadReport } from '../../ports/rollout-store.ts';
import { count, plural } from './number-words.ts';
import { sizeWords } from './size-words.ts';

/** What could not be read of a thread, in a sentence or two. */
export function skippedWords({ skipped, tooLong }: Pick<ReadReport, 'skipped' | 'tooLong'>): string {
  const lines = `${plural(skipped, 'line')} of the thread could not be read.`;
  return tooLong === undefined ? lines : `${lines} ${tooLongWords(tooLong)}`;
}

const mostNamed = 3;

export function tooLongWords(lines: NonNullable<ReadReport['tooLong']>): string {
  const named = lines
    .slice(0, mostNamed)
    .map(({ start, end }) => `The line at byte ${count(start)} is too long (${sizeWords(end - start)}).`);
  return [...named, ...(lines.length > mostNamed ? [`So are ${count(lines.length - mostNamed)} more.`] : [])].join(' ');
}
