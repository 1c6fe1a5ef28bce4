import { formatCount, plural, formatBytes } from '../../../../engine/wording.ts';
import { countOmittedOutput, parseOmittedLine } from '../../../../protocol/display-text.ts';
import { hintKeyMapper } from '../../screen/keys/key-map.ts';
import { cleanText } from '../../screen/text/clean-text.ts';
import { cutRow, rowColumns } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { OutputColours } from '../../screen/text/output-colours.ts';
import { badStyle, dimStyle, restyled, type Row, type Style, styled } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { widthUnderHead } from './cell.ts';

/** Shown rows of an output: all if there are at most `most`, else its head and its tail, and likely errors between. */
type FoldLimits = Readonly<Record<'most' | 'head' | 'tail' | 'errors', number>>;

export const foldLimits = {
  quiet: { most: 5, head: 2, tail: 2, errors: 0 },
  /** Show why it failed. */
  failed: { most: 10, head: 0, tail: 5, errors: 5 },
  /** The reason comes first, then what to do. */
  refused: { most: 10, head: 8, tail: 0, errors: 0 },
  own: { most: 50, head: 25, tail: 24, errors: 0 },
  ownFailed: { most: 50, head: 10, tail: 30, errors: 10 },
} as const satisfies Readonly<Record<string, FoldLimits>>;

/** Hint for seeing folded text. `them`: the counted lines only, as others are not available here. */
const foldHint = (look: Look, what: 'all' | 'them' | 'some'): string =>
  `${hintKeyMapper(look, 'composer')('ctrl+t')} shows ${what}`;

/** The output in rows below the head of its cell. `total`: number of lines, if a truncated output does not state it. */
export function outputRows(output: string, limits: FoldLimits, look: Look, total?: number): readonly Row[] {
  const lines = outputLines(output);
  if (lines.length === 0) return [];
  const width = widthUnderHead(look);
  if (look.details === 'whole') return wholeRows(lines, width);
  if (lines.length <= limits.most) {
    const rows = lines.flatMap((line) => lineRows(line, width, limits.most, styleIn(line, limits)));
    if (rows.length <= limits.most) return rows;
  }
  return foldedRows({ lines, limits, total, width, look });
}

/** The last rows of a growing output. Reads nothing above them. */
export function lastOutputRows(output: string, rows: number, look: Look): readonly Row[] {
  const width = widthUnderHead(look);
  let [from, found] = [output.length, 0];
  while (from > 0 && found <= rows && output.length - from < longestTail) {
    from = output.lastIndexOf('\n', from - 1);
    found += 1;
  }
  const lines = outputLines(output.slice(Math.max(0, from, output.length - longestTail)));
  return lines
    .slice(-rows)
    .flatMap((line) => lineRows(line, width, rows, dimStyle))
    .slice(-rows);
}

const longestTail = 20_000;

function wholeRows(lines: readonly string[], width: number): readonly Row[] {
  const colours = new OutputColours();
  return lines.flatMap((line) => wrapRow(restyled(colours.read(line), dimStyle), { width }));
}

function outputLines(output: string): readonly string[] {
  const text = output.trimEnd();
  if (text.trim() === '') return [];
  return text.replace(/^(?:[ \t\r]*\n)+/, '').split(/\r*\n|\r/);
}

const lineRows = (line: string, width: number, most: number, style: Style): readonly Row[] =>
  wrapRow(restyled(new OutputColours().read(shortened(line, 4 * width * most)), style), { width });

const styleIn = (line: string, { errors }: FoldLimits): Style =>
  errors > 0 && looksLikeError(line) ? badStyle : dimStyle;

const shortened = (line: string, limit: number): string =>
  line.length <= limit ? line : `${line.slice(0, limit / 2)} ... ${line.slice(-limit / 2)}`;

type Folded = Readonly<{ lines: readonly string[]; limits: FoldLimits; total?: number; width: number; look: Look }>;

function foldedRows(folded: Folded): readonly Row[] {
  const { lines, limits } = folded;
  const head = endRows(folded, limits.head, 'head');
  const tail = endRows(folded, limits.tail, 'tail');
  const [from, to] = [head.used, Math.max(head.used, lines.length - tail.used)];
  return [...head.rows, ...middleRows(folded, from, to), ...tail.rows];
}

/** Rows from one end, and the number of lines used. A line that does not fit is cut. */
function endRows({ lines, limits, width }: Folded, limit: number, end: 'head' | 'tail') {
  let rows: readonly Row[] = [];
  let used = 0;
  while (rows.length < limit && used < lines.length) {
    const line = lines[end === 'head' ? used : lines.length - 1 - used]!;
    const more = lineRows(line, width, limit, styleIn(line, limits));
    const room = limit - rows.length;
    rows = end === 'head' ? [...rows, ...more.slice(0, room)] : [...more.slice(-room), ...rows];
    used += 1;
  }
  return { rows, used };
}

