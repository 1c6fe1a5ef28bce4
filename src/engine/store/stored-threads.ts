import {
  wholeNumberOption,
  stringOption,
  choiceOption,
  booleanOption,
  validateOptions,
  recordOption,
} from '../../core/envelope/read-options.ts';
import type { OptionProblem, OptionReaders, OptionType } from '../../core/envelope/read-options.ts';
import { findHome, type HomeProblem } from '../../adapters/gather/home.ts';
import type {
  BlobMissing,
  ChosenThread,
  LoadedBlob,
  NoThread,
  ReadReport,
  ThreadChange,
  ThreadChoice,
  WorkProgress,
} from '../../ports/thread-store.ts';
import { defined } from '../../base/objects.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import { unstorableTextPart } from '../../protocol/json.ts';
import type { Outcome, Refusal } from '../../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../protocol/thread.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { lockPath, localTime } from '../../adapters/rollout/files/rollout-paths.ts';
import { unknownThreadRefusal } from '../../adapters/rollout/store/refusals.ts';
import type { ThreadArchived, ThreadDeleted } from '../../adapters/rollout/maintenance/archive-and-delete.ts';
import { lockOwner } from '../../adapters/rollout/files/file-locks.ts';
import type { Question } from '../../protocol/question.ts';
import type { RecordedGoal } from '../../core/state/fold/goals.ts';
import type { Pin } from '../../core/state/fold/pinned-notes.ts';
import { isSuspended, questionsToAsk } from '../../core/state/questions/pending-questions.ts';
import type { TurnItems } from '../../core/state/turns/turn-items.ts';
import type { TurnSummary } from '../../core/state/turns/turn-list.ts';
import type { WaitingMessage } from '../../core/state/fold/waiting-messages.ts';
import type { AgentNode } from '../agents/read-agent-tree.ts';
import { cutOffTurnNotice, pinChangeResult } from './thread-notices.ts';
import { loadThreadState } from '../thread/branch/resume-thread.ts';
import type { RollbackTarget, RollbackUndone, RolledBack } from '../thread/branch/rollback-range.ts';
import { validateRollbackTarget } from '../undo/restore-arguments.ts';
import { findUnprovenClaims, withoutSeal, provenState, type UnprovenClaims } from '../thread/branch/unproven-lines.ts';
import type { ThreadFiles } from '../undo/file-changes.ts';
import { engineRefused, isRefusal, toEngineRefused, type EngineRefused } from '../engine-refused.ts';
import { createHomeStore, QueuedMessages, type HomeStore } from './home-store.ts';
import { argumentProblem, requireArguments, progressFunctionOption, threadIdOption } from '../check-arguments.ts';
import type { ThreadCheckpoint, ThreadPrompt, ThreadWriter } from './stored-thread-details.ts';
import { lineTime, type ThreadEvent } from '../../protocol/thread-event.ts';
import { foldRecorded, initialRecordedState } from '../../core/state/recorded/thread-events.ts';
import type { RemovalOptions } from '../../adapters/rollout/maintenance/remove-unreferenced.ts';
import type { ToCompress } from '../../adapters/rollout/maintenance/compress-threads.ts';
import { openThreadIndex } from '../../adapters/rollout/index/open-thread-index.ts';
import type { RolloutStoreOptions } from '../../adapters/rollout/store/rollout-store.ts';

const flag = { type: booleanOption, required: true } as const;

const toCompress: OptionType<ToCompress> = {
  expected: '{ kind: "thread", id } or { kind: "older", milliseconds }',
  read(given) {
    const { kind, id, milliseconds, ...others } = (given ?? {}) as Readonly<Record<string, unknown>>;
    if (Object.keys(others).length > 0) return undefined;
    const isThread = kind === 'thread' && milliseconds === undefined && threadIdOption.read(id) !== undefined;
    const isAge = kind === 'older' && id === undefined && typeof milliseconds === 'number' && milliseconds >= 0;
    return isThread || isAge ? (given as ToCompress) : undefined;
  },
};

