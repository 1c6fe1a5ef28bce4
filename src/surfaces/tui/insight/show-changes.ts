import type { InsightHost } from './insight-host.ts';
import { browseThread } from './browse-thread.ts';
import { changesBrowse } from './changes-pages.ts';

/** `/changes`: what Capstan told the model in each turn, and why. */
export function showChanges(host: InsightHost): Promise<void> {
  return browseThread(host, 'What each turn sent', ({ story }) => changesBrowse(story));
}
