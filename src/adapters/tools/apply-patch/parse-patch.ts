import { type ChunkLine, type Patch, trimLine, trimLineEnd } from './patch.ts';

const beginMarker = '*** Begin Patch';
const endMarker = '*** End Patch';
const addHeader = '*** Add File: ';
const deleteHeader = '*** Delete File: ';
const updateHeader = '*** Update File: ';
const moveHeader = '*** Move to: ';
const environmentHeader = '*** Environment ID:';
const endOfFileMarker = '*** End of File';
const longestPatch = 8 * 1024 * 1024;
export type ParsedPatch = { readonly kind: 'parsed'; readonly patch: Patch };
const problem = (message: string, line?: number): ParseProblem => ({ kind: 'problem', message, line });

/** Reads more than the grammar allows: models pad, wrap and omit markers. Ambiguity is a problem, never a guess. */
export function parsePatch(text: string): ParsedPatch | ParseProblem {
  if (text.length > longestPatch) return problem('The patch is longer than 8 MB');
  const lines = linesOf(trimLine(text.toWellFormed()));
  const markers = checkMarkers(lines);
  if (markers === undefined) return parseLines(lines);
  const unwrapped = unwrap(lines);
  if (unwrapped === undefined) return markers;
  return checkMarkers(unwrapped) ?? parseLines(unwrapped);
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n').map((line) => line.replace(/\r{1,2}$/, ''));
}

function checkMarkers(lines: readonly string[]): ParseProblem | undefined {
  const [first] = lines;
  const last = lines.at(-1);
  if (first !== undefined && trimLine(first) !== beginMarker)
    return problem(`The first line of the patch must be '${beginMarker}'`);
  return last !== undefined && trimLine(last) === endMarker ? undefined : lastLineProblem;
}

const lastLineProblem = problem(`The last line of the patch must be '${endMarker}'`);

function unwrap(lines: readonly string[]): readonly string[] | undefined {
  const opened = lines.length >= 4 && ['<<EOF', "<<'EOF'", '<<"EOF"'].includes(lines[0] ?? '');
  return opened && lines.at(-1)?.endsWith('EOF') ? lines.slice(1, -1) : undefined;
}

type OpenChunk = { readonly anchor?: string; readonly lines: ChunkLine[]; endOfFile: boolean };

type OpenHunk =
  | { readonly kind: 'add'; readonly path: string; readonly lines: string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; movePath?: string; readonly chunks: OpenChunk[] };

type OpenUpdate = Extract<OpenHunk, { kind: 'update' }>;

function parseLines(lines: readonly string[]): ParsedPatch | ParseProblem {
  const hunks: OpenHunk[] = [];
  let open: OpenHunk | undefined;
  let begin = 0;
  let environment: string | undefined;
  let ended = false;
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (index === 0) continue;
    // The last line ends the patch whatever its indentation.
    if (number === lines.length) {
      const broken = checkEnd(open, { begin, number, line: undefined });
      return broken ?? { kind: 'parsed', patch: { hunks, environment } };
    }
    if (ended) {
      if (trimLine(line) !== '') return lastLineProblem;
      continue;
    }
    // In the body of an update an indented marker is file text.
    const marker = open?.kind === 'update' ? trimLineEnd(line) : trimLine(line);
    const header = readHeader(marker);
    if (header !== undefined) {
      ended = header === 'end';
      const broken = checkEnd(open, { begin, number, line: ended ? undefined : marker });
      if (broken !== undefined) return broken;
      begin = number;
      open = header === 'end' ? undefined : header;
      if (open !== undefined) hunks.push(open);
      continue;
    }
    if (open?.kind === 'update') {
      const broken = readBody(open, line, number);
      if (broken !== undefined) return broken;
    } else if (open?.kind === 'add' && line.startsWith('+')) {
      open.lines.push(line.slice(1));
    } else if (hunks.length === 0 && marker.startsWith(environmentHeader)) {
      const id = trimLine(marker.slice(environmentHeader.length));
      if (id === '') return problem('apply_patch environment_id cannot be empty');
      if (environment !== undefined) return problem('apply_patch environment_id cannot be specified more than once');
      environment = id;
    } else {
      return problem(
        `'${marker}' is not a valid hunk header. Valid hunk headers: '${addHeader}{path}', '${deleteHeader}{path}', '${updateHeader}{path}'`,
        number,
      );
    }
  }
  return lastLineProblem;
}

