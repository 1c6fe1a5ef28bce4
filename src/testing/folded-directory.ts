import type {
  ThreadChoiceScope,
  ChosenThread,
  NoThread,
  RolloutStore,
  ThreadChoice,
  ThreadDirectory,
} from '../ports/thread-store.ts';
import { defined } from '../base/objects.ts';
import { type Ordinal, parseThreadId, type ThreadId } from '../protocol/ids.ts';
import { isStartedByThread } from '../protocol/thread.ts';
import type { ThreadHit, ThreadQuery, ThreadSummary } from '../protocol/thread.ts';
import {
  lineConcernsLists,
  emptyThreadListFacts,
  excerptOf,
  formatCursor,
  nothingToSearch,
  parseCursor,
  queryFilter,
  searchTerms,
  summaryFromFacts,
  ThreadLineCollector,
} from '../adapters/rollout/index/thread-summary.ts';
import type { PageEnd, SpokenMessage } from '../adapters/rollout/index/thread-summary.ts';
import {
  isIdBeginning,
  noThreadNamed,
  noThreadYet,
  ambiguousIdBeginning,
  ambiguousThreadName,
} from '../adapters/rollout/store/refusals.ts';

export interface KnownThread extends Pick<ThreadSummary, 'id' | 'location' | 'updatedAt' | 'archived' | 'name'> {}

export interface FoldedDirectoryOptions {
  readonly rollouts: Pick<RolloutStore, 'read'>;
  threads(): Promise<readonly KnownThread[]>;
  rename: ThreadDirectory['rename'];
}

/** Directory of a store without an index: reads every thread each time. */
export function createFoldedDirectory({ rollouts, threads, rename }: FoldedDirectoryOptions): ThreadDirectory {
  const readAll = async (): Promise<readonly FoldedThread[]> =>
    Promise.all((await threads()).map((known) => fold(rollouts, known)));
  return {
    async list(query) {
      const after = parseCursor(query);
      if (after !== undefined && 'code' in after) return after;
      const { threads: shown, next } = pageOf(await readAll(), query, after);
      return { threads: shown.map(({ summary }) => summary), ...defined({ next }) };
    },
    async search(text, query) {
      const after = parseCursor(query);
      if (after !== undefined && 'code' in after) return after;
      const terms = searchTerms(text);
      if (terms.length === 0) return nothingToSearch;
      const found = (await readAll()).filter(({ messages }) => messages.some((message) => hasAll(message, terms)));
      const { threads: shown, next } = pageOf(found, query, after);
      return { hits: shown.map((thread) => hitOf(thread, terms)), ...defined({ next }) };
    },
    async summary(id) {
      const known = (await threads()).find((thread) => thread.id === id);
      return known && (await fold(rollouts, known)).summary;
    },
    async choose(choice) {
      const summaries = (await readAll()).map(({ summary }) => summary);
      return chooseAmong(summaries, choice);
    },
    rename,
  };
}

type FoldedThread = { readonly summary: ThreadSummary; readonly messages: readonly SpokenMessage[] };

async function fold(rollouts: Pick<RolloutStore, 'read'>, known: KnownThread): Promise<FoldedThread> {
  const listener = new ThreadLineCollector(emptyThreadListFacts, false);
  await listener.hear(rollouts.read(known.id, { from: 0 as Ordinal, wanted: lineConcernsLists }));
  const { id, location, name, updatedAt, archived } = known;
  const named = name === undefined || name === '' ? {} : { name };
  const listed = { ...summaryFromFacts(listener.fold), updatedAt, archived, compressed: false };
  return { summary: { id, location, ...named, ...listed }, messages: listener.messages };
}

function pageOf(all: readonly FoldedThread[], query: ThreadQuery, after: PageEnd | undefined) {
  const isWanted = queryFilter(query);
  const placeOf = ({ summary: { id, updatedAt, createdAt } }: FoldedThread): PageEnd =>
    query.sort === 'updated' ? { time: updatedAt, id } : { time: createdAt, id };
  const threads = all
    .filter(({ summary }) => summary.archived === (query.archived === true) && isWanted(summary))
    .filter((thread) => after === undefined || newestFirst(after, placeOf(thread)) < 0)
    .toSorted((a, b) => newestFirst(placeOf(a), placeOf(b)));
  const page = threads.slice(0, query.limit);
  const last = page.at(-1);
  return { threads: page, next: last && threads.length > page.length ? formatCursor(placeOf(last)) : undefined };
}

const newestFirst = (a: PageEnd, b: PageEnd): number => b.time - a.time || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

function hasAll({ text }: SpokenMessage, terms: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return terms.every((term) => lower.includes(term.toLowerCase()));
}

function hitOf({ summary, messages }: FoldedThread, terms: readonly string[]): ThreadHit {
  const { turn, role, text } = messages.findLast((message) => hasAll(message, terms))!;
  return { thread: summary, turn, role, excerpt: excerptOf(text, terms) };
}

function chooseAmong(all: readonly ThreadSummary[], choice: ThreadChoice): ChosenThread | NoThread {
  if (choice.kind === 'last') {
    const own = among(all, choice).filter((thread) => !isStartedByThread(thread));
    const last = own.toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
    return last === undefined ? noThreadYet(choice.cwd) : chosen(last);
  }
  const found = chooseNamed(all, choice);
  if (found.kind === 'chosen' || found.code === 'thread-ambiguous' || choice.archived === true) return found;
  const archived = chooseNamed(all, { ...choice, archived: true });
  return archived.kind === 'chosen' ? archived : found;
}

function chooseNamed(
  all: readonly ThreadSummary[],
  { name, cwd, ...choice }: ThreadChoiceScope & { readonly name: string },
): ChosenThread | NoThread {
  const whole = parseThreadId(name);
  if (whole !== undefined) return { kind: 'chosen', id: whole };
  const anywhere = among(all, choice);
  const begun = isIdBeginning(name) ? anywhere.filter(({ id }) => id.startsWith(name.toLowerCase())) : [];
  if (begun.length === 1) return chosen(begun[0]!);
  if (begun.length > 1) return ambiguousIdBeginning(name, idsOf(begun));
  const named = anywhere.filter((thread) => thread.name === name).toSorted((a, b) => b.createdAt - a.createdAt);
  if (choice.unique === true && named.length > 1) return ambiguousThreadName(name, idsOf(named));
  const [first] = among(named, { archived: true, ...defined({ cwd }) });
  return first === undefined ? noThreadNamed(name, cwd) : chosen(first);
}

const among = (all: readonly ThreadSummary[], { cwd, archived }: ThreadChoiceScope): readonly ThreadSummary[] =>
  all.filter((thread) => (archived === true || !thread.archived) && (cwd === undefined || thread.cwd === cwd));

const chosen = ({ id }: ThreadSummary): ChosenThread => ({ kind: 'chosen', id });
const idsOf = (threads: readonly ThreadSummary[]): readonly ThreadId[] => threads.map(({ id }) => id);