export type WithNotices<Result> = Result & { readonly notices: readonly Outcome[] };
/** The lines of a thread, oldest first. */
export type ThreadLines = Pick<ReadReport, 'skipped' | 'tooLong'> & { readonly lines: readonly Line[] };

export interface ThreadPendingWork {
  readonly waiting: readonly WaitingMessage[];
  readonly questions: readonly Question[];
  readonly unproven: UnprovenClaims;
  readonly cutOff?: Outcome;
  readonly goal?: RecordedGoal;
}

const forceOptions = { force: { type: booleanOption } } as const;
const changesOption = recordOption<{ diffs?: boolean }>('an object with diffs', { diffs: { type: booleanOption } });
const reportedTo = (progress: WorkProgress | undefined) =>
  ({ progress: [progressFunctionOption, progress, 'absent'] }) as const;

const queryOptions = {
  cwd: { type: stringOption },
  archived: { type: booleanOption },
  text: { type: stringOption },
  textIn: { type: choiceOption('all') },
  source: { type: stringOption },
  limit: { type: wholeNumberOption, required: true },
  cursor: { type: stringOption },
  sort: { type: choiceOption('updated', 'created'), required: true },
} as const satisfies OptionReaders<ThreadQuery>;

type AnyChoice = Partial<Omit<Extract<ThreadChoice, { kind: 'named' }>, 'kind'>> & Pick<ThreadChoice, 'kind'>;

const choiceOptions = {
  kind: { type: choiceOption('named', 'last'), required: true },
  name: { type: stringOption },
  cwd: { type: stringOption },
  archived: { type: booleanOption },
  unique: { type: booleanOption },
} as const satisfies OptionReaders<AnyChoice>;

/**
 * The threads of a home, whichever program wrote them. Reading needs no lock and disturbs no writer; operations on a
 * whole thread are refused while it is written. Needs no configuration. Code is loaded on use.
 */
export class StoredThreads {
  readonly kind = 'stored';
  readonly #kept: HomeStore;

  constructor(kept: HomeStore) {
    this.#kept = kept;
  }

  /** For programs that only read, even if the configuration is unusable. */
  static in(env: EnvironmentVariables, osHome: string): StoredThreads | HomeProblem {
    const home = findHome(env, osHome);
    return 'code' in home ? home : new StoredThreads(createHomeStore(home.path, { maxBlobBytes: 0, env, osHome }));
  }

  get home(): string {
    return this.#kept.home;
  }

  async choose(choice: ThreadChoice): Promise<ChosenThread | NoThread | (OptionProblem & Pick<NoThread, 'kind'>)> {
    const read = validateOptions<AnyChoice>(choice, choiceOptions, 'choose()');
    if ('code' in read) return { kind: 'none', ...read };
    return this.#kept.threadStore.directory.choose(read as ThreadChoice);
  }

  /** The place of a thread's data, for people; undefined if there is none of that id. */
  async location(id: ThreadId): Promise<string | undefined> {
    requireArguments('location()', { id: [threadIdOption, id] });
    const current = await this.#kept.store.current(id);
    return current.kind === 'current' ? current.location : undefined;
  }

  async read(id: ThreadId, progress?: WorkProgress): Promise<ThreadLines> {
    requireArguments('read()', { id: [threadIdOption, id], ...reportedTo(progress) });
    const reader = this.#kept.store.read(id, { from: 0 as Ordinal });
    const lines: Line[] = [];
    for (;;) {
      const next = await reader.next();
      if (next.done === true) return { lines, ...next.value };
      lines.push(next.value);
      await progress?.(lines.length);
    }
  }

