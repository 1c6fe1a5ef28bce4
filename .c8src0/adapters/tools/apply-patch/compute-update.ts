import { pathBytes as textAsBytes, pathText as bytesAsText } from '../../disk/file-system.ts';
import { type Chunk, oldLines, type Replacement } from './patch.ts';
import { toSearchableLines, seekLines } from './seek-lines.ts';
import type { LineMismatch, SearchableLines, SearchEffort, SeekOptions } from './seek-lines.ts';

type UpdateProblem =
  | { readonly kind: 'anchor-not-found'; readonly anchor: string }
  | ({ readonly kind: 'lines-not-found' } & LineMismatch);

interface FileLine {
  readonly text: string;
  /** Empty only at the end of a file whose last line is unterminated. */
  readonly ending: string;
}

type Edit = { readonly at: number; removed: number; readonly added: string[] };

/**
 * The text after applying the chunks in order. Unchanged lines stay byte for byte, however loosely they matched; a new
 * line ends like the file's first line, and the last line is always terminated. Throws `TooMuchToSearch` above the
 * effort limit. `places`: the line at which each chunk begins, from 0.
 */
export function applyChunksToText(
  text: string,
  chunks: readonly Chunk[],
  effort: SearchEffort,
): { readonly kind: 'updated'; readonly text: string; readonly places: readonly number[] } | UpdateProblem {
  const lines = splitLines(text);
  const newline = lines.find(({ ending }) => ending !== '')?.ending ?? '\n';
  const fileLines = lines.map((line) => line.text);
  const searched = toSearchableLines(fileLines);
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
      // Lines without context follow their anchor; without one, they go to the end.
      const at = chunk.anchor === undefined || chunk.endOfFile ? lines.length : cursor;
      edits.push({ at, removed: 0, added: chunk.lines.map((line) => line.text) });
      places.push(at);
      continue;
    }
    const located = locate(searched, chunk, { from: cursor, atEnd: chunk.endOfFile, effort });
    if (located === undefined)
      return { kind: 'lines-not-found', fileLines, expected: oldLines(chunk), atEnd: chunk.endOfFile };
    places.push(located.at);
    for (const edit of editsOf(chunk, located)) edits.push(edit);
    cursor = located.at + located.matched;
  }
  return { kind: 'updated', text: rebuild(lines, newline, edits), places };
}

interface Located {
  readonly at: number;
  /** Number of expected lines that were found: all, or all but the last. */
  readonly matched: number;
}

function locate(searched: SearchableLines, chunk: Chunk, options: SeekOptions): Located | undefined {
  const whole = oldLines(chunk);
  // Models count the empty piece after a file's last newline as a line.
  for (const pattern of whole.at(-1) === '' ? [whole, whole.slice(0, -1)] : [whole]) {
    const at = seekLines(searched, pattern, options);
    if (at !== undefined) return { at, matched: pattern.length };
  }
  return undefined;
}

/** One edit per run of changed lines. Context in between is not touched. */
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

/** The chunk's last old line is empty and is no line of the file: drops it, and an empty last new line as well. */
function dropLastLine(chunk: Chunk, edits: Edit[]): void {
  const last = chunk.lines.findLast(({ kind }) => kind !== 'remove');
  const run = edits.at(-1);
  if (last?.text !== '' || run === undefined) return;
  if (run.added.length > 0) run.added.pop();
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

/** Read patched files as paths are read: without loss, and so that no patch can contain or match a non-UTF-8 byte. */
export { bytesAsText, textAsBytes };

const byteOrderMark = '\ufeff';

/** Applies chunks to a file of any ASCII-compatible encoding. Bytes of lines that no chunk replaces are preserved. */
export function applyChunksToBytes(
  before: Uint8Array,
  chunks: readonly Chunk[],
  effort: SearchEffort,
):
  | { readonly kind: 'updated'; readonly content: Uint8Array; readonly places: readonly number[] }
  | UpdateProblem
  /** The file's encoding does not allow the patch without harm. */
  | { readonly kind: 'encoding'; readonly reason: string } {
  const text = bytesAsText(before);
  if (!text.isWellFormed()) {
    const reason = harmIn(text, chunks);
    if (reason !== undefined) return { kind: 'encoding', reason };
  }
  const updated = applyChunksToText(text, chunks, effort);
  if (updated.kind === 'updated')
    return { kind: 'updated', content: textAsBytes(updated.text), places: updated.places };
  if (!text.startsWith(byteOrderMark)) return updated;
  // A byte order mark is invisible and in no patch: without it the first line may match.
  const unmarked = applyChunksToText(text.slice(1), chunks, effort);
  if (unmarked.kind !== 'updated') return updated;
  return { kind: 'updated', content: textAsBytes(byteOrderMark + unmarked.text), places: unmarked.places };
}

function harmIn(text: string, chunks: readonly Chunk[]): string | undefined {
  // UTF-16 or binary: its line feeds are not line ends for us.
  if (text.includes('\0')) return 'the file is not UTF-8 text';
  const added = chunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== 'remove'));
  if (added.every((line) => /^[\0-\x7f]*$/.test(line.text))) return undefined;
  return 'the file is not UTF-8 text, and the patch has characters that would be written as UTF-8';
}

export type ReplaceTextResult =
  /** `line`: beginning of the first replacement, counted from 1. */
  | { readonly kind: 'replaced'; readonly content: Uint8Array; readonly line: number }
  /** `lines`: all lines of the file, for a hint. */
  | { readonly kind: 'not-found'; readonly lines: readonly string[] }
  /** `at`: the first matching lines, counted from 1. */
  | { readonly kind: 'not-unique'; readonly count: number; readonly at: readonly number[] }
  | { readonly kind: 'encoding'; readonly reason: string };

const mostPlaces = 1000;
const mostNamed = 5;

/** Keeps all other bytes. A CRLF file is also searched for the text with CRLF lines, which models do not write. */
export function replaceText(before: Uint8Array, { find, put, all }: Replacement): ReplaceTextResult {
  const text = bytesAsText(before);
  const isUtf8 = text.isWellFormed();
  if (text.includes('\0')) return { kind: 'encoding', reason: 'the file is not text' };
  if (!isUtf8 && /[^\0-\x7f]/.test(put)) {
    const reason = 'the file is not UTF-8 text, and the new text has characters that would be written as UTF-8';
    return { kind: 'encoding', reason };
  }
  const forms = [{ find, put }, ...(text.includes('\r\n') ? [{ find: withCr(find), put: withCr(put) }] : [])];
  for (const form of forms) {
    const places = placesOf(text, form.find);
    if (places.length === 0) continue;
    if (places.length > 1 && !all) {
      const at = places.slice(0, mostNamed).map((place) => lineAt(text, place));
      return { kind: 'not-unique', count: places.length, at };
    }
    const content = textAsBytes(text.replaceAll(form.find, () => form.put));
    return { kind: 'replaced', content, line: lineAt(text, places[0] ?? 0) };
  }
  return { kind: 'not-found', lines: text.split(/\r\n|\r|\n/) };
}

/** Including overlapping ones, which are just as ambiguous. */
function placesOf(text: string, find: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(find); at !== -1 && places.length < mostPlaces; at = text.indexOf(find, at + 1))
    places.push(at);
  return places;
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

const withCr = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n');
