import type { ContentsFound, NamesFound } from '../../ports/search-files.ts';
import { type Budget, byteLength, bytesPerToken } from '../text/truncate.ts';
import { shortenedLine } from './numbered-lines.ts';

/** Of one line that was found, in bytes. */
const longestLine = 400;
/** For the notes at the end. */
const reserve = 300;

const whyEnded: Readonly<Record<NonNullable<ContentsFound['ended']>, string>> = {
  limit: 'There are more matches. Search for something rarer, in one folder, or with a glob.',
  time: 'The search took too long and was ended. Search in one folder, or with a glob.',
  entries: 'There are too many files: not all folders were searched. Search in one folder.',
};

/** Lines as `path:number: text`, as many as fit. */
export function foundLines({ lines, files, skipped, ended }: ContentsFound, budget: Budget): string {
  const shown = fitting(
    lines.map(({ path, line, text }) => `${path}:${line}: ${shortenedLine(text.trim(), longestLine)}\n`),
    budget,
  );
  const left = lines.length - shown.length;
  const notes = [
    ...(lines.length === 0 ? [`No matches in ${files} files.`] : []),
    ...(left === 0 ? [] : [`${left} more matches do not fit here. Search for something rarer.`]),
    ...(skipped === 0 ? [] : [`${skipped} large files were not searched.`]),
    ...(ended === undefined ? [] : [whyEnded[ended]]),
  ];
  return [...shown, ...notes.map((note) => `(${note})\n`)].join('');
}

/** One path in each line, folders with a slash at their end. */
export function foundNames({ files, total, isPartial }: NamesFound, budget: Budget): string {
  const shown = fitting(
    files.map(({ path, kind }) => `${path}${kind === 'folder' ? '/' : ''}\n`),
    budget,
  );
  const notes = [
    ...(total === 0 ? ['No matches.'] : []),
    ...(total > shown.length ? [`${total - shown.length} more paths fit the query.`] : []),
    ...(isPartial ? [whyEnded.entries] : []),
  ];
  return [...shown, ...notes.map((note) => `(${note})\n`)].join('');
}

function fitting(lines: readonly string[], { mode, limit }: Budget): readonly string[] {
  let left = (mode === 'tokens' ? bytesPerToken : 1) * limit - reserve;
  const end = lines.findIndex((line) => (left -= byteLength(line)) < 0);
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}