  /** The requests of a thread that were taken back, as far as its store still has them. */
  takenBack = async (id: ThreadId) => {
    requireArguments('takenBack()', { id: [threadIdOption, id] });
    return (await import('./stored-thread-details.ts')).readTakenBack(this.#kept.store, id);
  };

  /** The turns of a thread that were not taken back. */
  async turns(id: ThreadId): Promise<readonly TurnSummary[]> {
    requireArguments('turns()', { id: [threadIdOption, id] });
    return (await import('./stored-thread-details.ts')).readTurnList(this.#kept.store, id);
  }

  /** The user's words in each turn not taken back, verbatim: the places to go back to. */
  async prompts(id: ThreadId): Promise<readonly ThreadPrompt[]> {
    requireArguments('prompts()', { id: [threadIdOption, id] });
    return (await import('./stored-thread-details.ts')).promptsIn((await this.read(id)).lines);
  }

  async *events(id: ThreadId): AsyncGenerator<StoredEvent, void> {
    requireArguments('events()', { id: [threadIdOption, id] });
    let state = initialRecordedState(id);
    for await (const line of this.#kept.store.read(id, { from: 0 as Ordinal })) {
      const folded = foldRecorded(state, line);
      state = folded.state;
      const at = lineTime(line);
      for (const news of folded.news) if (news.kind === 'event') yield { event: news.event, at };
    }
  }

  /** The checkpoints of a thread that were not taken back, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    requireArguments('checkpoints()', { id: [threadIdOption, id] });
    return (await import('./stored-thread-details.ts')).checkpointsOf(this.#kept.store, id);
  }

  /** The turns of a thread with their items. Keeps the items, not the lines. */
  async turnItems(id: ThreadId, progress?: WorkProgress): Promise<TurnItems & ReadReport> {
    requireArguments('turnItems()', { id: [threadIdOption, id], ...reportedTo(progress) });
    const { readTurnItemsFrom } = await import('../../core/state/turns/turn-items.ts');
    return readTurnItemsFrom(this.#kept.store.read(id, { from: 0 as Ordinal }), progress);
  }

  /** Messages that a thread accepted and no turn has used, oldest first, even of an archived thread. */
  async waiting(id: ThreadId): Promise<readonly WaitingMessage[]> {
    requireArguments('waiting()', { id: [threadIdOption, id] });
    return (await this.#proven(id)).waiting;
  }

  async questions(id: ThreadId): Promise<readonly Question[]> {
    requireArguments('questions()', { id: [threadIdOption, id] });
    return (await this.#proven(id)).questions;
  }

  async goal(id: ThreadId): Promise<RecordedGoal | undefined> {
    requireArguments('goal()', { id: [threadIdOption, id] });
    return (await loadThreadState(this.#kept.store, id)).state.goal;
  }

  async standing(id: ThreadId): Promise<ThreadPendingWork> {
    requireArguments('standing()', { id: [threadIdOption, id] });
    const { waiting, questions, unproven, claimed } = await this.#proven(id);
    const all = await this.#withSetAside(id, unproven);
    const cutOff = await cutOffTurnNotice(id, claimed, this.writer(id));
    return { waiting, questions, unproven: all, ...defined({ cutOff, goal: claimed.goal }) };
  }

  async #proven(id: ThreadId) {
    const { state: claimed } = await loadThreadState(this.#kept.store, id);
    const { state, unproven } = await provenState(this.#kept, id, claimed);
    const waiting = state.waiting.map((message) => withoutSeal<WaitingMessage>(message));
    return { waiting, questions: isSuspended(state) ? questionsToAsk(state) : [], unproven, claimed };
  }

  /** The program that has a thread open to write it, for people. Undefined: none is known. */
  async writer(id: ThreadId): Promise<string | undefined> {
    requireArguments('writer()', { id: [threadIdOption, id] });
    return this.#kept.disk && lockOwner(lockPath(this.home, id));
  }

  /** Like `writer`, with details of its process. */
  async writing(id: ThreadId): Promise<ThreadWriter | undefined> {
    const owner = await this.writer(id);
    return owner === undefined ? undefined : (await import('./stored-thread-details.ts')).parseThreadWriter(owner);
  }

  /** Messages and notes in the user's name that do not count, since no seal proves them, including those set aside. */
  async unproven(id: ThreadId): Promise<UnprovenClaims> {
    requireArguments('unproven()', { id: [threadIdOption, id] });
    const { state } = await loadThreadState(this.#kept.store, id);
    return this.#withSetAside(id, await findUnprovenClaims(this.#kept, id, state));
  }

  async #withSetAside(id: ThreadId, now: UnprovenClaims): Promise<UnprovenClaims> {
    const { readUnprovenClaims } = await import('./stored-thread-details.ts');
    const before = await readUnprovenClaims(this.#kept.store, id);
    return { ...now, messages: [...before.messages, ...now.messages], pins: [...before.pins, ...now.pins] };
  }

  async pins(id: ThreadId): Promise<readonly Pin[]> {
    requireArguments('pins()', { id: [threadIdOption, id] });
    return (await import('../thread/branch/pinned-notes.ts')).readPinnedNotes(this.#kept, id);
  }

  async agents(id: ThreadId): Promise<AgentNode> {
    requireArguments('agents()', { id: [threadIdOption, id] });
    const { readAgentTree } = await import('../agents/read-agent-tree.ts');
    return readAgentTree({ store: this.#kept.store, writer: (each) => this.writer(each) }, id);
  }

  /** File changes of a thread's turns, as far as snapshots show. `diffs`: includes the changed lines. */
  async fileChanges(id: ThreadId, options: { readonly diffs?: boolean } = {}): Promise<ThreadFiles> {
    requireArguments('fileChanges()', { id: [threadIdOption, id], options: [changesOption, options] });
    const { threadFileChanges } = await import('../undo/restore-thread-files.ts');
    return threadFileChanges(this.#kept, id, { diffs: options.diffs ?? false });
  }

  /** Loads what a line refers to by hash, for example a command's whole output. */
  blob(sha256: string): Promise<LoadedBlob | BlobMissing> {
    return this.#kept.threadStore.blobs.load(sha256);
  }

  async list(query: ThreadQuery, progress?: WorkProgress): Promise<ThreadPage | Outcome> {
    const problem = argumentProblem('list()', reportedTo(progress));
    const read = problem ?? validateOptions<ThreadQuery>(query, queryOptions, 'list()');
    return 'code' in read ? read : this.#kept.threadStore.directory.list(read, progress);
  }

  async search(text: string, query: ThreadQuery, progress?: WorkProgress): Promise<ThreadHits | Outcome> {
    const problem = argumentProblem('search()', { text: [stringOption, text], ...reportedTo(progress) });
    const read = problem ?? validateOptions<ThreadQuery>(query, queryOptions, 'search()');
    return 'code' in read ? read : this.#kept.threadStore.directory.search(text, read, progress);
  }

  async summary(id: ThreadId): Promise<ThreadSummary | Outcome> {
    const problem = argumentProblem('summary()', { id: [threadIdOption, id] });
    return problem ?? (await this.#kept.threadStore.directory.summary(id)) ?? unknownThreadRefusal(id);
  }

  /** Takes the newest turns back. Their cost stays counted, and files stay as they are. */
  async rollback(id: ThreadId, given: RollbackTarget) {
    const to = argumentProblem('rollback()', { id: [threadIdOption, id] }) ?? validateRollbackTarget(given);
    if ('code' in to) return engineRefused(to);
    const { rollBack } = await import('../thread/branch/rollback.ts');
    return this.#done<RolledBack>(await rollBack(this.#kept.store, this.#kept.ids, id, to), { kind: 'moved', id });
  }

  async undoRollback(id: ThreadId, options: { readonly force?: boolean } = {}) {
    const problem = argumentProblem('undoRollback()', { id: [threadIdOption, id] });
    const read = problem ?? validateOptions<typeof options>(options, forceOptions, 'undoRollback()');
    if ('code' in read) return engineRefused(read);
    const { undoRollback } = await import('../thread/branch/rollback.ts');
    const done = await undoRollback(this.#kept.store, this.#kept.ids, id, { force: read.force ?? false });
    return this.#done<RollbackUndone>(done, { kind: 'moved', id });
  }

  async archive(id: ThreadId) {
    const problem = argumentProblem('archive()', { id: [threadIdOption, id] });
    if (problem !== undefined) return engineRefused(problem);
    const { archiveThread } = await import('../../adapters/rollout/maintenance/archive-and-delete.ts');
    return this.#done<ThreadArchived>(await archiveThread(this.#kept.store, id), { kind: 'archived', id });
  }

  async unarchive(id: ThreadId) {
    const problem = argumentProblem('unarchive()', { id: [threadIdOption, id] });
    if (problem !== undefined) return engineRefused(problem);
    const { unarchiveThread } = await import('../../adapters/rollout/maintenance/archive-and-delete.ts');
    return this.#done<ThreadArchived>(await unarchiveThread(this.#kept.store, id), { kind: 'moved', id });
  }

  /** Refused while forks continue from the thread; with `force` they are deleted with it. */
  async delete(id: ThreadId, options: { readonly force?: boolean } = {}) {
    const problem = argumentProblem('delete()', { id: [threadIdOption, id] });
    const read = problem ?? validateOptions<typeof options>(options, forceOptions, 'delete()');
    if ('code' in read) return engineRefused(read);
    const { deleteThread } = await import('../../adapters/rollout/maintenance/archive-and-delete.ts');
    const done = await deleteThread(this.#kept.store, id, { force: read.force ?? false });
    const gone = done.kind === 'refused' ? [] : done.ids;
    const queued = new QueuedMessages(this.#kept.home);
    for (const each of gone) queued.save(each, []);
    return this.#done<ThreadDeleted>(done, ...gone.map((each) => ({ kind: 'deleted', id: each }) as const));
  }

  /** An empty name removes the name. */
  async rename(id: ThreadId, given: string) {
    const problem = argumentProblem('rename()', { id: [threadIdOption, id], name: [stringOption, given] });
    if (problem !== undefined) return engineRefused(problem);
    const known = await this.#kept.store.current(id);
    if (known.kind === 'refused') return toEngineRefused(known);
    const name = given.trim();
    const odd = unstorableTextPart(name);
    const next = 'Choose a name without it.';
    if (odd !== undefined) return engineRefused({ code: 'odd-name', message: `The name contains ${odd}.`, next });
    const failed = await this.#kept.threadStore.directory.rename(id, name);
    if (failed !== undefined) return toEngineRefused(failed);
    return this.#done({ kind: 'renamed', id, name } as const, { kind: 'named', id, name });
  }

  /** Pins a note to a thread: the model reads it verbatim, and again after every checkpoint. */
  async pin(id: ThreadId, text: string) {
    const problem = argumentProblem('pin()', { id: [threadIdOption, id], text: [stringOption, text] });
    if (problem !== undefined) return engineRefused(problem);
    const { pinNote } = await import('../thread/branch/pinned-notes.ts');
    return pinChangeResult(await pinNote(this.#kept, this.#kept.ids, id, text));
  }

  /** `which`: a note's number in `pins`, counted from 1, its id, or the beginning of its id. */
  async unpin(id: ThreadId, which: string) {
    const problem = argumentProblem('unpin()', { id: [threadIdOption, id], which: [stringOption, which] });
    if (problem !== undefined) return engineRefused(problem);
    const { unpinNote } = await import('../thread/branch/pinned-notes.ts');
    return pinChangeResult(await unpinNote(this.#kept, id, which));
  }

  /** Brings the index up to date with all files. `anew`: from nothing. */
  reindex(options: { readonly anew: boolean }, progress?: WorkProgress) {
    const problem = argumentProblem('reindex()', reportedTo(progress));
    const read = problem ?? validateOptions<typeof options>(options, { anew: flag }, 'reindex()');
    return this.#withFiles(async (files) =>
      'code' in read ? engineRefused(read) : (await openThreadIndex(files)).refresh(read, progress),
    );
  }

  /** Returns the home if its index should be updated before a command waits for it, and no process does so already. */
  async takeReading(): Promise<string | undefined> {
    const taken = await this.#withFiles(async (files) => (await openThreadIndex(files)).takeReading());
    return taken === true ? this.#kept.home : undefined;
  }

  /** Copies a rollout from elsewhere into the home. Progress is in bytes. */
  importFile(source: string, progress?: WorkProgress) {
    const problem = argumentProblem('importFile()', { source: [stringOption, source], ...reportedTo(progress) });
    return this.#withFiles(async ({ files, home }) => {
      if (problem !== undefined) return engineRefused(problem);
      const { importRollout } = await import('../../adapters/rollout/maintenance/import-rollout.ts');
      return importRollout(source, { files, home, localTime, ids: this.#kept.ids, progress });
    });
  }

  /** Packs rollouts that no program wrote to for a while. They stay readable, and resuming unpacks them. */
  compress(which: ToCompress, options: { readonly dryRun: boolean }, progress?: WorkProgress) {
    const problem = argumentProblem('compress()', { which: [toCompress, which], ...reportedTo(progress) });
    const read = problem ?? validateOptions<typeof options>(options, { dryRun: flag }, 'compress()');
    return this.#withFiles(async (files) => {
      if ('code' in read) return engineRefused(read);
      const { compressThreads } = await import('../../adapters/rollout/maintenance/compress-threads.ts');
      const report = await compressThreads(files, which, { ...read, progress });
      return 'code' in report ? engineRefused(report) : report;
    });
  }

  /** Removes unreferenced data that threads keep beside their lines, and unreferenced snapshots. */
  collect(options: Pick<RemovalOptions, 'dryRun' | 'reverted'>, progress?: WorkProgress) {
    const problem = argumentProblem('collect()', reportedTo(progress));
    const read = problem ?? validateOptions<typeof options>(options, { dryRun: flag, reverted: flag }, 'collect()');
    return this.#withFiles(async (files) => {
      if ('code' in read) return engineRefused(read);
      const rollouts = await import('../../adapters/rollout/maintenance/remove-unreferenced.ts');
      const { removeUnusedSnapshots } = await import('../undo/content-store.ts');
      const young = { now: files.clock.now(), graceMs: rollouts.removalGraceMs };
      return rollouts.removeUnreferenced({
        ...files,
        ...read,
        progress,
        maxBlobBytes: this.#kept.maxBlobBytes,
        collectSnapshots: (trees) => removeUnusedSnapshots(files.home, trees, young),
      });
    });
  }

  /** For operations on the files of a home, of all threads or of none. Refused if the store is not the home's. */
  async #withFiles<Result>(work: (files: RolloutStoreOptions) => Promise<Result>): Promise<Result | EngineRefused> {
    return this.#kept.disk === undefined ? engineRefused(notTheHome) : work(this.#kept.disk);
  }

  /** Call it after the thread has changed: it corrects the lists that other programs keep. */
  async #done<Result extends { readonly kind: string }>(
    done: Result | Refusal,
    ...changes: readonly ThreadChange[]
  ): Promise<WithNotices<Result> | EngineRefused> {
    if (isRefusal(done)) return toEngineRefused(done);
    return { ...done, notices: (await this.#kept.threadStore.directory.changed?.(changes)) ?? [] };
  }
}

/** `at`: in milliseconds; undefined if the time of its line is unreadable. */
type StoredEvent = { readonly event: ThreadEvent; readonly at: number | undefined };

const notTheHome: Outcome<'not-the-home'> = {
  code: 'not-the-home',
  message: 'The threads of this engine are not files in the home folder.',
  next: 'Use the store that you gave to the engine.',
};
