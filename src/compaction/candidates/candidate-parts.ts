import {
  checkpointIntentFragment,
  type IntentRow,
  layOutIntent,
} from '../../fragments/checkpoint/checkpoint-intent.ts';
import { checkpointRecordsFragment } from '../../fragments/checkpoint/checkpoint-records.ts';
import {
  type CheckpointSummaryText,
  checkpointSummaryFragment,
  type EarlierSummary,
  layOutSummary,
} from '../../fragments/checkpoint/checkpoint-summary.ts';
import { cutText } from '../../fragments/text/cut-text.ts';
import { render } from '../../fragments/text/define.ts';
import { contextMessage, partsMessage } from '../../fragments/message.ts';
import { sentTokens } from '../../fragments/text/truncate.ts';
import type { QuotedWords, SummaryPlace } from '../../history/entry.ts';
import { itemTokens } from '../../history/size.ts';
import { countPictures, heardWords, type UserWords } from '../../history/users-words.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import { carriedOn, earlierSummaries } from './earlier-summary.ts';
import { sameWords } from './distinct-words.ts';
import { keepWords, type KeptWords, type WordsChoice } from './kept-words.ts';
import { endsOfWork, findLastWork, type FoundWork, resumeAt, shortLine } from './last-work.ts';
import { cutNotice, cutSummary, isThin, ownText, tokensToLook } from './model-text.ts';
import type { CompactionPlan } from '../plan/plan.ts';
import type { PartsBudget } from './shrinking.ts';
import type { CompactionSource } from '../plan/source.ts';
import type { WorkRecords } from '../plan/work-records.ts';

/** What a checkpoint is built from, beside what history holds. */
export interface CheckpointContent {
  readonly strategy: Exclude<Candidate['strategy'], 'remote'>;
  /** The messages that the model of this checkpoint chose as the request that defines the active task. */
  readonly chosen: readonly UserWords[];
  /** How it quoted them. */
  readonly quote?: string;
  readonly written:
    | { readonly by: 'model'; readonly context: string; readonly summary: string }
    | { readonly by: 'code'; readonly why: Outcome };
}

/** Of what a model writes, the part that may be context for the task. */
const contextShare = 0.25;

