import { formatCount, formatPercent, plural } from '../../../../engine/wording.ts';
import { requestParts, requestPartTokens, requestSummary } from '../../../views/context/request-page.ts';
import type { RequestPart } from '../../../views/context/request-page.ts';
import type { StoryRequest, ThreadStory } from '../../../views/context/thread-story.ts';
import {
  replayRequests,
  replayResultText,
  replaySummaryText,
  takenBackWords,
} from '../../../views/threads/replay-report.ts';
import type { ReplayedRequest } from '../../../views/threads/replay-report.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { badStyle, dimStyle, goodStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { type BrowseList, figureRow, listPage, sentenceRows, browsableText } from '../browse-view.ts';
import type { TuiSession } from '../../session/session.ts';
import { browseThread, parseTurnNumber } from './inspected-thread.ts';

export function showReplay(host: TuiSession, rest: string): Promise<void> {
  return browseThread(host, 'Replay', async ({ story, lines, rest: breathe }) => {
    const asked = parseTurnNumber(rest, story);
    if (asked !== undefined && typeof asked !== 'number') return void host.noticeProblem(asked);
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
    return replayPage(story, { turn, replayed, more });
  });
}

interface Replayed {
  readonly shown: ReplayedRequest;
  /** Its bytes. Undefined if they cannot be rebuilt. */
  body(): string | undefined;
}

export interface ReplayedTurn {
  readonly turn: number;
  readonly replayed: readonly Replayed[];
  /** Note about requests that no longer belong to a turn. */
  readonly more?: string;
}

/** The requests of one turn: what the model saw, and whether the rebuilt bytes match the sent ones. */
export function replayPage(story: ThreadStory, { turn, replayed, more }: ReplayedTurn): BrowseList {
  const said = replaySummaryText(replayed.map(({ shown }) => shown));
  return listPage(`Requests of turn ${turn}`, replayed, {
    head: (look) => sentenceRows(more === undefined ? [said] : [said, more], look),
    row({ shown }, look) {
      const { number, step, purpose, items, bytes } = shown;
      const what = purpose ?? (step === undefined ? '' : `step ${step + 1}`);
      const size = bytes === undefined ? '' : `${formatCount(bytes)} bytes`;
      const words = [plain(`request ${number}  ${what}  `), verdict(shown)];
      return figureRow(words, look, [plural(items, 'item'), 10], [size, 16]);
    },
    open(one) {
      const request = story.requests.find(({ number }) => number === one.shown.number);
      return request && requestPage(story, request, one);
    },
    empty: `Turn ${turn} made no request.`,
  });
}

function verdict(shown: ReplayedRequest): Row[number] {
  if (shown.result === 'same') return styled('as sent', goodStyle);
  const isBad = shown.result === 'different' || shown.result === 'tools-missing';
  return styled(cleanLine(replayResultText(shown)), isBad ? badStyle : dimStyle);
}

/** The request part by part as the model got it; the last row has its bytes. */
function requestPage(story: ThreadStory, request: StoryRequest, { shown, body }: Replayed): BrowseList {
  const parts = requestParts(story, request);
  const hash = shown.sha256 === undefined ? [] : [`SHA-256 of what was sent: ${shown.sha256}`];
  const same =
    shown.result === 'same' ? 'Rebuilt from the file: the same bytes.' : `Rebuilt: ${replayResultText(shown)}.`;
  const said = [...requestSummary(request).split('\n'), same, ...hash];
  const width = Math.max(0, ...parts.map(({ tokens }) => formatCount(tokens).length));
  return listPage(`request ${shown.number}`, [...parts, undefined], {
    head: (look) => sentenceRows(said, look),
    row(part, look) {
      if (part === undefined) return [plain('the body, byte for byte')];
      return figureRow([plain(partLabel(part))], look, [formatCount(part.tokens), width], [cachedColumn(part), 11]);
    },
    open(part) {
      const nothing = 'The bytes cannot be made from the file.';
      if (part === undefined) return browsableText({ title: 'body', text: () => body() ?? nothing });
      const about = [...part.origin.map((line) => line.trim()), requestPartTokens(part)];
      return browsableText({ title: partLabel(part), about: [about.join(' · ')], text: part.text });
    },
  });
}

function cachedColumn({ tokens, cached = 0 }: RequestPart): string {
  if (cached === 0) return '';
  return cached === tokens ? 'cached' : `${formatPercent(cached, tokens)} cached`;
}

const partLabel = ({ origin }: RequestPart): string => cleanLine(origin.map((line) => line.trim()).join(': '));
