import type { ContentsFound, NamesFound } from '../../../ports/files.ts';
import { type TextBudget, byteLength, bytesPerToken, firstBytes } from '../text/truncate.ts';

/** In bytes. */
const longestFoundLine = 400;
const bytesForEndNote = 300;

const whyEnded: Readonly<Record<NonNullable<ContentsFound['ended']>, string>> = {
  limit: 'There are more matches. Search for something rarer, in one folder, or with a glob.',
  time: 'The search took too long and was ended. Search in one folder, or with a glob.',
  entries: 'There are too many files: not all folders were searched. Search in one folder.',
};

export function foundLinesText({ lines, files, skipped, ended }: ContentsFound, budget: TextBudget): string {
  const all = lines.map(({ path, line, text }) => `${path}:${line}: ${shortenedLine(text.trim(), longestFoundLine)}\n`);
  const shown = fitting(all, budget);
  const left = lines.length - shown.length;
  const notes = [
    ...(lines.length === 0 ? [`No matches in ${files} files.`] : []),
    ...(left === 0 ? [] : [`${left} more matches do not fit here. Search for something rarer.`]),
    ...(skipped === 0 ? [] : [`${skipped} large files were not searched.`]),
    ...(ended === undefined ? [] : [whyEnded[ended]]),
  ];
  return [...shown, ...notes.map((note) => `(${note})\n`)].join('');
}

/** One path per line; folders end with a slash. */
export function foundNamesText({ files, total, isPartial }: NamesFound, budget: TextBudget): string {
  const paths = files.map(({ path, kind }) => `${path}${kind === 'folder' ? '/' : ''}\n`);
  const shown = fitting(paths, budget);
  const notes = [
    ...(total === 0 ? ['No matches.'] : []),
    ...(total > shown.length ? [`${total - shown.length} more paths fit the query.`] : []),
    ...(isPartial ? [whyEnded.entries] : []),
  ];
  return [...shown, ...notes.map((note) => `(${note})\n`)].join('');
}

function fitting(lines: readonly string[], { mode, limit }: TextBudget): readonly string[] {
  let left = (mode === 'tokens' ? bytesPerToken : 1) * limit - bytesForEndNote;
  const end = lines.findIndex((line) => (left -= byteLength(line)) < 0);
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

/** In bytes; longer lines are mostly not meant for people. */
const longestNumberedLine = 2000;

export function numberedLines(
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  budget: TextBudget,
): string {
  if (text === '') return 'The file is empty.';
  const lines = text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
  if (offset > lines.length) return `The file has ${lines.length} lines. There is no line ${offset}.`;
  const bytes = (budget.mode === 'tokens' ? bytesPerToken : 1) * budget.limit - bytesForContinuation;
  const shown: string[] = [];
  let used = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const numbered = `${offset + shown.length}\t${shortenedLine(line, longestNumberedLine)}\n`;
    used += byteLength(numbered);
    if (used > bytes && shown.length > 0) break;
    shown.push(numbered);
  }
  const next = offset + shown.length;
  const left = lines.length - next + 1;
  return `${shown.join('')}${left > 0 ? `(${left} more lines; continue with offset ${next})\n` : ''}`;
}

function shortenedLine(line: string, bytes: number): string {
  if (byteLength(line) <= bytes) return line;
  const head = firstBytes(line, bytes);
  return `${head}… (${line.length - head.length} more characters)`;
}

const bytesForContinuation = 100;
