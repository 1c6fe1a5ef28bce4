import { realPath } from '../../../disk/folders.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread-summary.ts';

/** Pages that are looked through before what was found is shown. */
const mostPages = 4;

/**
 * A page of threads. A list by folder would have the engine read every thread that its index does not know yet; this one
 * looks through the newest threads of all folders, which reads only those, and stops after some. There may be fewer
 * threads on the page than asked for, or none, and still a next one.
 */
export async function listOfFolder(
  list: (query: ThreadQuery) => Promise<ThreadPage | Outcome>,
  query: ThreadQuery,
): Promise<ThreadPage | Outcome> {
  const { cwd, ...ofAll } = query;
  if (cwd === undefined || query.text !== undefined || query.sort !== 'updated') return list(query);
  const folders = [cwd, realPath(cwd) ?? cwd];
  const found: ThreadSummary[] = [];
  let { cursor } = query;
  for (let pages = 0; pages < mostPages && found.length < query.limit; pages++) {
    const page: ThreadPage | Outcome = await list({ ...ofAll, ...(cursor === undefined ? {} : { cursor }) });
    if ('code' in page) return page;
    found.push(...page.threads.filter((thread) => thread.cwd !== undefined && folders.includes(thread.cwd)));
    cursor = page.next;
    if (cursor === undefined) break;
  }
  return { threads: found, ...(cursor === undefined ? {} : { next: cursor }) };
}