function middleRows(folded: Folded, from: number, to: number): readonly Row[] {
  const { lines, limits, width, look } = folded;
  const likely: number[] = [];
  for (let at = from; at < to; at += 1) if (looksLikeError(lines[at]!)) likely.push(at);
  const shown = likely.slice(0, limits.errors);
  const rows: Row[] = [];
  let next = from;
  for (const at of shown) {
    if (at > next) rows.push(gapRow(folded, lines.slice(next, at), ''));
    const [row = []] = lineRows(cleanText(lines[at]!).trimStart(), 10 * width, 1, badStyle);
    rows.push(cutRow(row, width, look));
    next = at + 1;
  }
  const left = likely.length - shown.length;
  const errors = left === 0 ? '' : left === 1 ? ', 1 looks like an error' : `, ${left} look like errors`;
  if (next < to) rows.push(gapRow(folded, lines.slice(next, to), errors, 'last'));
  return rows;
}

/** The row for a gap in the output. A gap of a single line shows that line, which takes no more space. */
function gapRow(folded: Folded, gap: readonly string[], errors: string, place?: 'last'): Row {
  const { width, look } = folded;
  const [only = []] = gap.length === 1 ? lineRows(gap[0]!, width, 2, dimStyle) : [];
  if (gap.length === 1 && rowColumns(only) < width && parseOmittedLine(gap[0]!) === undefined) return only;
  const omitted = countOmittedOutput(gap.join('\n'));
  const cut = gap.flatMap((line) => truncatedMark.exec(line)?.slice(1) ?? []);
  const hidden = hiddenIn(folded, gap, cut.length > 0, omitted);
  const lost = [
    ...(omitted === undefined ? [] : [formatBytes(omitted.bytes)]),
    ...(cut.length === 0 || hidden.isWhole ? [] : [`${formatCount(Number(cut[0]))} ${cut[1]}`]),
  ];
  const isAll = omitted === undefined && cut.length === 0;
  const hint = place === 'last' ? ` (${foldHint(look, isAll ? 'all' : hidden.isWhole ? 'some' : 'them')})` : '';
  const words = [
    ...(hidden.lines === 0 ? [] : [`+${plural(hidden.lines, 'line')}${errors}${hint}`]),
    ...(lost.length === 0 ? [] : [`${lost.join(' and ')} not kept`]),
  ];
  return cutRow([styled(`${glyphsOf(look).ellipsis} ${words.join(', ')}`, dimStyle)], width, look);
}

type Omitted = ReturnType<typeof countOmittedOutput>;

/** Number of lines in a gap. `isWhole`: including lines already missing in the output. */
function hiddenIn({ lines, total }: Folded, gap: readonly string[], isCut: boolean, omitted: Omitted) {
  const kept = gap.length - (omitted === undefined ? 0 : 1);
  if (isCut && total !== undefined)
    return { lines: Math.max(kept, total - (lines.length - gap.length)), isWhole: true };
  const more = omitted?.lines ?? 0;
  return { lines: kept + more, isWhole: more > 0 };
}

/** Marks a place where the model got a shortened output, and the file has no more. */
const truncatedMark = /…(\d{1,9}) (tokens|chars) truncated…/;

export const foldRow = (lines: number, look: Look): Row => [
  styled(`${glyphsOf(look).ellipsis} +${plural(lines, 'line')} (${foldHint(look, 'all')})`, dimStyle),
];

const errorWords =
  /\b(?:\w*error|[1-9]\d*\s+errors|errors\s*[:=]\s*[1-9]\d*|fail(?:ed|ure|ures|ing)?|fatal|panic(?:ked)?|\w*exception|traceback|cannot|could not|undefined reference|no such file|not found|not ok|permission denied|segmentation fault|assertion)\b|^\s*(?:✗|✘|✖|×|E\s{2,})/i;
/** Reports of success: `0 failed`, `no errors`, `# fail 0`, `Failures: 0, Errors: 0`, `"failed": 0`. */
const noErrors =
  /(?<![\d.,])\b(?:0|no|without(?:\s+any)?)\s+(?:\w+\s+)?(?:error|failure|failed|failing|fail|exception)s?\b(?:\(s\))?|\b(?:error|failure|failed|failing|fail|exception)s?(?:\(s\))?["']?\s*[:=]?\s*0(?=\s*$|\s*[,;.)\]}|/](?!\d)|\s+\w+["']?\s*[:=]?\s*\d)/gi;

const longest = 500;

export function looksLikeError(line: string): boolean {
  const near = line.length > longest ? line.slice(0, longest) : line;
  return errorWords.test(near) && errorWords.test(near.replaceAll(noErrors, ''));
}
