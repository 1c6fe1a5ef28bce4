import type { TuiSession } from '../app/session.ts';
import { browseThread } from './browse-thread.ts';
import { changesPage } from './changes-pages.ts';

/** `/changes`: what Capstan told the model in each turn, and why. */
export function showChanges(session: TuiSession): Promise<void> {
  return browseThread(session, 'What each turn sent', ({ story }) => changesPage(story));
}
