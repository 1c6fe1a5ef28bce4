import {
  wholeNumber,
  anyText,
  choiceOf,
  flag,
  type OptionProblem,
  type OptionTable,
  readOptions,
  recordOf,
} from '../../envelope/read-options.ts';
import { findHome, type HomeProblem } from '../../gather/system/home.ts';
import type { BlobMissing, LoadedBlob } from '../../ports/blobs.ts';
import type { ChosenThread, NoThread, ThreadChange, ThreadChoice } from '../../ports/thread-directory.ts';
import type { WorkProgress } from '../../ports/work-progress.ts';
import { defined } from '../../protocol/defined.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import { oddText } from '../../protocol/odd-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../protocol/thread-summary.ts';
import type { Variables } from '../../protocol/variables.ts';
import { lockPath } from '../../rollout/find/names.ts';
import { unknownThread } from '../../rollout/refusals.ts';
import type { ThreadArchived, ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
import { lockOwner } from '../../rollout/disk/lock-file.ts';
import type { Question } from '../../protocol/question.ts';
import type { RecordedGoal } from '../../state/goals.ts';
import type { Pin } from '../../state/pins.ts';
import { isSuspended, questionsToAsk } from '../../state/questions.ts';
import type { TurnItems } from '../../state/turn-items.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { WaitingMessage } from '../../state/waiting.ts';
import type { AgentNode } from './agent-node.ts';
import { cutOffTurn } from './cut-off-turn.ts';
import { foldThread } from '../../thread/branch/resume.ts';
import type { RollbackTo, RollbackUndone, RolledBack } from '../../thread/branch/rollback-range.ts';
import { readRollback } from './restore-options.ts';
import { findUnproven, type Unproven, unsealed, withoutUnproven } from '../../thread/branch/unproven.ts';
import type { ThreadFiles } from '../../workspace/file-changes.ts';
import { type EngineRefused, engineRefused, isRefusal, type Refusal, refusedBelow } from './engine-refused.ts';
import { HomeFiles } from './home-files.ts';
import { createHomeStore, type HomeStore } from './home-store.ts';
import { pinsChanged } from './pins-changed.ts';
import { type StoredEvent, storedEvents } from './stored-events.ts';
import { QueuedMessages } from './queued-messages.ts';
import { argumentProblem, demandArguments, progressFunction, threadId } from './read-arguments.ts';
import type { ThreadCheckpoint } from './thread-checkpoints.ts';
import type { ThreadWriter } from './thread-writer.ts';
import type { ThreadPrompt } from './thread-prompts.ts';
import type { ReadReport } from '../../ports/rollout-store.ts';

/** What was done, and what the user should know beside it. */
export type Done<Result> = Result & { readonly notices: readonly Outcome[] };

/** The lines of a thread, oldest first. */
export interface ThreadLines {
  readonly lines: readonly Line[];
  /** Lines that could not be read and were left out. */
  readonly skipped: number;
  readonly tooLong?: NonNullable<ReadReport['tooLong']>;
}

/** How a thread stands, for one who looks at it. */
export interface ThreadStanding {
  readonly waiting: readonly WaitingMessage[];
  readonly questions: readonly Question[];
  readonly unproven: Unproven;
  /** Notice for the user about a last turn that was cut off. */
  readonly cutOff?: Outcome;
  readonly goal?: RecordedGoal;
}

const forceOptions = { force: { type: flag, about: 'Also where something stands against it.' } } as const;

const changesOption = recordOf<{ readonly diffs?: boolean }>('an object with diffs', {
  diffs: { type: flag, about: 'With the changed lines of each file.' },
});

const queryOptions = {
  cwd: { type: anyText, about: 'Threads of this folder, as an absolute path.' },
  archived: { type: flag, about: 'Those that are archived.' },
  text: { type: anyText, about: 'In the name or in the preview.' },
  textIn: { type: choiceOf('all'), about: 'The text may also be in the branch, the folder or the id.' },
  source: { type: anyText, about: 'Threads of this source; `all`: every one.' },
  limit: { type: wholeNumber, about: 'How many are listed at most.', required: true },
  cursor: { type: anyText, about: '`next` of the page before.' },
  sort: { type: choiceOf('updated', 'created'), about: 'Newest first by this time.', required: true },
} as const satisfies OptionTable<ThreadQuery>;

/** Members of every kind of choice. */
type AnyChoice = Omit<Extract<ThreadChoice, { kind: 'named' }>, 'kind' | 'name'> & {
  readonly kind: ThreadChoice['kind'];
  readonly name?: string;
};

const choiceOptions = {
  kind: { type: choiceOf('named', 'last'), about: 'By name, or the newest.', required: true },
  name: { type: anyText, about: 'Its name, its id, or the beginning of one.' },
  cwd: { type: anyText, about: 'Among the threads of this folder.' },
  archived: { type: flag, about: 'Also among those that are archived.' },
  unique: { type: flag, about: 'A name that several have is refused.' },
} as const satisfies OptionTable<AnyChoice>;

/**
 * The threads of a home, whichever program wrote them: reading needs no lock and disturbs no writer, and what is done to
 * a thread as a whole is refused while it is written. Needs no configuration. Code is loaded on use: most runs need
 * little of it.
 */
export class StoredThreads {
  readonly kind = 'stored';
  readonly #kept: HomeStore;
  readonly #files: HomeFiles;

  constructor(kept: HomeStore) {
    this.#kept = kept;
    this.#files = new HomeFiles(kept);
  }

  /** For programs that only look, even where the configuration cannot be used. */
  static in(env: Variables, osHome: string): StoredThreads | HomeProblem {
    const home = findHome(env, osHome);
    if ('code' in home) return home;
    return new StoredThreads(createHomeStore(home.path, { maxBlobBytes: 0, env, osHome }));
  }

  get home(): string {
    return this.#kept.home;
  }

  /** The thread that the user means. */
  async choose(choice: ThreadChoice): Promise<ChosenThread | NoThread | (OptionProblem & Pick<NoThread, 'kind'>)> {
    const read = readOptions<AnyChoice>(choice, choiceOptions, 'choose()');
    if ('code' in read) return { kind: 'none', ...read };
    return this.#kept.threadStore.directory.choose(read as ThreadChoice);
  }

  /** Where a thread is kept, for people; undefined when there is none of that id. */
  async location(id: ThreadId): Promise<string | undefined> {
    demandArguments('location()', { id: [threadId, id] });
    const current = await this.#kept.store.current(id);
    return current.kind === 'current' ? current.location : undefined;
  }

  async read(id: ThreadId, progress?: WorkProgress): Promise<ThreadLines> {
    demandArguments('read()', { id: [threadId, id], progress: [progressFunction, progress, 'absent'] });
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
    demandArguments('takenBack()', { id: [threadId, id] });
    return (await import('./taken-back.ts')).readTakenBack(this.#kept.store, id);
  };

  /** The turns of a thread that were not taken back. */
  async turns(id: ThreadId): Promise<readonly TurnSummary[]> {
    demandArguments('turns()', { id: [threadId, id] });
    const { readTurnList } = await import('../../thread/branch/read-turns.ts');
    return readTurnList(this.#kept.store, id);
  }

  /** What the user wrote in each turn that stands, word for word: the places to go back to. */
  async prompts(id: ThreadId): Promise<readonly ThreadPrompt[]> {
    demandArguments('prompts()', { id: [threadId, id] });
    const { promptsIn } = await import('./thread-prompts.ts');
    return promptsIn((await this.read(id)).lines);
  }

  /** What happened in a thread, and when: for one who looks at it and opens nothing. */
  async *events(id: ThreadId): AsyncGenerator<StoredEvent, void> {
    demandArguments('events()', { id: [threadId, id] });
    yield* storedEvents(this.#kept.store, id);
  }

  /** The checkpoints of a thread that stand, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    demandArguments('checkpoints()', { id: [threadId, id] });
    const { checkpointsOf } = await import('./thread-checkpoints.ts');
    return checkpointsOf(this.#kept.store, id);
  }

  /** The turns of a thread with what happened in them. Holds their items, and not the lines. */
  async turnItems(id: ThreadId, progress?: WorkProgress): Promise<TurnItems & ReadReport> {
    demandArguments('turnItems()', { id: [threadId, id], progress: [progressFunction, progress, 'absent'] });
    const { readTurnItemsFrom } = await import('../../state/turn-items.ts');
    return readTurnItemsFrom(this.#kept.store.read(id, { from: 0 as Ordinal }), progress);
  }

  /** Messages that a thread has accepted and that no turn has come to, archived or not, oldest first. */
  async waiting(id: ThreadId): Promise<readonly WaitingMessage[]> {
    demandArguments('waiting()', { id: [threadId, id] });
    const { state } = await withoutUnproven(this.#kept, id, (await foldThread(this.#kept.store, id)).state);
    return state.waiting.map((message) => unsealed<WaitingMessage>(message));
  }

  /** What a thread waits for the user to answer, in the order of the calls. */
  async questions(id: ThreadId): Promise<readonly Question[]> {
    demandArguments('questions()', { id: [threadId, id] });
    const { state } = await withoutUnproven(this.#kept, id, (await foldThread(this.#kept.store, id)).state);
    return isSuspended(state) ? questionsToAsk(state) : [];
  }

  /** What a thread works towards. Undefined: it has no goal. */
  async goal(id: ThreadId): Promise<RecordedGoal | undefined> {
    demandArguments('goal()', { id: [threadId, id] });
    return (await foldThread(this.#kept.store, id)).state.goal;
  }

  /** All of it that is known of how a thread stands, from one reading. */
  async standing(id: ThreadId): Promise<ThreadStanding> {
    demandArguments('standing()', { id: [threadId, id] });
    const { state: claimed } = await foldThread(this.#kept.store, id);
    const { state, unproven } = await withoutUnproven(this.#kept, id, claimed);
    return {
      waiting: state.waiting.map((message) => unsealed<WaitingMessage>(message)),
      questions: isSuspended(state) ? questionsToAsk(state) : [],
      unproven: await this.#withSetAside(id, unproven),
      ...defined({ cutOff: await cutOffTurn(id, claimed, this.writer(id)), goal: claimed.goal }),
    };
  }

  /** The program that has a thread open to write it, for people. Undefined: none that is known. */
  async writer(id: ThreadId): Promise<string | undefined> {
    demandArguments('writer()', { id: [threadId, id] });
    if (this.#kept.disk === undefined) return undefined;
    return lockOwner(lockPath(this.home, id));
  }

  /** The same, with what is known of its process. */
  async writing(id: ThreadId): Promise<ThreadWriter | undefined> {
    const owner = await this.writer(id);
    if (owner === undefined) return undefined;
    return (await import('./thread-writer.ts')).readWriter(owner);
  }

  /** Messages and notes that the file of a thread has in the user's name and that do not count, set aside or not. */
  async unproven(id: ThreadId): Promise<Unproven> {
    demandArguments('unproven()', { id: [threadId, id] });
    const { state } = await foldThread(this.#kept.store, id);
    return this.#withSetAside(id, await findUnproven(this.#kept, id, state));
  }

  async #withSetAside(id: ThreadId, now: Unproven): Promise<Unproven> {
    const { readSetAside } = await import('../../thread/branch/read-set-aside.ts');
    const before = await readSetAside(this.#kept.store, id);
    return { ...now, messages: [...before.messages, ...now.messages], pins: [...before.pins, ...now.pins] };
  }

  async pins(id: ThreadId): Promise<readonly Pin[]> {
    demandArguments('pins()', { id: [threadId, id] });
    const { pinsOf } = await import('../../thread/branch/pinned-notes.ts');
    return pinsOf(this.#kept, id);
  }

  /** A thread with the agents that it started, and theirs. */
  async agents(id: ThreadId): Promise<AgentNode> {
    demandArguments('agents()', { id: [threadId, id] });
    const { readAgentTree } = await import('./agent-node.ts');
    return readAgentTree({ store: this.#kept.store, writer: (each) => this.writer(each) }, id);
  }

  /** What turns of a thread changed in files, as far as snapshots show. `diffs`: with the changed lines of each. */
  async fileChanges(id: ThreadId, options: { readonly diffs?: boolean } = {}): Promise<ThreadFiles> {
    demandArguments('fileChanges()', { id: [threadId, id], options: [changesOption, options] });
    const { diffs = false } = options;
    const { threadFileChanges } = await import('./restore-thread-files.ts');
    return threadFileChanges(this.#kept, id, { diffs });
  }

  /** What a line refers to by its hash: the whole output of a command, for instance. */
  blob(sha256: string): Promise<LoadedBlob | BlobMissing> {
    return this.#kept.threadStore.blobs.load(sha256);
  }

  async list(query: ThreadQuery, progress?: WorkProgress): Promise<ThreadPage | Outcome> {
    const problem = argumentProblem('list()', { progress: [progressFunction, progress, 'absent'] });
    const read = problem ?? readOptions<ThreadQuery>(query, queryOptions, 'list()');
    return 'code' in read ? read : this.#kept.threadStore.directory.list(read, progress);
  }

  /** Threads in which a user or the model said these words. */
  async search(text: string, query: ThreadQuery, progress?: WorkProgress): Promise<ThreadHits | Outcome> {
    const problem = argumentProblem('search()', {
      text: [anyText, text],
      progress: [progressFunction, progress, 'absent'],
    });
    const read = problem ?? readOptions<ThreadQuery>(query, queryOptions, 'search()');
    return 'code' in read ? read : this.#kept.threadStore.directory.search(text, read, progress);
  }

  async summary(id: ThreadId): Promise<ThreadSummary | Outcome> {
    const problem = argumentProblem('summary()', { id: [threadId, id] });
    if (problem !== undefined) return problem;
    return (await this.#kept.threadStore.directory.summary(id)) ?? unknownThread(id);
  }

  /** Takes the newest turns back. What they cost stays counted, and files stay as they are. */
  async rollback(id: ThreadId, given: RollbackTo) {
    const problem = argumentProblem('rollback()', { id: [threadId, id] });
    if (problem !== undefined) return engineRefused(problem);
    const to = readRollback(given);
    if ('code' in to) return engineRefused(to);
    const { rollBack } = await import('../../thread/branch/revert.ts');
    return this.#done<RolledBack>(await rollBack(this.#kept.store, this.#kept.ids, id, to), { kind: 'moved', id });
  }

  async undoRollback(id: ThreadId, options: { readonly force?: boolean } = {}) {
    const problem = argumentProblem('undoRollback()', { id: [threadId, id] });
    if (problem !== undefined) return engineRefused(problem);
    const read = readOptions<typeof options>(options, forceOptions, 'undoRollback()');
    if ('code' in read) return engineRefused(read);
    const { force = false } = read;
    const { undoRollback } = await import('../../thread/branch/revert.ts');
    const done = await undoRollback(this.#kept.store, this.#kept.ids, id, { force });
    return this.#done<RollbackUndone>(done, { kind: 'moved', id });
  }

  async archive(id: ThreadId) {
    const problem = argumentProblem('archive()', { id: [threadId, id] });
    if (problem !== undefined) return engineRefused(problem);
    const { archiveThread } = await import('../../rollout/thread-lifecycle.ts');
    return this.#done<ThreadArchived>(await archiveThread(this.#kept.store, id), { kind: 'archived', id });
  }

  async unarchive(id: ThreadId) {
    const problem = argumentProblem('unarchive()', { id: [threadId, id] });
    if (problem !== undefined) return engineRefused(problem);
    const { unarchiveThread } = await import('../../rollout/thread-lifecycle.ts');
    return this.#done<ThreadArchived>(await unarchiveThread(this.#kept.store, id), { kind: 'moved', id });
  }

  /** Refused while forks continue from the thread; with `force` they are deleted with it. */
  async delete(id: ThreadId, options: { readonly force?: boolean } = {}) {
    const problem = argumentProblem('delete()', { id: [threadId, id] });
    if (problem !== undefined) return engineRefused(problem);
    const read = readOptions<typeof options>(options, forceOptions, 'delete()');
    if ('code' in read) return engineRefused(read);
    const { force = false } = read;
    const { deleteThread } = await import('../../rollout/thread-lifecycle.ts');
    const done = await deleteThread(this.#kept.store, id, { force });
    const gone = done.kind === 'refused' ? [] : done.ids;
    const queued = new QueuedMessages(this.#kept.home);
    for (const each of gone) queued.save(each, []);
    return this.#done<ThreadDeleted>(done, ...gone.map((each) => ({ kind: 'deleted', id: each }) as const));
  }

  /** An empty name takes the name away. */
  async rename(id: ThreadId, given: string) {
    const problem = argumentProblem('rename()', { id: [threadId, id], name: [anyText, given] });
    if (problem !== undefined) return engineRefused(problem);
    const known = await this.#kept.store.current(id);
    if (known.kind === 'refused') return refusedBelow(known);
    const name = given.trim();
    const odd = oddText(name);
    if (odd !== undefined) {
      return engineRefused({
        code: 'odd-name',
        message: `The name contains ${odd}.`,
        next: 'Choose a name without it.',
      });
    }
    const failed = await this.#kept.threadStore.directory.rename(id, name);
    if (failed !== undefined) return refusedBelow(failed);
    return this.#done({ kind: 'renamed', id, name } as const, { kind: 'named', id, name });
  }

  /** Pins a note to a thread: the model reads it word for word, and again after every checkpoint. */
  async pin(id: ThreadId, text: string) {
    const problem = argumentProblem('pin()', { id: [threadId, id], text: [anyText, text] });
    if (problem !== undefined) return engineRefused(problem);
    const { pinNote } = await import('../../thread/branch/pinned-notes.ts');
    return pinsChanged(await pinNote(this.#kept, this.#kept.ids, id, text));
  }

  /** `which`: the number of a note in `pins`, counted from 1, its id, or the beginning of that. */
  async unpin(id: ThreadId, which: string) {
    const problem = argumentProblem('unpin()', { id: [threadId, id], which: [anyText, which] });
    if (problem !== undefined) return engineRefused(problem);
    const { unpinNote } = await import('../../thread/branch/pinned-notes.ts');
    return pinsChanged(await unpinNote(this.#kept, id, which));
  }

  /** Brings the index up to date with all files. `anew`: from nothing. */
  reindex(...asked: Parameters<HomeFiles['reindex']>) {
    return this.#files.reindex(...asked);
  }

  /** The home, if its index should be brought up to date before a command waits for it, and no process does so already. */
  takeReading(): Promise<string | undefined> {
    return this.#files.takeReading();
  }

  /** Copies a rollout from elsewhere into the home. Progress is in bytes. */
  importFile(...asked: Parameters<HomeFiles['importFile']>) {
    return this.#files.importFile(...asked);
  }

  /** Packs rollouts that no program has written to for a while. They are read as before, and unpacked when they are resumed. */
  compress(...asked: Parameters<HomeFiles['compress']>) {
    return this.#files.compress(...asked);
  }

  /** Removes what no thread refers to, of what threads keep beside their lines and of snapshots. */
  collect(...asked: Parameters<HomeFiles['collect']>) {
    return this.#files.collect(...asked);
  }

  /** The thread comes first; lists of other programs are set right afterwards. */
  async #done<Result extends { readonly kind: string }>(
    done: Result | Refusal,
    ...changes: readonly ThreadChange[]
  ): Promise<Done<Result> | EngineRefused> {
    if (isRefusal(done)) return refusedBelow(done);
    return { ...done, notices: (await this.#kept.threadStore.directory.changed?.(changes)) ?? [] };
  }
}
