import { recognise } from '../fragments/recognise.ts';
import type { Entry, Origin } from '../history/entry.ts';
import { entries as entriesOf } from '../history/history.ts';
import { itemTokens } from '../history/size.ts';
import { saidText, type UserWords, usersWords } from '../history/users-words.ts';
import { isMessage, type Item } from '../protocol/item.ts';
import { activeTask } from './active-task.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import { entriesTokens, recordsEntries } from './candidate-parts.ts';
import { type Faulty, faulty } from './faulty.ts';
import { keptMessage } from './kept-message.ts';
import { keepWords, type KeptWords } from './kept-words.ts';
import type { CompactionPlan } from './plan.ts';
import { type PartsRoom, shrinkToFit } from './shrinking.ts';
import type { CompactionSource } from './source.ts';

/**
 * The checkpoint of a provider that compacts by itself. `unary`: the provider sends the new history, of which we keep
 * what may stay. `stream`: it sends one sealed item, and the rest is ours. The user's words and the records of the work are
 * put in by code in both.
 */
export function remoteCandidate(
  plan: CompactionPlan,
  source: CompactionSource,
  items: readonly Item[],
  form: 'unary' | 'stream',
): Candidate | Faulty {
  const others = form === 'unary' ? keptOutput(items) : sealedItem(items);
  if ('faults' in others) return others;
  const all = usersWords(source.history);
  const task = activeTask(all);
  const returned = new Set(items.flatMap((item) => (form === 'unary' ? (wordsIn(item, all) ?? []) : [])));
  const asked = form === 'stream' ? fromElsewhere(entriesOf(source.history)) : [];
  return shrinkToFit(plan.room, (room) => {
    const { kept, counts } = keepWords(all, { task, older: returned, form: 'messages', room });
    const words = kept.map((one) => keptMessage(one, { parts: 'all', isTask: one.words === task }));
    const entries = [
      ...inPlace(source, kept, words, asked, room),
      ...recordsEntries(source.work, room.records),
      ...others.map(outputEntry),
    ];
    return { strategy: 'remote', entries, message: '', tokens: entriesTokens(entries), words: counts, mended: [] };
  });
}

const sealedTypes: ReadonlySet<string> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/**
 * What the model, hooks and agents said, and what is sealed. Calls, thoughts and old context may be stale; the user's
 * words we have ourselves.
 */
function keptOutput(items: readonly Item[]): readonly Item[] | Faulty {
  const isAnswer = (item: Item): boolean =>
    item.type === 'agent_message' || (isMessage(item) && item.role === 'assistant') || isHookPrompt(item);
  const sealed = items.filter(({ type }) => sealedTypes.has(type));
  const kept = [...items.filter(isAnswer), ...sealed];
  return kept.length === 0 ? faulty('The provider sent nothing that could be kept.') : kept;
}

function sealedItem(items: readonly Item[]): readonly Item[] | Faulty {
  const found = items.filter(({ type }) => type === 'compaction');
  if (found.length !== 1) return faulty(`The provider sent ${found.length} compaction items in the place of one.`);
  const { encrypted_content: content } = found[0]!;
  return typeof content === 'string' && content !== ''
    ? found
    : faulty('The compaction item of the provider is empty.');
}

/** The message of the user that a provider sent back. */
function wordsIn(item: Item, all: readonly UserWords[]): UserWords | undefined {
  if (!isMessage(item) || item.role !== 'user') return undefined;
  const text = saidText(item).trim();
  return text === '' ? undefined : all.findLast((row) => row.text.trim() === text);
}

const hookPrompt = 'hook-prompt';

function isHookPrompt(item: Item): boolean {
  if (!isMessage(item) || item.role !== 'user' || item.content.length === 0) return false;
  return item.content.every(({ text }) => typeof text === 'string' && recognise('user', text) === hookPrompt);
}

function outputEntry(item: Item): CandidateEntry {
  const origin: Origin = isHookPrompt(item) ? { family: 'context', kinds: [hookPrompt] } : { family: 'model' };
  if (typeof item['id'] === 'string') return { kind: 'kept', entry: { item, origin } };
  return { kind: 'made', item: (id) => ({ ...item, id }), origin };
}

/** More of another agent's message than this is not kept. */
const mostOfAgent = 10_000;

/** What hooks and other agents asked for: work that did not come from the user. */
function fromElsewhere(all: readonly Entry[]): readonly Entry[] {
  return all.filter(({ item, origin }) => {
    if (origin.family === 'context') return origin.kinds.every((kind) => kind === hookPrompt);
    return item.type === 'agent_message' && itemTokens(item) <= mostOfAgent && !isReport(item);
  });
}

/** What an agent says that was started from here: that it is done, or how far it is. */
function isReport(item: Item): boolean {
  const text = firstText(item);
  if (text.startsWith('Message Type: FINAL_ANSWER\n')) return true;
  const { author, recipient } = item;
  const isBelow = typeof author === 'string' && typeof recipient === 'string' && author.startsWith(`${recipient}/`);
  return isBelow && text.startsWith('Message Type: MESSAGE\n');
}

function firstText({ content }: Item): string {
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.map((part) =>
    typeof part === 'object' && part !== null && 'text' in part ? part.text : undefined,
  );
  return String(texts.find((text) => typeof text === 'string') ?? '');
}

/** The user's messages and the others in the order of history; the others within what the words have left. */
function inPlace(
  { history }: CompactionSource,
  kept: readonly KeptWords[],
  words: readonly CandidateEntry[],
  asked: readonly Entry[],
  room: PartsRoom,
): readonly CandidateEntry[] {
  let left = room.words - entriesTokens(words);
  const fitting = asked.toReversed().filter(({ item }) => {
    left -= itemTokens(item);
    return left >= 0;
  });
  const place = new Map(entriesOf(history).map((entry, index) => [entry, index] as const));
  // The words are in the order in which they were said; what a checkpoint kept of them may stand in another.
  let at = 0;
  const placed = kept.map(({ words: { entry } }, i) => {
    at = Math.max(at, entry === undefined ? 0 : place.get(entry)!);
    return { at, entry: words[i]! };
  });
  const others = fitting.map((entry) => ({ at: place.get(entry)!, entry: { kind: 'kept' as const, entry } }));
  return [...placed, ...others].toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
}
