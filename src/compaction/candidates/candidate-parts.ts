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
import { cutText, type TextPlace } from '../../fragments/text/cut-text.ts';
import { render } from '../../fragments/text/define.ts';
import { contextMessage, partsMessage } from '../../fragments/message.ts';
import { sentTokens } from '../../fragments/text/truncate.ts';
import type { Entry, QuotedWords, SummaryPlace } from '../../history/entry.ts';
import { itemTokens } from '../../history/size.ts';
import { countPictures, heardWords, type UserWords } from '../../history/users-words.ts';
import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import { carriedOn, earlierSummaries } from './earlier-summary.ts';
import { sameWords } from './distinct-words.ts';
import { keepWords, type KeptWords, type WordsChoice } from './kept-words.ts';
import { endsOfWork, findLastWork, type FoundWork, resumeAt, shortLine } from './last-work.ts';
import { cutNotice, cutSummary, isThin, ownText, tokensToLook } from './model-text.ts';
import type { CompactionBudget, CompactionPlan, CompactionSource } from '../plan/plan.ts';
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

/** Looks things up in history once, and takes the first budget whose candidate fits. */
export function makeCandidate(plan: CompactionPlan, source: CompactionSource, content: CheckpointContent): Candidate {
  const all = heardWords(source.history, source);
  const found = findLastWork(source);
  const earlier = earlierSummaries(source.history);
  return shrinkToFit(plan.budget, (budget) => {
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
  });
}

/** The checkpoint when no model gave one. Code names no active task of its own. It can always be made. */
export function mechanicalCandidate(plan: CompactionPlan, source: CompactionSource, why: Outcome): Candidate {
  return makeCandidate(plan, source, { strategy: 'mechanical', chosen: [], written: { by: 'code', why } });
}

/** The user's messages and the records, which every checkpoint holds. By hand, no answer of a model makes them smaller. */
export function bareCandidate(plan: CompactionPlan, source: CompactionSource): Pick<Candidate, 'tokens'> {
  const words = wordsEntry(plan, heardWords(source.history, source), { chosen: [] }, plan.budget);
  return { tokens: entriesTokens([...words.entries, ...recordsEntries(source.work, plan.budget.records)]) };
}

/** What the parts of a checkpoint may weigh, in tokens. */
type PartsBudget = Pick<CompactionBudget, 'words' | 'pictures' | 'answer' | 'records'>;

const shares = [1, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0] as const;

/** The first candidate that fits, made with smaller and smaller budgets. If nothing fits, the smallest. */
export function shrinkToFit(budget: CompactionBudget, make: (budget: PartsBudget) => Candidate): Candidate {
  let candidate: Candidate | undefined;
  for (const share of shares) {
    const part = (tokens: number): number => Math.floor(Math.max(0, tokens) * share);
    const { words, pictures, answer, records } = budget;
    candidate = make({ words: part(words), pictures: part(pictures), answer: part(answer), records: part(records) });
    if (candidate.tokens <= budget.most) return candidate;
  }
  return candidate!;
}

/** As long as the ids that new items get. */
const someId = `msg_${'0'.repeat(36)}`;

