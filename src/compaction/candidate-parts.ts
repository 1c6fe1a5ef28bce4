import { checkpointIntentFragment, type IntentRow, layOutIntent } from '../fragments/checkpoint-intent.ts';
import { checkpointRecordsFragment } from '../fragments/checkpoint-records.ts';
import {
  type CheckpointSummaryText,
  checkpointSummaryFragment,
  type EarlierSummary,
  layOutSummary,
} from '../fragments/checkpoint-summary.ts';
import { cutText } from '../fragments/cut-text.ts';
import { render } from '../fragments/define.ts';
import { contextMessage, partsMessage } from '../fragments/message.ts';
import { sentTokens } from '../fragments/truncate.ts';
import type { QuotedWords, SummaryPlace } from '../history/entry.ts';
import { itemTokens } from '../history/size.ts';
import { countPictures, type UserWords, usersWords } from '../history/users-words.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import { earlierSummary } from './earlier-summary.ts';
import { keepWords, type KeptWords, type WordsChoice, type WordsRow } from './kept-words.ts';
import { endsOfWork, findLastWork, type FoundWork, resumeAt, shortLine } from './last-work.ts';
import { cutNotice, cutSummary, isThin, ownText } from './model-text.ts';
import type { CompactionPlan } from './plan.ts';
import type { PartsRoom } from './shrinking.ts';
import type { CompactionSource } from './source.ts';
import type { WorkRecords } from './work-records.ts';

/** What a checkpoint is built from, beside what history holds. */
export interface CheckpointContent {
  readonly strategy: Exclude<Candidate['strategy'], 'remote'>;
  /** The messages that the model of this checkpoint chose as the request that defines the active task. */
  readonly chosen: readonly UserWords[];
  readonly written:
    | { readonly by: 'model'; readonly context: string; readonly summary: string }
    | { readonly by: 'code'; readonly why: Outcome };
}

/** Of what a model writes, the part that may be context for the task. */
const contextShare = 0.25;
/** Of what there is room for beside the records, the part that an earlier summary may take. */
const earlierShare = 0.6;

/** Looks things up in history once, and makes the candidate for any room. */
export function candidateMaker(
  plan: CompactionPlan,
  source: CompactionSource,
  content: CheckpointContent,
): (room: PartsRoom) => Candidate {
  const all = usersWords(source.history);
  const found = findLastWork(source);
  const earlier = earlierSummary(source.history);
  return (room) => {
    const words = wordsEntry(plan, all, content.chosen, room);
    const summary = summaryEntry(plan, source, { content, kept: keptIn(words.choice), found, earlier }, room);
    const entries = [...words.entries, ...recordsEntries(source.work, room.records), summary.entry];
    return {
      strategy: content.strategy,
      entries,
      message: summary.message,
      tokens: entriesTokens(entries),
      words: words.choice.counts,
      mended: summary.mended,
    };
  };
}

/** As long as the ids that new items get. */
const someId = `msg_${'0'.repeat(36)}`;

/** What entries weigh once they are installed. */
export function entriesTokens(entries: readonly CandidateEntry[]): number {
  return entries.reduce(
    (sum, entry) => sum + itemTokens(entry.kind === 'kept' ? entry.entry.item : entry.item(someId)),
    0,
  );
}

export interface WordsEntry {
  readonly entries: readonly CandidateEntry[];
  readonly choice: WordsChoice;
}

/** The user's messages as one list. */
export function wordsEntry(
  { model, readAll }: CompactionPlan,
  all: readonly UserWords[],
  chosen: readonly UserWords[],
  room: PartsRoom,
): WordsEntry {
  const isChosen = chosen.length > 0;
  const tasks = isChosen ? chosen : all.filter((row) => row.task);
  const choice = keepWords(all, { tasks, room });
  if (choice.rows.length === 0) return { entries: [], choice };
  const isTask = ({ words }: KeptWords): boolean =>
    tasks.some((task) => words === task || (words.text !== '' && words.text === task.text));
  const rows = choice.rows.map((row): IntentRow => {
    if ('leftOut' in row) return gapOf(row);
    return messageOf(row, isTask(row) ? (isChosen ? 'chosen' : 'before') : undefined);
  });
  const { parts, places } = layOutIntent({
    rows,
    ...(choice.rows.some((row) => 'leftOut' in row || row.cut) ? { readAll } : {}),
    ...(isChosen ? { chosenBy: model } : {}),
  });
  const quotes = keptIn(choice).map((row, index): QuotedWords => ({ ...quoteOf(row, isTask(row)), ...places[index]! }));
  const entry: CandidateEntry = {
    kind: 'made',
    item: (id) => partsMessage(id, checkpointIntentFragment.role, parts),
    origin: { family: 'context', kinds: [checkpointIntentFragment.id], cause: 'event' },
    words: quotes,
  };
  return { entries: [entry], choice };
}

function keptIn({ rows }: WordsChoice): readonly KeptWords[] {
  return rows.filter((row): row is KeptWords => !('leftOut' in row));
}

function gapOf({ leftOut, tokens }: Extract<WordsRow, { leftOut: unknown }>): IntentRow {
  const numbers = leftOut.flatMap(({ number }) => number ?? []);
  const span = numbers.length === 0 ? {} : { from: Math.min(...numbers), to: Math.max(...numbers) };
  return { kind: 'gap', count: leftOut.length, tokens, ...span };
}

