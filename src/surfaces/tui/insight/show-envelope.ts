import { fullText } from '../../../protocol/outcome.ts';
import type { InsightHost } from './insight-host.ts';
import { browseThread } from './browse-thread.ts';
import { differencePage, envelopeBrowse } from './envelope-pages.ts';
import { turnAsked } from './turn-asked.ts';

/** `/envelope`: the contract of the newest turn. `/envelope 3`: what differs from that of turn 3. */
export function showEnvelope(host: InsightHost, rest: string): Promise<void> {
  const { id } = host.thread;
  return browseThread(host, 'Envelope', ({ story }) => {
    const turn = turnAsked(rest, story);
    if (turn !== undefined && typeof turn !== 'number') return void host.notice(fullText(turn), 'error');
    const page = turn === undefined ? envelopeBrowse(id, story) : differencePage(id, story, turn);
    if ('code' in page) return void host.notice(fullText(page), 'error');
    return page;
  });
}