/** What entries weigh once they are installed. */
export function entriesTokens(entries: readonly CandidateEntry[]): number {
  const items = entries.map((entry) => (entry.kind === 'kept' ? entry.entry.item : entry.item(someId)));
  return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

/** The messages of the user and of the user's setup as one list. */
export function wordsEntry(
  { model, readAll }: CompactionPlan,
  all: readonly UserWords[],
  { chosen, quote }: Pick<CheckpointContent, 'chosen' | 'quote'>,
  budget: PartsBudget,
): { readonly entries: readonly CandidateEntry[]; readonly choice: WordsChoice } {
  const isChosen = chosen.length > 0;
  const tasks = isChosen ? chosen : all.filter((row) => row.task);
  const choice = keepWords(all, { tasks, isNamed: isChosen, ...defined({ quote }), budget });
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
  const item = (id: string): Item => partsMessage(id, checkpointIntentFragment.role, parts);
  return { entries: [madeEntry(checkpointIntentFragment.id, item, { words: quotes })], choice };
}

function madeEntry(
  kind: string,
  item: (id: string) => Item,
  known: Pick<Entry, 'words' | 'summary'> = {},
): CandidateEntry {
  return { kind: 'made', item, origin: { family: 'context', kinds: [kind], cause: 'event' }, ...known };
}

function keptIn({ rows }: WordsChoice): readonly KeptWords[] {
  return rows.filter((row): row is KeptWords => !('leftOut' in row));
}

function messageOf(kept: KeptWords, task: 'chosen' | 'before' | undefined): IntentRow {
  const { words, text, pictures, picturesLeftOut, alsoIn } = kept;
  return {
    kind: 'message',
    ...defined({ number: words.number, by: words.by, author: words.author, endedEarly: words.endedEarly, task }),
    text,
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
    const { id, turn, number, by, author, endedEarly } = row.words;
    const before = rows[index - 1];
    const known = defined({
      turn,
      number,
      by,
      author,
      endedEarly,
      task: isTask(row) ? (true as const) : undefined,
      cut: row.cut ? (true as const) : undefined,
      gaps: row.cut ? row.gaps : undefined,
      bytesPerToken: row.gaps.length > 0 ? row.bytesPerToken : undefined,
      request: row.request,
      picturesLeftOut: row.picturesLeftOut || undefined,
      picturesLeftOutTokens: row.picturesLeftOutTokens || undefined,
      alsoIn: row.alsoIn.length === 0 ? undefined : row.alsoIn,
      leftOutBefore: before !== undefined && 'leftOut' in before ? before.leftOut : undefined,
    });
    return [{ id, ...known }];
  });
}

/** The plan and the files, if there are any and there is space. */
export function recordsEntries(
  { plan, files: changed, putBack = [] }: WorkRecords,
  tokens: number,
): readonly CandidateEntry[] {
  const back = new Set(putBack.map(({ path }) => path));
  const files = changed.filter(({ path, movePath }) => !back.has(movePath ?? path));
  if ((plan === undefined || plan.steps.length === 0) && files.length + putBack.length === 0) return [];
  if (tokens === 0) return [];
  const { text, role, kind } = render(checkpointRecordsFragment, {
    ...defined({
      plan: plan?.steps,
      planIsOlderThan: plan?.isOlder === true ? (plan.olderThan ?? ('user' as const)) : undefined,
      planNumber: plan?.number,
    }),
    files,
    putBack,
    tokens,
  });
  return [madeEntry(kind, (id) => contextMessage(id, role, [text]))];
}

interface SummaryInput {
  readonly content: CheckpointContent;
  readonly kept: readonly KeptWords[];
  readonly found: FoundWork;
  readonly earlier: readonly EarlierSummary[];
}

function summaryEntry(
  plan: CompactionPlan,
  source: CompactionSource,
  input: SummaryInput,
  budget: PartsBudget,
): { readonly entry: CandidateEntry; readonly message: string; readonly mended: readonly string[] } {
  const { payload, mended } = summaryText(plan, source, input, budget);
  const { kind, role, text } = render(checkpointSummaryFragment, payload);
  const { summary, earlier } = layOutSummary(payload);
  const shift = checkpointSummaryFragment.markers![0].length;
  const placed = (
    { start, end }: TextPlace,
    { model, number }: Pick<SummaryPlace, 'model' | 'number'>,
  ): SummaryPlace => ({ start: start + shift, end: end + shift, ...defined({ model, number }) });
  // What a later checkpoint may carry on: the newest summary by a model, and those that stand beside it.
  const places = [
    ...earlier.map((place, index) => placed(place, payload.earlier![index]!)),
    ...(summary === undefined ? [] : [placed(summary, plan)]),
  ];
  const newest = places.pop();
  const place = newest === undefined || places.length === 0 ? newest : { ...newest, earlier: places };
  const entry = madeEntry(kind, (id) => contextMessage(id, role, [text]), defined({ summary: place }));
  return { entry, message: text, mended };
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
    ...(/^RESUME_AT:.*\S\s*$/m.test(shown.trimEnd().split('\n').at(-1)!)
      ? {}
      : { resumeAt: resumeAt(work, budget.answer) }),
  };
  return { payload, mended: cutNotice([context, summary, notes, told], [...looked, noted, shown]) };
}
