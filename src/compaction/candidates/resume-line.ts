import { endsCode, type Fence, fenceIn } from '../../base/markdown/fence.ts';
import { cursorLine, markCursors } from '../../fragments/checkpoint/checkpoint-summary.ts';

/** A summary with the model's own line of where to continue, or without a usable one. */
export type ResumeLine =
  | { readonly kind: 'found'; readonly summary: string; readonly change: 'none' | 'signs' | 'moved' }
  /** The word stands there and names no step. */
  | { readonly kind: 'no-step' }
  | { readonly kind: 'none' };

/**
 * Puts the newest line that says where to continue at the end, as `RESUME_AT: step`. Signs around the word do not matter,
 * the step may stand on the line below, and other lines may follow. Earlier lines of that kind are marked as such.
 */
export function withResumeLine(given: string): ResumeLine {
  const text = given.trimEnd();
  const lines = text.split('\n');
  const found = cursorsIn(lines);
  const newest = found.findLast(({ step }) => step !== '');
  if (newest === undefined) return { kind: found.length === 0 ? 'none' : 'no-step' };
  const { at, end, step } = newest;
  const before = lines.slice(0, at).join('\n');
  const after = lines.slice(end).join('\n').trim();
  const rest = [before, after].filter((part) => part.trim() !== '');
  const body = markCursors(rest.join('\n'), 'earlier in this summary');
  const summary = `${body}${body === '' ? '' : '\n'}RESUME_AT: ${step}`;
  const isLast = after === '' && end === at + 1;
  const change = summary === text ? 'none' : isLast && lines[at] !== `RESUME_AT: ${step}` ? 'signs' : 'moved';
  return { kind: 'found', summary, change };
}

interface Cursor {
  /** The first line, and the one after the last. */
  readonly at: number;
  readonly end: number;
  readonly step: string;
}

/** Lines between code fences are quoted, and say nothing about this conversation. */
function cursorsIn(lines: readonly string[]): readonly Cursor[] {
  const found: Cursor[] = [];
  let code: Fence | undefined;
  for (const [at, line] of lines.entries()) {
    if (code !== undefined && endsCode(code, line)) code = undefined;
    else code ??= fenceIn(line);
    const match = code === undefined ? cursorLine.exec(line.trimEnd()) : null;
    if (match === null) continue;
    const own = stepIn(match.groups?.['step'] ?? '');
    const below = nextFull(lines, at + 1);
    const isBelow = own === '' && below < lines.length && !cursorLine.test(lines[below]!.trimEnd());
    found.push({ at, end: isBelow ? below + 1 : at + 1, step: isBelow ? stepIn(lines[below]!) : own });
  }
  return found;
}

function nextFull(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]!.trim() === '') at++;
  return at;
}

const emphases = ['**', '__', '`', '*'] as const;

/** The step without signs of a list before it, and without emphasis that is opened or closed outside of it. */
function stepIn(text: string): string {
  let step = text.trim().replace(/^(?:[>#•+-]+|\*|\d{1,3}[.)])[ \t]+/, '');
  for (const sign of emphases) {
    if (step.endsWith(sign) && step.split(sign).length % 2 === 0) step = step.slice(0, -sign.length).trimEnd();
  }
  return /[\p{L}\p{N}]/u.test(step) ? step : '';
}