/** Looks things up in history once, and makes the candidate for any budget. */
export function candidateMaker(
  plan: CompactionPlan,
  source: CompactionSource,
  content: CheckpointContent,
): (budget: PartsBudget) => Candidate {
  const all = heardWords(source.history);
  const found = findLastWork(source);
  const earlier = earlierSummaries(source.history);
  return (budget) => {
    const words = wordsEntry(plan, all, content, budget);
    const summary = summaryEntry(plan, source, { content, kept: keptIn(words.choice), found, earlier }, budget);
    const entries = [...words.entries, ...recordsEntries(source.work, budget.records), summary.entry];
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

/** The messages of the user and of the user's setup as one list. */
export function wordsEntry(
  { model, readAll }: CompactionPlan,
  all: readonly UserWords[],
  { chosen, quote }: Pick<CheckpointContent, 'chosen' | 'quote'>,
  budget: PartsBudget,
): WordsEntry {
  const isChosen = chosen.length > 0;
  const tasks = isChosen ? chosen : all.filter((row) => row.task);
  const choice = keepWords(all, { tasks, ...defined({ quote }), budget });
  if (choice.rows.length === 0) return { entries: [], choice };
  const isTask = ({ words }: KeptWords): boolean => tasks.some((task) => sameWords(words, task));
  const rows = choice.rows.map((row): IntentRow => {
    if ('leftOut' in row) return { kind: 'gap', ...row.leftOut };
    return messageOf(row, isTask(row) ? (isChosen ? 'chosen' : 'before') : undefined);
  });
  const { parts, places } = layOutIntent({
    rows,
    ...(choice.rows.some((row) => 'leftOut' in row || row.cut) ? { readAll } : {}),
    ...(isChosen ? { chosenBy: model } : {}),
  });
  const quotes = quotesOf(choice, isTask).map((quote, index): QuotedWords => ({ ...quote, ...places[index]! }));
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

function messageOf(kept: KeptWords, task: 'chosen' | 'before' | undefined): IntentRow {
  const { words, text, pictures, picturesLeftOut, alsoIn } = kept;
  return {
    kind: 'message',
    ...defined({ number: words.number, by: words.by, endedEarly: words.endedEarly }),
    text,
    ...defined({ task }),
    pictures,
    pictureCount: countPictures(pictures),
    picturesLeftOut,
    alsoIn,
  };
}

/** What a later checkpoint must know about each message that is kept, and about what is left out before it. */
function quotesOf(
  { rows }: WordsChoice,
  isTask: (kept: KeptWords) => boolean,
): readonly Omit<QuotedWords, 'start' | 'end'>[] {
  return rows.flatMap((row, index) => {
    if ('leftOut' in row) return [];
    const before = rows[index - 1];
    const gap = before !== undefined && 'leftOut' in before ? { leftOutBefore: before.leftOut } : {};
    return [{ ...quoteOf(row, isTask(row)), ...gap }];
  });
}

/** What is known about words, for the record of where they are quoted. */
function quoteOf(kept: KeptWords, isTask: boolean): Omit<QuotedWords, 'start' | 'end'> {
  const { id, turn, number, by, endedEarly } = kept.words;
  return {
    id,
    ...defined({ turn, number, by, endedEarly }),
    ...(isTask ? { task: true as const } : {}),
    ...(kept.cut ? { cut: true as const, gaps: kept.gaps } : {}),
    ...defined({ request: kept.request }),
    ...(kept.picturesLeftOut === 0 ? {} : { picturesLeftOut: kept.picturesLeftOut }),
    ...(kept.picturesLeftOutTokens === 0 ? {} : { picturesLeftOutTokens: kept.picturesLeftOutTokens }),
    ...(kept.alsoIn.length === 0 ? {} : { alsoIn: kept.alsoIn }),
  };
}

/** The plan and the files, if there are any and there is space. */
export function recordsEntries({ plan, files }: WorkRecords, tokens: number): readonly CandidateEntry[] {
  if ((plan === undefined || plan.steps.length === 0) && files.length === 0) return [];
  if (tokens === 0) return [];
  const { text, role, kind } = render(checkpointRecordsFragment, {
    ...(plan === undefined ? {} : { plan: plan.steps }),
    ...(plan?.isOlder ? { planIsOlderThan: plan.olderThan ?? ('user' as const) } : {}),
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
  readonly earlier: readonly EarlierSummary[];
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
  budget: PartsBudget,
): SummaryEntry {
  const { payload, mended } = summaryText(plan, source, input, budget);
  const { kind, role, text } = render(checkpointSummaryFragment, payload);
  const { summary, earlier } = layOutSummary(payload);
  const markers = checkpointSummaryFragment.markers![0].length;
  const shifted = (place: { readonly start: number; readonly end: number }) => ({
    start: place.start + markers,
    end: place.end + markers,
  });
  // What a later checkpoint may carry on: the newest summary by a model, and those that stand beside it.
  const carried = earlier.map((one, index): SummaryPlace => ({
    ...shifted(one),
    ...written(payload.earlier?.[index]),
  }));
  const own: readonly SummaryPlace[] =
    summary === undefined ? [] : [{ ...shifted(summary), model: plan.model, ...defined({ number: plan.number }) }];
  const newest = [...carried, ...own].at(-1);
  const before = [...carried, ...own].slice(0, -1);
  const place: SummaryPlace | undefined =
    newest === undefined || before.length === 0 ? newest : { ...newest, earlier: before };
  const entry: CandidateEntry = {
    kind: 'made',
    item: (id) => contextMessage(id, role, [text]),
    origin: { family: 'context', kinds: [kind], cause: 'event' },
    ...defined({ summary: place }),
  };
  return { entry, message: text, mended };
}

function written(earlier: EarlierSummary | undefined): Pick<SummaryPlace, 'model' | 'number'> {
  const { model, number } = earlier ?? {};
  return { ...defined({ model, number }) };
}

function summaryText(
  plan: CompactionPlan,
  { work }: CompactionSource,
  { content, kept, found, earlier }: SummaryInput,
  budget: PartsBudget,
): { readonly payload: CheckpointSummaryText; readonly mended: readonly string[] } {
  if (content.written.by === 'code') {
    const carried = carriedOn(earlier, budget.answer);
    const left = budget.answer - carried.reduce((sum, { text }) => sum + sentTokens(text), 0);
    const payload: CheckpointSummaryText = {
      by: 'code',
      why: shortLine(content.written.why.message, budget.answer),
      earlier: carried,
      ...endsOfWork(found, left),
      resumeAt: resumeAt(work, budget.answer),
    };
    return { payload, mended: [] };
  }
  const { context, summary } = content.written;
  const looked = [
    cutText(context, tokensToLook(budget.answer)),
    cutSummary(summary, tokensToLook(budget.answer)),
  ] as const;
  const notes = ownText(looked[0], kept);
  const noted = budget.answer === 0 ? '' : cutText(notes, Math.floor(budget.answer * contextShare));
  const told = ownText(looked[1], kept);
  const shown = cutSummary(told, Math.max(0, budget.answer - sentTokens(noted)));
  const added = isThin(shown)
    ? { earlier: carriedOn(earlier, budget.answer, shown), ...endsOfWork(found, Math.floor(budget.answer / 2)) }
    : { results: [] };
  const payload: CheckpointSummaryText = {
    by: 'model',
    model: plan.model,
    context: noted,
    summary: shown,
    ...added,
    ...(/^RESUME_AT:.*\S\s*$/m.test(lastLine(shown)) ? {} : { resumeAt: resumeAt(work, budget.answer) }),
  };
  return { payload, mended: cutNotice([context, summary, notes, told], [...looked, noted, shown]) };
}

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1);
}
