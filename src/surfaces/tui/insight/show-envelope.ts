import { fullText } from '../../../protocol/outcome.ts';
import type { TuiSession } from '../app/session.ts';
import { browseThread } from './browse-thread.ts';
import { differencePage, envelopePage } from './envelope-pages.ts';
import { turnAsked } from './turn-asked.ts';

/** `/envelope`: the contract of the newest turn. `/envelope 3`: what differs from that of turn 3. */
export function showEnvelope(session: TuiSession, rest: string): Promise<void> {
  const { id } = session.thread;
  return browseThread(session, 'Envelope', ({ story }) => {
    const turn = turnAsked(rest, story);
    if (turn !== undefined && typeof turn !== 'number') return void session.notice(fullText(turn), 'error');
    const page = turn === undefined ? envelopePage(id, story) : differencePage(id, story, turn);
    if ('code' in page) return void session.notice(fullText(page), 'error');
    return page;
  });
}
