import { defined } from '../../../base/objects.ts';
import { isMessage, type Item, messageText } from '../../../protocol/item.ts';
import { objectsAt, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';
import { checkpointIntentFragment, type IntentRow, layOutMessages } from '../../fragments/checkpoint-messages.ts';
import {
  checkpointRecordsFragment,
  checkpointSummaryFragment,
  layOutSummary,
} from '../../fragments/checkpoint-work.ts';
import type { CheckpointSummaryText, EarlierSummary } from '../../fragments/checkpoint-work.ts';
import { contextMessageItem, messageItemOfParts } from '../../fragments/message-items.ts';
import { cutText, type TextRange } from '../../fragments/text/cut-and-fence-text.ts';
import { renderFragment } from '../../fragments/text/define-fragment.ts';
import { withoutLineBreaks } from '../../fragments/text/escape-markup.ts';
import { firstBytes, sentTokens } from '../../fragments/text/truncate.ts';
import { type HistoryEntry, isForeignSummary, type QuotedMessage, type SummaryRange } from '../../history/entry.ts';
import { historyEntries as entriesOf, type History, historyEntries } from '../../history/history.ts';
import { isCheckpointItem, isOpaque } from '../../history/sent-items.ts';
import { itemTokens } from '../../history/token-counts.ts';
import { countPictures, messagesOfUserAndSetup, type PreservedMessage } from '../../history/user-words.ts';
import { escapeFragmentMarkers } from '../../world/escape-fragment-markers.ts';
import type { CompactionBudget, CompactionPlan, CompactionSource } from '../plan/compaction-plan.ts';
import type { WorkRecords } from '../plan/work-records.ts';
import { type Candidate, type CandidateEntry, type FaultyAnswer, faultyAnswer } from './candidate.ts';
import { isSameMessage, type KeptMessage, type KeptMessages, selectMessagesToKeep } from './kept-words.ts';
import { cutLastWork, findLastWork, type FoundWork, resumeText, shortLine } from './last-work.ts';

/** `unary`: the provider sends the new history, and we keep what is permitted. `stream`: it sends one opaque item. */
export function remoteCandidate(
  plan: CompactionPlan,
  source: CompactionSource,
  items: readonly Item[],
  form: 'unary' | 'stream',
): Candidate | FaultyAnswer {
  const others = form === 'unary' ? keptOutput(items) : opaqueItem(items);
  if ('faults' in others) return others;
  const all = messagesOfUserAndSetup(source.history, source);
  const asked = form === 'stream' ? fromAgents(entriesOf(source.history)) : [];
  return shrinkToFit(plan.budget, (budget) => {
    const words = userMessagesEntry(plan, all, { chosen: [] }, budget);
    const left = budget.words - entriesTokens(words.entries);
    const entries = [
      ...words.entries,
      ...newestThatFit(asked, left).map((entry) => ({ kind: 'kept', entry }) as const),
      ...recordsEntries(source.work, budget.records),
      ...others.map((item) => outputEntry(item, plan.provider)),
    ];
    const { counts } = words.choice;
    return { strategy: 'remote', entries, message: '', tokens: entriesTokens(entries), words: counts, mended: [] };
  });
}

/** Keeps words of the model and of agents, and opaque items. The rest may be stale, or we have it ourselves. */
function keptOutput(items: readonly Item[]): readonly Item[] | FaultyAnswer {
  const isAnswer = (item: Item): boolean =>
    item.type === 'agent_message' || (isMessage(item) && item.role === 'assistant');
  const kept = [...items.filter(isAnswer), ...items.filter(isCheckpointItem)];
  return kept.length === 0 ? faultyAnswer('The provider sent nothing that could be kept.') : kept;
}

function opaqueItem(items: readonly Item[]): readonly Item[] | FaultyAnswer {
  const found = items.filter(({ type }) => type === 'compaction');
  if (found.length !== 1) return faultyAnswer(`The provider sent ${found.length} compaction items instead of one.`);
  const { encrypted_content: content } = found[0]!;
  return typeof content === 'string' && content !== ''
    ? found
    : faultyAnswer('The compaction item of the provider is empty.');
}

function outputEntry(item: Item, provider: ProviderName | undefined): CandidateEntry {
  const origin = { family: 'model' } as const;
  const known = { origin, ...(provider === undefined || !isOpaque(item) ? {} : { maker: provider }) };
  if (typeof item['id'] === 'string') return { kind: 'kept', entry: { item, ...known } };
  return { kind: 'made', item: (id) => ({ ...item, id }), ...known };
}

const mostOfAgent = 10_000;

/** Requests of other agents: work that did not come from the user. */
const fromAgents = (all: readonly HistoryEntry[]): readonly HistoryEntry[] =>
  all.filter(({ item }) => item.type === 'agent_message' && itemTokens(item) <= mostOfAgent && !isReport(item));

function isReport(item: Item): boolean {
  const [text = ''] = objectsAt(item, 'content').flatMap((part) => stringAt(part, 'text') ?? []);
  if (text.startsWith('Message Type: FINAL_ANSWER\n')) return true;
  const { author, recipient } = item;
  const isBelow = typeof author === 'string' && typeof recipient === 'string' && author.startsWith(`${recipient}/`);
  return isBelow && text.startsWith('Message Type: MESSAGE\n');
}

function newestThatFit(asked: readonly HistoryEntry[], tokens: number): readonly HistoryEntry[] {
  let left = tokens;
  return asked
    .toReversed()
    .filter(({ item }) => {
      left -= itemTokens(item);
      return left >= 0;
    })
    .toReversed();
}

export interface CheckpointContent {
  readonly strategy: Exclude<Candidate['strategy'], 'remote'>;
  readonly chosen: readonly PreservedMessage[];
  readonly quote?: string;
  readonly written:
    | { readonly by: 'model'; readonly context: string; readonly summary: string }
    | { readonly by: 'code'; readonly why: Outcome };
}

const contextShare = 0.25;

/** Looks things up in history once, and returns the candidate of the first budget that fits. */
export function makeCandidate(plan: CompactionPlan, source: CompactionSource, content: CheckpointContent): Candidate {
  const all = messagesOfUserAndSetup(source.history, source);
  const found = findLastWork(source);
  const earlier = earlierSummaries(source.history);
  return shrinkToFit(plan.budget, (budget) => {
    const words = userMessagesEntry(plan, all, content, budget);
    const kept = words.choice.rows.flatMap((row) => ('leftOut' in row ? [] : row));
    const summary = summaryEntry(plan, source, { content, kept, found, earlier }, budget);
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

/** Fallback without a model. Code names no active task of its own. Always succeeds. */
export const mechanicalCandidate = (plan: CompactionPlan, source: CompactionSource, why: Outcome): Candidate =>
  makeCandidate(plan, source, { strategy: 'mechanical', chosen: [], written: { by: 'code', why } });

/** The user's messages and the records: every checkpoint has them. By hand, no model's answer makes it any smaller. */
export function minimumCandidateSize(plan: CompactionPlan, source: CompactionSource): Pick<Candidate, 'tokens'> {
  const words = userMessagesEntry(plan, messagesOfUserAndSetup(source.history, source), { chosen: [] }, plan.budget);
  return { tokens: entriesTokens([...words.entries, ...recordsEntries(source.work, plan.budget.records)]) };
}

type PartsBudget = Pick<CompactionBudget, 'words' | 'pictures' | 'answer' | 'records'>;
const shares = [1, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0] as const;

/** Makes candidates with smaller and smaller budgets until one fits; otherwise returns the smallest. */
function shrinkToFit(budget: CompactionBudget, make: (budget: PartsBudget) => Candidate): Candidate {
  let candidate: Candidate | undefined;
  for (const share of shares) {
    const part = (tokens: number): number => Math.floor(Math.max(0, tokens) * share);
    const { words, pictures, answer, records } = budget;
    candidate = make({ words: part(words), pictures: part(pictures), answer: part(answer), records: part(records) });
    if (candidate.tokens <= budget.most) return candidate;
  }
  return candidate!;
}

const someId = `msg_${'0'.repeat(36)}`;

function entriesTokens(entries: readonly CandidateEntry[]): number {
  const items = entries.map((entry) => (entry.kind === 'kept' ? entry.entry.item : entry.item(someId)));
  return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

function userMessagesEntry(
  { model, readAll }: CompactionPlan,
  all: readonly PreservedMessage[],
  { chosen, quote }: Pick<CheckpointContent, 'chosen' | 'quote'>,
  budget: PartsBudget,
) {
  const isChosen = chosen.length > 0;
  const tasks = isChosen ? chosen : all.filter((row) => row.task);
  const choice = selectMessagesToKeep(all, { tasks, isNamed: isChosen, quote, budget });
  if (choice.rows.length === 0) return { entries: [], choice };
  const isTask = ({ words }: KeptMessage): boolean => tasks.some((task) => isSameMessage(words, task));
  const rows = choice.rows.map((row): IntentRow => {
    if ('leftOut' in row) return { kind: 'gap', ...row.leftOut };
    return messageOf(row, isTask(row) ? (isChosen ? 'chosen' : 'before') : undefined);
  });
  const isWhole = !choice.rows.some((row) => 'leftOut' in row || row.cut);
  const payload = { rows, readAll: isWhole ? undefined : readAll, chosenBy: isChosen ? model : undefined };
  const { parts, places } = layOutMessages(payload);
  const quotes = quotesOf(choice, isTask).map((quote, index): QuotedMessage => ({ ...quote, ...places[index]! }));
  const item = (id: string): Item => messageItemOfParts(id, checkpointIntentFragment.role, parts);
  return { entries: [madeEntry(checkpointIntentFragment.id, item, { words: quotes })], choice };
}

type KnownText = Pick<HistoryEntry, 'words' | 'summary'>;

function madeEntry(kind: string, item: (id: string) => Item, known: KnownText = {}): CandidateEntry {
  return { kind: 'made', item, origin: { family: 'context', kinds: [kind], cause: 'event' }, ...known };
}

function messageOf(kept: KeptMessage, task: 'chosen' | 'before' | undefined): IntentRow {
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

/** Data that later checkpoints need about each kept message and about those left out before it. */
function quotesOf({ rows }: KeptMessages, isTask: (kept: KeptMessage) => boolean) {
  return rows.flatMap((row, index) => {
    if ('leftOut' in row) return [];
    const { id, turn, number, by, author, endedEarly } = row.words;
    const before = rows[index - 1];
    const about = { turn, number, by, author, endedEarly };
    const known = defined({
      ...about,
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

function recordsEntries(work: WorkRecords, tokens: number): readonly CandidateEntry[] {
  const { plan, files: changed, putBack = [] } = work;
  const back = new Set(putBack.map(({ path }) => path));
  const files = changed.filter(({ path, movePath }) => !back.has(movePath ?? path));
  if ((plan === undefined || plan.steps.length === 0) && files.length + putBack.length === 0) return [];
  if (tokens === 0) return [];
  const { text, role, kind } = renderFragment(checkpointRecordsFragment, {
    plan: plan?.steps,
    planIsOlderThan: plan?.isOlder === true ? (plan.olderThan ?? 'user') : undefined,
    planNumber: plan?.number,
    files,
    putBack,
    tokens,
  });
  return [madeEntry(kind, (id) => contextMessageItem(id, role, [text]))];
}

interface SummaryInput {
  readonly content: CheckpointContent;
  readonly kept: readonly KeptMessage[];
  readonly found: FoundWork;
  readonly earlier: readonly EarlierSummary[];
}

function summaryEntry(plan: CompactionPlan, source: CompactionSource, input: SummaryInput, budget: PartsBudget) {
  const { payload, mended } = summaryText(plan, source, input, budget);
  const { kind, role, text } = renderFragment(checkpointSummaryFragment, payload);
  const { summary, earlier } = layOutSummary(payload);
  const shift = checkpointSummaryFragment.markers![0].length;
  const placed = ({ start, end }: TextRange, { model, number }: Pick<SummaryRange, 'model' | 'number'>) => ({
    start: start + shift,
    end: end + shift,
    ...defined({ model, number }),
  });
  // Summaries that a later checkpoint may carry on: the newest by a model, and those beside it.
  const places = [
    ...earlier.map((place, index) => placed(place, payload.earlier![index]!)),
    ...(summary === undefined ? [] : [placed(summary, plan)]),
  ];
  const newest = places.pop();
  const place = newest === undefined || places.length === 0 ? newest : { ...newest, earlier: places };
  const entry = madeEntry(kind, (id) => contextMessageItem(id, role, [text]), defined({ summary: place }));
  return { entry, message: text, mended };
}

function summaryText(plan: CompactionPlan, { work }: CompactionSource, input: SummaryInput, budget: PartsBudget) {
  const { content, kept, found, earlier } = input;
  if (content.written.by === 'code') {
    const carried = carryEarlierSummaries(earlier, budget.answer);
    const left = budget.answer - carried.reduce((sum, { text }) => sum + sentTokens(text), 0);
    const payload: CheckpointSummaryText = {
      by: 'code',
      why: shortLine(content.written.why.message, budget.answer),
      earlier: carried,
      ...cutLastWork(found, left),
      resumeAt: resumeText(work, budget.answer),
    };
    return { payload, mended: [] };
  }
  const { context, summary } = content.written;
  const inspected = Math.max(leastLookedAt, budget.answer * lookedAt);
  const looked = [cutText(context, inspected), cutSummary(summary, inspected)] as const;
  const notes = withoutKeptMessages(looked[0], kept);
  const noted = budget.answer === 0 ? '' : cutText(notes, Math.floor(budget.answer * contextShare));
  const told = withoutKeptMessages(looked[1], kept);
  const shown = cutSummary(told, Math.max(0, budget.answer - sentTokens(noted)));
  const half = Math.floor(budget.answer / 2);
  const added = isThin(shown)
    ? { earlier: carryEarlierSummaries(earlier, budget.answer, shown), ...cutLastWork(found, half) }
    : { results: [] };
  const endsInCursor = /^RESUME_AT:.*\S\s*$/m.test(shown.trimEnd().split('\n').at(-1)!);
  const payload: CheckpointSummaryText = {
    by: 'model',
    model: plan.model,
    context: noted,
    summary: shown,
    ...added,
    resumeAt: endsInCursor ? undefined : resumeText(work, budget.answer),
  };
  const cut = [...looked, noted, shown];
  const isWhole = [context, summary, notes, told].every((text, index) => text === cut[index]);
  return { payload, mended: isWhole ? [] : [cutNotice] };
}

const cutNotice = 'The model wrote more than there is space for, so Capstan cut out the middle.';

/** The newest summary by any program's model still in history, and the older ones that it carries along. */
function earlierSummaries(history: History): readonly EarlierSummary[] {
  const found = historyEntries(history).findLast((entry) => entry.summary !== undefined || isForeignSummary(entry));
  if (found === undefined || !isMessage(found.item)) return [];
  const text = messageText(found.item);
  const { summary } = found;
  if (summary === undefined) return [{ text }];
  return [...(summary.earlier ?? []), summary].map(({ start, end, model, number }) => ({
    text: text.slice(start, end),
    ...defined({ model, number }),
  }));
}

const earlierShare = 0.6;
/** If several summaries in a row are thin, keeps the oldest, which was not thin, and the newest. */
const mostCarried = 3;

/** Keeps the newest whole if it fits, and earlier ones in the rest. Drops a summary that repeats a newer one. */
function carryEarlierSummaries(earlier: readonly EarlierSummary[], tokens: number, newest = '') {
  let left = Math.floor(tokens * earlierShare);
  const texts = [...earlier.map(({ text }) => text.trim()), newest.trim()];
  const distinct = earlier.filter((_, index) => !texts.includes(texts[index]!, index + 1));
  const some = distinct.length <= mostCarried ? distinct : [distinct[0]!, ...distinct.slice(1 - mostCarried)];
  return some
    .toReversed()
    .flatMap((one) => {
      if (left <= 0) return [];
      const text = cutText(one.text, left);
      left -= sentTokens(text);
      return [{ ...one, text }];
    })
    .toReversed();
}

/** Shorter texts may well be the model's own words. */
const leastRepeated = 60;

/**
 * Removes copies of user messages that this checkpoint holds from the model's text, and escapes our context markers in
 * it. Of a cut message, removes only copies of its visible part: the model's copy may be the only complete one.
 */
export function withoutKeptMessages(text: string, kept: readonly KeptMessage[]): string {
  const said = kept
    .filter(({ words }) => words.by === undefined)
    .map(({ text: stands }) => stands.trim())
    .filter(({ length }) => length >= leastRepeated && length <= text.length);
  // A model asked for prose may still answer with JSON.
  const written = new Map(said.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)].map((form) => [form, one])));
  const own = [...written]
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((left, [form, one]) => left.replaceAll(form, () => repeatedWords(one)), text);
  return escapeFragmentMarkers(own);
}

/** Capstan inspects this many times the space of a text: removing repetitions may make the rest fit. */
const lookedAt = 4;
const leastLookedAt = 1000;

/** Cuts the middle of a summary, but keeps its last line, which says where to resume. */
function cutSummary(summary: string, tokens: number): string {
  if (sentTokens(summary) <= tokens) return summary;
  const at = summary.lastIndexOf('\nRESUME_AT:');
  if (at < 0) return cutText(summary, tokens);
  const last = cutText(summary.slice(at + 1), Math.max(32, Math.floor(tokens / 4)))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  return `${cutText(summary.slice(0, at), Math.max(0, tokens - sentTokens(last) - 1))}\n${last}`;
}

const thinSummary = 120;
const isThin = (summary: string): boolean => sentTokens(summary) < thinSummary;
const beginningBytes = 40;

/** Replaces the model's copy of a user message that the checkpoint holds word for word. */
const repeatedWords = (said: string): string =>
  `[the user's words, which stand above: ${firstBytes(withoutLineBreaks(said), beginningBytes).trimEnd()}…]`;
