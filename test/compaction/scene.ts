import type { CompactionPlan, CompactionSource } from '../../src/core/compaction/plan/compaction-plan.ts';
import type { Candidate } from '../../src/core/compaction/candidates/candidate.ts';
import { noWork, type WorkRecords } from '../../src/core/compaction/plan/work-records.ts';
import { userMessageItem } from '../../src/core/fragments/message-items.ts';
import { type HistoryEntry, entryMetadata, entryFromLine } from '../../src/core/history/entry.ts';
import { historyOf } from '../../src/core/history/history.ts';
import { toSentItems } from '../../src/core/history/sent-items.ts';
import { isMessage, type Item, messageText } from '../../src/protocol/item.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';

export const turn = 'turn-1' as TurnId;
export const readAll = 'capstan threads export T --format markdown';

export function planOf(budget: Partial<CompactionPlan['budget']> = {}): CompactionPlan {
  return {
    turnId: turn,
    trigger: 'auto',
    reason: 'context_limit',
    phase: 'pre_turn',
    strategy: 'structured',
    model: 'model-1',
    number: 7,
    readAll,
    budget: {
      request: 100_000,
      fixed: 1000,
      words: 6000,
      pictures: 6000,
      answer: 4000,
      records: 1000,
      before: 90_000,
      context: 0,
      most: 20_000,
      gain: 72_000,
      ...budget,
    },
    placement: 'next-turn',
  };
}

export function sourceOf(entries: readonly HistoryEntry[], work: WorkRecords = noWork): CompactionSource {
  const history = historyOf(entries);
  return { history, input: toSentItems(history), work };
}

const picture = 'data:image/png;base64,AAAA';

export interface SaidMore {
  readonly pictures?: number;
  /** The number of its turn. */
  readonly number?: number;
}

export function said(id: string, text: string, { pictures = 0, number }: SaidMore = {}): HistoryEntry {
  const images = Array.from({ length: pictures }, (_, i) => ({
    path: `/${id}-${i}.png`,
    dataUrl: `${picture}${id}${i}`,
  }));
  const item = userMessageItem(id, { text, images });
  return { item, origin: { family: 'user' }, turn, ...(number === undefined ? {} : { number }) };
}

export function answered(text: string): HistoryEntry {
  const item = { type: 'message', id: 'msg_answer', role: 'assistant', content: [{ type: 'output_text', text }] };
  return { item, origin: { family: 'model' }, turn };
}

export function worked(callId: string, output = 'done', command = `run ${callId}`): readonly HistoryEntry[] {
  return [
    {
      item: {
        type: 'function_call',
        id: `fc_${callId}`,
        name: 'shell',
        arguments: JSON.stringify({ cmd: command }),
        call_id: callId,
      },
      origin: { family: 'model' },
      turn,
    },
    {
      item: { type: 'function_call_output', id: `fco_${callId}`, call_id: callId, output },
      origin: { family: 'tool' },
      turn,
    },
  ];
}

export interface AnswerParts {
  readonly context?: string;
  readonly request?: string;
  readonly recent?: readonly string[];
  readonly summary?: string;
}

/** The answer of a model that keeps to the prompt. */
export function answerOf({
  context = 'Paths: /repo',
  request = '',
  recent = [],
  summary = 'Half done.\nRESUME_AT: the next test',
}: AnswerParts): string {
  return JSON.stringify({ intent_user_message: intentOf(context, request, recent), summary });
}

function intentOf(context: string, request: string, recent: readonly string[]): string {
  return [
    context,
    '<VERBATIM_REQUEST_START>',
    request,
    '<VERBATIM_REQUEST_END>',
    '<RECENT_USER_CONTEXT_START>',
    ...recent,
    '<RECENT_USER_CONTEXT_END>',
  ].join('\n');
}

/** The history that a candidate becomes, through the metadata of its line as from the disk. */
export function installed({ entries }: Candidate, generation = 0): readonly HistoryEntry[] {
  return entries.map((entry, index) => {
    const made = entry.kind === 'made';
    const item = made ? entry.item(`msg_${generation}${String(index).padStart(35, '0')}`) : entry.entry.item;
    const { kind: _kind, item: _item, ...known } = made ? entry : { ...entry.entry, kind: entry.kind };
    const metadata = entryMetadata({ turn, ...known });
    return entryFromLine(JSON.parse(JSON.stringify(item)) as Item, JSON.parse(JSON.stringify(metadata)) as JsonObject);
  });
}

export function textsOf(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.map(({ item }) => (isMessage(item) ? messageText(item) : item.type));
}
