import { valueOr } from '../../base/objects.ts';
import { ContentGone, loadContent } from './snapshot-tree.ts';
import type { SnapshotPathChange, ContentSource, TreeNode } from './snapshot-tree.ts';

type Edit = { readonly sign: ' ' | '-' | '+'; readonly line: string };
const contextLines = 3;
/** Texts with more different lines on both sides together are shown as replaced, without a costly search. */
const mostDifferences = 1500;

/** The output of `diff -u` without the names of the files. Undefined means a missing file. Empty if nothing changed. */
export function unifiedDiff(before: string | undefined, after: string | undefined): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const edits = editsBetween(old, now);
  const behind = { at: 0, '-': 0, '+': 0 };
  return hunksOf(edits)
    .map((hunk) => hunkText(edits, hunk, behind))
    .join('');
}

/** The number of lines on each side before the edit `at`. It only grows, so all hunks cost one walk. */
type Behind = Record<'at' | '-' | '+', number>;

/** Marks a last line without a line end, which then differs from one with it. */
function linesOf(text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') return lines.slice(0, -1);
  return [...lines.slice(0, -1), `${lines.at(-1)}\n\\ No newline at end of file`];
}

function editsBetween(old: readonly string[], now: readonly string[]): readonly Edit[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const same = (line: string): Edit => ({ sign: ' ', line });
  const [gone, come] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  return [
    ...old.slice(0, start).map(same),
    ...(shortestEdits(gone, come) ?? replaced(gone, come)),
    ...old.slice(old.length - end).map(same),
  ];
}

const replaced = (gone: readonly string[], come: readonly string[]): readonly Edit[] => [
  ...gone.map((line): Edit => ({ sign: '-', line })),
  ...come.map((line): Edit => ({ sign: '+', line })),
];

/**
 * The fewest deletions and insertions, by the greedy search of Myers. On diagonal `k`, `x` old and `x - k` new lines
 * are consumed; each round goes as far as possible on every diagonal with one more difference. Undefined if there are
 * too many.
 */
function shortestEdits(old: readonly string[], now: readonly string[]): readonly Edit[] | undefined {
  const rounds: Reach[] = [];
  for (let round = 0; round <= Math.min(old.length + now.length, mostDifferences); round++) {
    const [before, reach] = [rounds.at(-1), new Int32Array(2 * round + 1)];
    for (let k = -round; k <= round; k += 2) {
      let x = before === undefined ? 0 : stepTo(before, round, k).x;
      while (x < old.length && x - k < now.length && old[x] === now[x - k]) x++;
      reach[k + round] = x;
      if (x >= old.length && x - k >= now.length) return walkBack(rounds, old, now);
    }
    rounds.push(reach);
  }
  return undefined;
}

/** Number of old lines consumed on each diagonal of round `r`, from `-r` to `r`. */
type Reach = Int32Array;

/** The step onto a diagonal from the one in the previous round that reaches further. */
function stepTo(before: Reach, round: number, k: number): { readonly kind: '-' | '+'; readonly x: number } {
  const at = (diagonal: number): number => before[diagonal + round - 1] ?? -1;
  const isInsertion = k === -round || (k !== round && at(k - 1) < at(k + 1));
  return isInsertion ? { kind: '+', x: at(k + 1) } : { kind: '-', x: at(k - 1) + 1 };
}

function walkBack(rounds: readonly Reach[], old: readonly string[], now: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  let [x, k] = [old.length, old.length - now.length];
  for (let round = rounds.length; round > 0; round--) {
    const { kind, x: start } = stepTo(rounds[round - 1]!, round, k);
    while (x > start) edits.push({ sign: ' ', line: old[--x]! });
    if (kind === '+') edits.push({ sign: '+', line: now[x - k - 1]! });
    else edits.push({ sign: '-', line: old[--x]! });
    k += kind === '+' ? 1 : -1;
  }
  while (x > 0) edits.push({ sign: ' ', line: old[--x]! });
  return edits.toReversed();
}

type Hunk = { from: number; to: number };

function hunksOf(edits: readonly Edit[]): readonly Readonly<Hunk>[] {
  const hunks: Hunk[] = [];
  for (const [at, { sign }] of edits.entries()) {
    if (sign === ' ') continue;
    const last = hunks.at(-1);
    const [from, to] = [Math.max(0, at - contextLines), Math.min(edits.length, at + contextLines + 1)];
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  }
  return hunks;
}

function hunkText(edits: readonly Edit[], { from, to }: Hunk, behind: Behind): string {
  for (; behind.at < from; behind.at++) {
    const { sign } = edits[behind.at]!;
    if (sign !== '+') behind['-']++;
    if (sign !== '-') behind['+']++;
  }
  const shown = edits.slice(from, to);
  const range = (side: '-' | '+'): string => {
    const skipped = behind[side];
    const length = shown.filter(({ sign }) => sign === ' ' || sign === side).length;
    return `${side}${length === 0 ? skipped : skipped + 1}${length === 1 ? '' : `,${length}`}`;
  };
  const lines = shown.map(({ sign, line }) => `${sign}${line}\n`);
  return `@@ ${range('-')} ${range('+')} @@\n${lines.join('')}`;
}

/** The changed lines of a file as in `diff -u` without its head, or why there are none to show. */
export type FileDiff =
  | { readonly kind: 'lines'; readonly text: string }
  /** `mode`: only its permissions changed; `not-kept`: the snapshot left its content out, or the content is gone. */
  | { readonly kind: 'binary' | 'large' | 'mode' | 'not-kept' };

/** A file that is larger on either side is named but not compared. */
const mostBytes = 500_000;

/** A link is compared by its target. */
export async function fileDiffEntry(source: ContentSource, { from, to }: SnapshotPathChange): Promise<FileDiff> {
  const sides = [from, to];
  if (sides.some((side) => side?.kind === 'left-out')) return { kind: 'not-kept' };
  if (sides.some((side) => side?.kind === 'file' && side.size > mostBytes)) return { kind: 'large' };
  try {
    const [before, after] = [await textOf(source, from), await textOf(source, to)];
    if (before === 'binary' || after === 'binary') return { kind: 'binary' };
    const text = unifiedDiff(before?.text, after?.text);
    return text === '' && from !== undefined && to !== undefined ? { kind: 'mode' } : { kind: 'lines', text };
  } catch (error) {
    if (error instanceof ContentGone) return { kind: 'not-kept' };
    throw error;
  }
}

async function textOf(
  source: ContentSource,
  node: TreeNode | undefined,
): Promise<{ readonly text: string } | 'binary' | undefined> {
  if (node?.kind === 'link') return { text: node.target };
  if (node?.kind !== 'file') return undefined;
  const content = await loadContent(source, node.hash);
  if (content.includes(0)) return 'binary';
  return valueOr('binary', () => ({
    text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content),
  }));
}
