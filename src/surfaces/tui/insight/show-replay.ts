import { fullText } from '../../../protocol/outcome.ts';
import { replayRequests } from '../../replay/replay-requests.ts';
import type { InsightHost } from './insight-host.ts';
import { browseThread } from './browse-thread.ts';
import { type Replayed, replayPage } from './replay-pages.ts';
import { takenBackWords } from '../../replay/taken-back-words.ts';
import { defined } from '../../../protocol/defined.ts';
import { turnAsked } from './turn-asked.ts';

/** `/replay [TURN]`: makes the requests of a turn again from the file, and compares them with what was sent. */
export function showReplay(host: InsightHost, rest: string): Promise<void> {
  return browseThread(host, 'Replay', async ({ story, lines, rest: breathe }) => {
    const asked = turnAsked(rest, story);
    if (asked !== undefined && typeof asked !== 'number') return void host.notice(fullText(asked), 'error');
    const turn = asked ?? story.requests.at(-1)?.turn ?? story.turns.length;
    const replayed: Replayed[] = [];
    const slowly = async function* () {
      for (const line of lines) {
        yield line;
        await breathe();
      }
    };
    for await (const { request, shown } of replayRequests(slowly(), { turn })) {
      const encoded = request.kind === 'rebuilt' ? request.encoded : undefined;
      replayed.push({ shown, body: () => encoded && Buffer.concat(encoded.body).toString('utf8') });
    }
    const more = takenBackWords(host.thread.id, await host.parts.engine.stored.takenBack(host.thread.id));
    return replayPage(story, { turn, replayed, ...defined({ more }) });
  });
}
