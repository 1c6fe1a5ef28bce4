import { type Budget, byteLength, bytesPerToken, firstBytes } from '../text/truncate.ts';

/** Of one line, in bytes: longer ones are mostly not for people. */
const longestLine = 2000;

/** Lines of a file behind their numbers, as many as fit, and where to go on. */
export function numberedLines(
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  budget: Budget,
): string {
  if (text === '') return 'The file is empty.';
  const lines = text.replace(/(?:\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
  if (offset > lines.length) return `The file has ${lines.length} lines. There is no line ${offset}.`;
  const bytes = (budget.mode === 'tokens' ? bytesPerToken : 1) * budget.limit - reserve;
  const shown: string[] = [];
  let used = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + limit)) {
    const numbered = `${offset + shown.length}\t${shortenedLine(line, longestLine)}\n`;
    used += byteLength(numbered);
    if (used > bytes && shown.length > 0) break;
    shown.push(numbered);
  }
  const next = offset + shown.length;
  const left = lines.length - next + 1;
  return `${shown.join('')}${left > 0 ? `(${left} more lines; continue with offset ${next})\n` : ''}`;
}

/** The beginning of a line that is too long, and how much is missing. */
export function shortenedLine(line: string, bytes: number): string {
  if (byteLength(line) <= bytes) return line;
  const head = firstBytes(line, bytes);
  return `${head}… (${line.length - head.length} more characters)`;
}

/** For the note at the end. */
const reserve = 100;
