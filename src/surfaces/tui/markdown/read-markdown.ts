import { clean } from '../text/clean.ts';
import { BlockReader } from './block-reader.ts';
import type { Leaf } from './leaf.ts';

/** Gives the blocks of a whole text. */
export function readMarkdown(text: string, give: (leaf: Leaf) => void): void {
  const reader = new BlockReader(give);
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) readLine(reader, line);
  reader.end();
}

/** A line of a text of any origin. */
export function readLine(reader: BlockReader, source: string): void {
  for (const line of clean(source.replace(/\r+$/, '')).split('\n')) reader.line(line);
}