function readHeader(marker: string): OpenHunk | 'end' | undefined {
  if (marker === endMarker) return 'end';
  if (marker.startsWith(addHeader)) return { kind: 'add', path: marker.slice(addHeader.length), lines: [] };
  if (marker.startsWith(deleteHeader)) return { kind: 'delete', path: marker.slice(deleteHeader.length) };
  if (marker.startsWith(updateHeader)) return { kind: 'update', path: marker.slice(updateHeader.length), chunks: [] };
  return undefined;
}

/** Checks that the hunk may end before the line; without a line, at the end of the patch. */
function checkEnd(
  open: OpenHunk | undefined,
  { begin, number, line }: { begin: number; number: number; line: string | undefined },
): ParseProblem | undefined {
  if (open?.kind !== 'update') return undefined;
  const { path, movePath, chunks } = open;
  if (chunks.length === 0 && movePath === undefined)
    return problem(`Update file hunk for path '${path}' is empty`, begin);
  if (chunks.at(-1)?.lines.length !== 0) return undefined;
  return line === undefined ? emptyChunk(number) : unexpectedLine(line, number);
}

function readBody(open: OpenUpdate, line: string, number: number): ParseProblem | undefined {
  const { chunks } = open;
  const marker = trimLineEnd(line);
  const current = chunks.at(-1);
  if (current === undefined && open.movePath === undefined && marker.startsWith(moveHeader)) {
    open.movePath = marker.slice(moveHeader.length);
    return undefined;
  }
  if (marker === endOfFileMarker && !current?.endOfFile) {
    if (current === undefined) return undefined;
    if (current.lines.length === 0) return emptyChunk(number);
    current.endOfFile = true;
    return undefined;
  }
  const ready = current === undefined || current.lines.length > 0;
  if (ready && (marker === '@@' || marker.startsWith('@@ '))) {
    const anchor = marker.slice('@@ '.length);
    chunks.push({ ...(marker === '@@' ? {} : { anchor }), lines: [], endOfFile: false });
    return undefined;
  }
  if (current?.endOfFile) return marker === '' ? undefined : expectedAnchor(line, number);
  const body = readChunkLine(line);
  if (body === undefined)
    return current !== undefined && ready ? expectedAnchor(line, number) : unexpectedLine(line, number);
  if (current === undefined) chunks.push({ lines: [body], endOfFile: false });
  else current.lines.push(body);
  return undefined;
}

const chunkMarks: Readonly<Record<string, ChunkLine['kind']>> = { ' ': 'context', '+': 'add', '-': 'remove' };

function readChunkLine(line: string): ChunkLine | undefined {
  const kind = chunkMarks[line[0] ?? ' '];
  return kind === undefined ? undefined : { kind, text: line.slice(1) };
}

/** `line` counts from 1; without it the problem concerns the whole patch. */
export type ParseProblem = { readonly kind: 'problem'; readonly message: string; readonly line?: number };
const emptyChunk = (number: number): ParseProblem => problem('Update hunk does not contain any lines', number);

function unexpectedLine(line: string, number: number): ParseProblem {
  const marks = "' ' (context line), '+' (added line), or '-' (removed line)";
  return problem(`Unexpected line found in update hunk: '${line}'. Every line should start with ${marks}`, number);
}

const expectedAnchor = (line: string, number: number): ParseProblem =>
  problem(`Expected update hunk to start with a @@ context marker, got: '${line}'`, number);
