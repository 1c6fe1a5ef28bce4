import type { ChangedFile } from '../../../protocol/turn-item.ts';
import { absolutePath } from '../follow-path.ts';

export type Patch = { readonly hunks: readonly Hunk[]; readonly environment?: string };

export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly movePath?: string;
      /** Empty only in a move that changes nothing. */
      readonly chunks: readonly Chunk[];
    }
  /** Made by the tool `edit_file`, never by a patch. With nothing to find, the file must be missing or empty. */
  | ({ readonly kind: 'replace'; readonly path: string } & Replacement);

export interface Replacement {
  readonly find: string;
  readonly put: string;
  /** Replace every match; otherwise there must be exactly one. */
  readonly all: boolean;
}

export interface Chunk {
  /** A line to find first: the chunk is somewhere after it. */
  readonly anchor?: string;
  readonly lines: readonly ChunkLine[];
  readonly endOfFile: boolean;
}

export type ChunkLine = { readonly kind: 'context' | 'remove' | 'add'; readonly text: string };

export const oldLines = ({ lines }: Chunk): readonly string[] =>
  lines.flatMap(({ kind, text }) => (kind === 'add' ? [] : [text]));

/** The lines at which the chunks of a hunk were found, from 0. Undefined if it has no chunks. */
export type ChunkStartLines = readonly number[] | undefined;

/** The files for surfaces, each once. `places`: those of each hunk once known; its diff then has line numbers. */
export function changedFiles(
  hunks: readonly Hunk[],
  folder: string,
  places: readonly ChunkStartLines[] = [],
): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  const diffs = new Map<string, string[]>();
  for (const [index, hunk] of hunks.entries()) {
    const absolute = (path: string) => absolutePath(folder, path) ?? path;
    const path = absolute(hunk.path);
    const before = files.get(path);
    const meant = hunk.kind === 'replace' ? (hunk.find === '' ? 'add' : 'update') : hunk.kind;
    const kind = meant === 'update' && before?.kind === 'add' ? 'add' : meant;
    const movePath = hunk.kind === 'update' ? hunk.movePath : undefined;
    const moved = movePath === undefined ? {} : { movePath: absolute(movePath) };
    files.set(path, { path, kind, ...moved });
    const diff = diffOf(hunk, places[index]);
    if (diff !== undefined && diffs.get(path)?.push(diff) === undefined) diffs.set(path, [diff]);
  }
  return Array.from(files.values(), (file) => {
    const diff = diffs.get(file.path)?.join('\n') ?? '';
    return diff === '' ? file : { ...file, diff };
  });
}

const signs = { context: ' ', remove: '-', add: '+' };

function diffOf(hunk: Hunk, places: ChunkStartLines): string | undefined {
  if (hunk.kind === 'delete') return undefined;
  if (hunk.kind === 'replace') return replacedLines(hunk, places?.[0]);
  if (hunk.kind === 'add') return hunk.lines.map((line) => `+${line}`).join('\n');
  let moved = 0;
  return hunk.chunks
    .map(({ anchor, lines }, at) => {
      const signed = lines.map(({ kind, text }) => `${signs[kind]}${text}`);
      const header = chunkHeader(lines, places?.[at], moved);
      moved += countOf(lines, 'add') - countOf(lines, 'remove');
      return [`${header}${anchor === undefined ? '' : ` ${anchor}`}`, ...signed].join('\n');
    })
    .join('\n');
}

/** A diff header with old and new line numbers; without a place, only `@@`. `moved`: lines added before this chunk. */
function chunkHeader(lines: Chunk['lines'], place: number | undefined, moved: number): string {
  if (place === undefined) return '@@';
  const [added, removed, kept] = [countOf(lines, 'add'), countOf(lines, 'remove'), countOf(lines, 'context')];
  const range = (from: number, count: number): string => `${count === 0 ? from : from + 1},${count}`;
  return `@@ -${range(place, removed + kept)} +${range(place + moved, added + kept)} @@`;
}

const countOf = (lines: Chunk['lines'], kind: ChunkLine['kind']): number =>
  lines.filter((line) => line.kind === kind).length;

function replacedLines({ find, put }: Extract<Hunk, { kind: 'replace' }>, place: number | undefined): string {
  const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
  const removed = linesOf(find).map((text): ChunkLine => ({ kind: 'remove', text }));
  const lines = [...removed, ...linesOf(put).map((text): ChunkLine => ({ kind: 'add', text }))];
  const signed = lines.map(({ kind, text }) => `${signs[kind]}${text}`);
  return (find === '' ? signed : [chunkHeader(lines, place, 0), ...signed]).join('\n');
}

/** White space of Unicode, as in the other program: `trim` of JavaScript keeps U+0085 and removes U+FEFF. */
const whitespace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

export function trimLineEnd(text: string): string {
  let end = text.length;
  while (end > 0 && whitespace.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}

export function trimLine(text: string): string {
  let start = 0;
  while (start < text.length && whitespace.includes(text[start]!)) start++;
  return trimLineEnd(text.slice(start));
}
