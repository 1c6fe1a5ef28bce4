import type { Mismatch } from './explain-mismatch.ts';
import { type Chunk, oldLines } from './patch.ts';
import { type SearchedLines, type SearchEffort, searchLines, seekLines, type SeekOptions } from './seek-lines.ts';

/** A chunk that does not fit the file. */
export type UpdateProblem =
  | { readonly kind: 'anchor-not-found'; readonly anchor: string }
  | ({ readonly kind: 'lines-not-found' } & Mismatch);

interface FileLine {
  readonly text: string;
  /** Empty only at the end of a file that does not end its last line. */
  readonly ending: string;
}

/** Takes lines out at a place and puts others there. */
interface Edit {
  readonly at: number;
  removed: number;
  readonly added: string[];
}

/**
 * The text after the chunks were applied in order. A line that a chunk only mentions stays byte for byte, however
 * loosely it was matched; a new line ends as the file's first line does, and the last line always has an ending. Throws
 * `TooMuchToSearch` when finding the lines takes more than the effort allows. `places`: the line of the file at which
 * each chunk begins, from 0.
 */
export function computeUpdate(
  text: string,
  chunks: readonly Chunk[],
  effort: SearchEffort,
): { readonly kind: 'updated'; readonly text: string; readonly places: readonly number[] } | UpdateProblem {
  const lines = splitLines(text);
  const newline = lines.find(({ ending }) => ending !== '')?.ending ?? '\n';
  const fileLines = lines.map((line) => line.text);
  const searched = searchLines(fileLines);
  effort.spend(lines.length);
  const edits: Edit[] = [];
  const places: number[] = [];
  let cursor = 0;
  for (const chunk of chunks) {
    if (chunk.anchor !== undefined) {
      const found = seekLines(searched, [chunk.anchor], { from: cursor, atEnd: false, effort });
      if (found === undefined) return { kind: 'anchor-not-found', anchor: chunk.anchor };
      cursor = found + 1;
    }
    if (chunk.lines.every(({ kind }) => kind === 'add')) {
      // Lines without neighbours stand after their anchor; without one, at the end.
      const at = chunk.anchor === undefined || chunk.endOfFile ? lines.length : cursor;
      edits.push({ at, removed: 0, added: chunk.lines.map((line) => line.text) });
      places.push(at);
      continue;
    }
    const located = locate(searched, chunk, { from: cursor, atEnd: chunk.endOfFile, effort });
    if (located === undefined) {
      return { kind: 'lines-not-found', fileLines, expected: oldLines(chunk), atEnd: chunk.endOfFile };
    }
    places.push(located.at);
    for (const edit of editsOf(chunk, located)) edits.push(edit);
    cursor = located.at + located.matched;
  }
  return { kind: 'updated', text: rebuild(lines, newline, edits), places };
}

interface Located {
  readonly at: number;
  /** How many of the lines that the chunk expects were found: all, or all but the last. */
  readonly matched: number;
}

function locate(searched: SearchedLines, chunk: Chunk, options: SeekOptions): Located | undefined {
  const whole = oldLines(chunk);
  // Models count the empty piece after a file's last newline as a line.
  for (const pattern of whole.at(-1) === '' ? [whole, whole.slice(0, -1)] : [whole]) {
    const at = seekLines(searched, pattern, options);
    if (at !== undefined) return { at, matched: pattern.length };
  }
  return undefined;
}

/** One edit for each run of changed lines. Context in between is not touched. */
function editsOf(chunk: Chunk, { at, matched }: Located): readonly Edit[] {
  const edits: Edit[] = [];
  let run: Edit = { at, removed: 0, added: [] };
  let old = 0;
  for (const { kind, text } of chunk.lines) {
    const found = kind !== 'add' && old++ < matched;
    if (kind === 'context' && found) {
      edits.push(run);
      run = { at: at + old, removed: 0, added: [] };
    } else if (kind !== 'remove') run.added.push(text);
    else if (found) run.removed++;
  }
  edits.push(run);
  if (matched < old) dropLastLine(chunk, edits);
  return edits;
}

/** The line that was not found goes from both sides: what is empty at the end of the new lines is no line either. */
function dropLastLine(chunk: Chunk, edits: Edit[]): void {
  const last = chunk.lines.findLast(({ kind }) => kind !== 'remove');
  const run = edits.at(-1);
  if (last?.text !== '' || run === undefined) return;
  if (run.added.length > 0) run.added.pop();
  // The last of the new lines is one that the file has.
  else edits.push({ at: run.at - 1, removed: 1, added: [] });
}

function rebuild(lines: readonly FileLine[], newline: string, edits: readonly Edit[]): string {
  let text = '';
  let next = 0;
  const keep = (line: FileLine) => (text += line.text + (line.ending === '' ? newline : line.ending));
  for (const { at, removed, added } of edits.toSorted((a, b) => a.at - b.at)) {
    lines.slice(next, at).forEach(keep);
    for (const line of added) text += line + newline;
    next = at + removed;
  }
  lines.slice(next).forEach(keep);
  return text;
}

function splitLines(text: string): readonly FileLine[] {
  const lines: FileLine[] = [];
  let start = 0;
  for (const { 0: ending, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(start, index), ending });
    start = index + ending.length;
  }
  if (start < text.length) lines.push({ text: text.slice(start), ending: '' });
  return lines;
}
