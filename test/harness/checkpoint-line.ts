import { type HistoryEntry, entryMetadata, type EntryOrigin } from '../../src/core/history/entry.ts';
import { historyEntries } from '../../src/core/history/history.ts';
import type { CheckpointReport } from '../../src/protocol/thread-event.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type LineDraft, lineType } from '../../src/protocol/line.ts';
import { carriedState } from '../../src/core/state/checkpoints/compacted-line.ts';
import type { ThreadState } from '../../src/core/state/thread-state.ts';

export const someReport: CheckpointReport = {
  id: 'checkpoint-1',
  number: 1,
  trigger: 'auto',
  reason: 'context_limit',
  phase: 'mid_turn',
  strategy: 'structured',
  model: 'gpt-5.5',
  tokensBefore: 61_200,
  tokensAfter: 9400,
  words: { kept: 12, cut: 0, dropped: 0 },
  folded: 30,
  requests: 2,
  usage: { input: 60_000, cachedInput: 54_000, cacheWriteInput: 0, output: 900, reasoningOutput: 0, total: 60_900 },
  cachedShare: 0.9,
  mended: ['A message was paraphrased and has been put in as it was.'],
};

export interface WrittenCheckpoint {
  /** The entries of history that stay as they are. */
  readonly keeps: (entry: HistoryEntry) => boolean;
  /** Messages of the user, by text, that the first made message quotes. */
  readonly quotes?: readonly string[];
  readonly report?: CheckpointReport;
}

/** The line of a checkpoint: a message that quotes the user, what stays, and a summary. */
export function checkpointLine(state: ThreadState, { keeps, quotes = [], report }: WrittenCheckpoint): LineDraft {
  const all = historyEntries(state.history);
  const made: EntryOrigin = { family: 'context', kinds: ['foreign'] };
  const head = 'What was asked:\n';
  let end = head.length;
  const words = quotes.map((text) => {
    const entry = all.find(({ item }) => JSON.stringify(item).includes(JSON.stringify(text)))!;
    const start = end;
    end += text.length + 1;
    return { id: String(entry.item['id']), start, end: end - 1 };
  });
  const message = (id: string, text: string) => ({
    type: 'message',
    id,
    role: 'user',
    content: [{ type: 'input_text', text }],
  });
  const turn = (state.openTurn?.id ?? '') as TurnId;
  const rows = [
    {
      item: message('msg_intent', `${head}${quotes.join('\n')}`),
      metadata: entryMetadata({ origin: made, turn, words }),
    },
    ...all
      .filter(keeps)
      .map(({ item, origin, turn: own }) => ({ item, metadata: entryMetadata({ origin, turn: own ?? turn }) })),
    { item: message('msg_summary', 'RESUME_AT: the tests'), metadata: entryMetadata({ origin: made, turn }) },
  ];
  return {
    type: lineType.compacted,
    payload: {
      message: 'RESUME_AT: the tests',
      replacement_history: rows.map(({ item }) => item),
      replacement_history_metadata: rows.map(({ metadata }) => metadata),
      capstan: {
        ...carriedState(state),
        ...(report === undefined ? {} : { checkpoint: report as unknown as JsonObject }),
      },
    },
  };
}
