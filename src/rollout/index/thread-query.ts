import { realPath } from '../../disk/folders.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isStartedByThread } from '../../protocol/thread-source.ts';
import type { ThreadQuery, ThreadSummary } from '../../protocol/thread-summary.ts';

/** Whether a list shows a thread. The archive and the page are not looked at here. */
export function wantedBy({ cwd, text, textIn, source }: ThreadQuery): (thread: ThreadSummary) => boolean {
  const folders = cwd === undefined ? [] : [cwd, realPath(cwd) ?? cwd];
  const part = text?.toLowerCase();
  const placesOf = ({ name, preview, gitBranch, cwd: folder, id }: ThreadSummary) =>
    textIn === 'all' ? [name, preview, gitBranch, folder, id] : [name, preview];
  return (thread) =>
    (cwd === undefined || (thread.cwd !== undefined && folders.includes(thread.cwd))) &&
    (part === undefined || placesOf(thread).some((words) => words?.toLowerCase().includes(part))) &&
    (source === 'all' || (source === undefined ? !isStartedByThread(thread) : thread.source === source));
}

/** The last thread of a page. Threads of one moment are ordered by their ids, so the two name a place in any list. */
export interface PageEnd {
  readonly time: number;
  readonly id: ThreadId;
}

export function formatCursor({ time, id }: PageEnd): string {
  return `${time}_${id}`;
}

/** Where a page begins; undefined for the first one. */
export function placeIn({ cursor }: ThreadQuery): PageEnd | Outcome<'cursor-unknown'> | undefined {
  if (cursor === undefined) return undefined;
  const [, time, uuid = ''] = /^(\d{1,15})_(.+)$/.exec(cursor) ?? [];
  const id = parseThreadId(uuid);
  if (time !== undefined && id !== undefined) return { time: Number(time), id };
  const message = `The cursor ${JSON.stringify(cursor)} is not valid.`;
  return { code: 'cursor-unknown', message, next: 'Use the cursor that the previous page returned.' };
}

export const nothingToSearch: Outcome<'search-empty'> = {
  code: 'search-empty',
  message: 'There is nothing to search for.',
  next: 'Give one or more words, or an exact phrase in quotes.',
};
