import type { Mismatch } from './explain-mismatch.ts';
import { type Chunk, oldLines } from './patch.ts';
import type { SearchEffort } from './search-effort.ts';
import { type SearchedLines, searchLines, seekLines } from './seek-lines.ts';

export interface UpdatedText {
  readonly kind: 'updated';
  readonly text: string;
}

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
  readonly removed: number;
  readonly added: readonly string[];
}

/**
 * The text after the chunks were applied in order. A line that a chunk only mentions stays byte for byte, however
 * loosely it was matched; a new line ends as the file's first line does, and the last line always has an ending. Throws
 * `TooMuchToSearch` when finding the lines takes more than the effort allows.
 */
export function computeUpdate(
  text: string,
  chunks: readonly Chunk[],
  effort: SearchEffort,
): UpdatedText | UpdateProblem {
  const lines = splitLines(text);
  const newline = lines.find(({ ending }) => ending !== '')?.ending ?? '\n';
  const searched = searchLines(lines.map((line) => line.text));
  const file: SearchedFile = { lines, newline, searched, effort };
  effort.spend(lines.length);
  const edits: Edit[] = [];
  let cursor = 0;
  for (const chunk of chunks) {
    if (chunk.anchor !== undefined) {
      const found = seekLines(file.searched, [chunk.anchor], { from: cursor, atEnd: false, effort });
      if (found === undefined) return { kind: 'anchor-not-found', anchor: chunk.anchor };
      cursor = found + 1;
    }
    if (chunk.lines.every(({ kind }) => kind === 'add')) {
      edits.push(addition(file, chunk, cursor));
      continue;
    }
    const located = locate(file, chunk, cursor);
    if (located === undefined) {
      const fileLines = lines.map((line) => line.text);
      return { kind: 'lines-not-found', fileLines, expected: oldLines(chunk), atEnd: chunk.endOfFile };
    }
    for (const edit of editsOf(chunk, located)) edits.push(edit);
    cursor = located.at + located.matched;
  }
  return { kind: 'updated', text: rebuild(file, edits) };
}

interface SearchedFile {
  readonly lines: readonly FileLine[];
  readonly newline: string;
  readonly searched: SearchedLines;
  readonly effort: SearchEffort;
}

/** Lines without neighbours stand after their anchor; without one, at the end. */
function addition({ lines }: SearchedFile, chunk: Chunk, cursor: number): Edit {
  const at = chunk.anchor === undefined || chunk.endOfFile ? lines.length : cursor;
  return { at, removed: 0, added: chunk.lines.map(({ text }) => text) };
}

interface Located {
  readonly at: number;
  /** How many of the lines that the chunk expects were found: all, or all but the last. */
  readonly matched: number;
}

function locate({ searched, effort }: SearchedFile, chunk: Chunk, cursor: number): Located | undefined {
  const pattern = oldLines(chunk);
  const options = { from: cursor, atEnd: chunk.endOfFile, effort };
  const at = seekLines(searched, pattern, options);
  if (at !== undefined) return { at, matched: pattern.length };
  // Models count the empty piece after a file's last newline as a line.
  if (pattern.at(-1) !== '') return undefined;
  const shorter = pattern.slice(0, -1);
  const shorterAt = seekLines(searched, shorter, options);
  return shorterAt === undefined ? undefined : { at: shorterAt, matched: shorter.length };
}

/** One edit for each run of changed lines. Context in between is not touched. */
function editsOf(chunk: Chunk, { at, matched }: Located): readonly Edit[] {
  const edits: { at: number; removed: number; added: string[] }[] = [];
  let run = { at, removed: 0, added: [] as string[] };
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
function dropLastLine(chunk: Chunk, edits: { at: number; removed: number; added: string[] }[]): void {
  const last = chunk.lines.findLast(({ kind }) => kind !== 'remove');
  const run = edits.at(-1);
  if (last?.text !== '' || run === undefined) return;
  if (run.added.length > 0) run.added.pop();
  // The last of the new lines is one that the file has.
  else edits.push({ at: run.at - 1, removed: 1, added: [] });
}

function rebuild({ lines, newline }: SearchedFile, edits: readonly Edit[]): string {
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