function messageOf(kept: KeptWords, task: 'chosen' | 'before' | undefined): IntentRow {
  const { words, text, pictures, picturesLeftOut, alsoIn } = kept;
  return {
    kind: 'message',
    ...(words.number === undefined ? {} : { number: words.number }),
    text,
    ...(task === undefined ? {} : { task }),
    pictures,
    pictureCount: countPictures(pictures),
    picturesLeftOut,
    alsoIn,
  };
}

/** What is known about words, for the record of where they are quoted. */
function quoteOf(kept: KeptWords, isTask: boolean): Omit<QuotedWords, 'start' | 'end'> {
  const { id, turn, number } = kept.words;
  return {
    id,
    ...(turn === undefined ? {} : { turn }),
    ...(number === undefined ? {} : { number }),
    ...(isTask ? { task: true as const } : {}),
    ...(kept.cut ? { cut: true as const } : {}),
    ...(kept.picturesLeftOut === 0 ? {} : { picturesLeftOut: kept.picturesLeftOut }),
  };
}

/** The plan and the files, if there are any and there is room. */
export function recordsEntries({ plan, files }: WorkRecords, tokens: number): readonly CandidateEntry[] {
  if ((plan === undefined || plan.steps.length === 0) && files.length === 0) return [];
  if (tokens === 0) return [];
  const { text, role, kind } = render(checkpointRecordsFragment, {
    ...(plan === undefined ? {} : { plan: plan.steps, planIsOlder: plan.isOlder }),
    ...(plan?.number === undefined ? {} : { planNumber: plan.number }),
    files,
    tokens,
  });
  return [
    {
      kind: 'made',
      item: (id) => contextMessage(id, role, [text]),
      origin: { family: 'context', kinds: [kind], cause: 'event' },
    },
  ];
}

interface SummaryInput {
  readonly content: CheckpointContent;
  readonly kept: readonly KeptWords[];
  readonly found: FoundWork;
  readonly earlier: EarlierSummary | undefined;
}

interface SummaryEntry {
  readonly entry: CandidateEntry;
  readonly message: string;
  readonly mended: readonly string[];
}

function summaryEntry(
  plan: CompactionPlan,
  source: CompactionSource,
  input: SummaryInput,
  room: PartsRoom,
): SummaryEntry {
  const { payload, mended } = summaryText(plan, source, input, room);
  const { kind, role, text } = render(checkpointSummaryFragment, payload);
  const { summary, earlier } = layOutSummary(payload);
  const markers = checkpointSummaryFragment.markers![0].length;
  const shifted = (place: { readonly start: number; readonly end: number }) => ({
    start: place.start + markers,
    end: place.end + markers,
  });
  // The newest summary by a model is what a later checkpoint may carry on.
  const place: SummaryPlace | undefined =
    summary !== undefined
      ? { ...shifted(summary), model: plan.model, ...(plan.number === undefined ? {} : { number: plan.number }) }
      : earlier !== undefined
        ? { ...shifted(earlier), ...written(payload.earlier) }
        : undefined;
  const entry: CandidateEntry = {
    kind: 'made',
    item: (id) => contextMessage(id, role, [text]),
    origin: { family: 'context', kinds: [kind], cause: 'event' },
    ...(place === undefined ? {} : { summary: place }),
  };
  return { entry, message: text, mended };
}

function written(earlier: EarlierSummary | undefined): Pick<SummaryPlace, 'model' | 'number'> {
  const { model, number } = earlier ?? {};
  return { ...(model === undefined ? {} : { model }), ...(number === undefined ? {} : { number }) };
}

function summaryText(
  plan: CompactionPlan,
  { work }: CompactionSource,
  { content, kept, found, earlier }: SummaryInput,
  room: PartsRoom,
): { readonly payload: CheckpointSummaryText; readonly mended: readonly string[] } {
  const carried = carriedOn(earlier, room.answer);
  if (content.written.by === 'code') {
    const left = room.answer - sentTokens(carried?.text ?? '');
    const payload: CheckpointSummaryText = {
      by: 'code',
      why: shortLine(content.written.why.message, room.answer),
      ...(carried === undefined ? {} : { earlier: carried }),
      ...endsOfWork(found, left),
      resumeAt: resumeAt(work, room.answer),
    };
    return { payload, mended: [] };
  }
  const notes = ownText(content.written.context, kept);
  const noted = room.answer === 0 ? '' : cutText(notes, Math.floor(room.answer * contextShare));
  const told = ownText(content.written.summary, kept);
  const shown = cutSummary(told, Math.max(0, room.answer - sentTokens(noted)));
  const added = isThin(shown)
    ? { ...(carried === undefined ? {} : { earlier: carried }), ...endsOfWork(found, Math.floor(room.answer / 2)) }
    : { results: [] };
  const payload: CheckpointSummaryText = {
    by: 'model',
    model: plan.model,
    context: noted,
    summary: shown,
    ...added,
    ...(/^RESUME_AT:.*\S\s*$/m.test(lastLine(shown)) ? {} : { resumeAt: resumeAt(work, room.answer) }),
  };
  return { payload, mended: cutNotice([notes, told], [noted, shown]) };
}

function carriedOn(earlier: EarlierSummary | undefined, tokens: number): EarlierSummary | undefined {
  const most = Math.floor(tokens * earlierShare);
  return earlier === undefined || most === 0 ? undefined : { ...earlier, text: cutText(earlier.text, most) };
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1);
}
