import type { SettingsChange } from '../../core/envelope/settings-change.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import type { RestoredSettings } from '../../core/state/resumed-settings.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { RateLimits } from '../../protocol/rate-limits.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../protocol/thread-event.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { FilesChangedInSideConversation, RestoredFiles } from '../../protocol/turn-item.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { AgentLiveThreads } from '../agents/agent-live-threads.ts';
import type { EngineRefused } from '../engine-refused.ts';
import type { ForeseenRequest } from '../preview-thread.ts';
import type { StoredThreads } from '../store/stored-threads.ts';
import type { ThreadRequest } from '../thread-request.ts';
import type { KeptSettings, OpenedThread } from '../thread-setup/open-thread.ts';
import type { CompactionResult } from '../thread/checkpoint/compaction-result.ts';
import type { Answered, Injected, InjectOptions, Steered, Steering } from '../thread/client-input.ts';
import type { RunningSession } from '../thread/running-commands.ts';
import type { Overridden, ThreadTurn } from '../thread/thread.ts';
import type { TurnResult } from '../thread/turn/settle-turn.ts';
import type { UserShell, UserShellRan } from '../thread/user-shell.ts';
import type { AfterPlace, LineCursor } from './line-cursor.ts';

/** What a live thread is opened with. Questions wait for `answer`, unless `askUser` is given. */
export interface LiveRequest extends ThreadRequest {
  /** No client answers: what would be asked is refused. */
  readonly unattended?: true;
}

/** Threads as clients use them: by id, loaded when they are needed, given up when idle. */
export interface LiveThreads {
  /** What the next turn of a thread would begin with, if one of these clients asked for it now. Only reads. */
  preview(id: ThreadId, state: ThreadState): Promise<ForeseenRequest | Outcome>;
  start(request: LiveRequest & { readonly cwd: string }): Promise<LiveThread | EngineRefused>;
  /**
   * Loaded once, however many ask for it at the same time. `request` is for a thread that is not loaded yet; of one that
   * is, it changes nothing: use `override`. Of one that was loaded before, only `folderMayBeMissing` counts.
   */
  load(id: ThreadId, request?: LiveRequest): Promise<LiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request?: LiveRequest): Promise<LiveThread | EngineRefused>;
  /** Whether it is loaded, or was started here and has no message yet: such a thread has no file. */
  knows(id: string): boolean;
  /** Those that are loaded now. */
  readonly loaded: readonly LiveThread[];
  /** Of those, the agents of a conversation, and the agents of its agents. */
  agentsOf(id: ThreadId): readonly LiveThread[];
  /**
   * Work on a thread as a whole, like a rollback. Refused while a turn runs or waits for the user. A loaded thread is given up first and
   * loaded again by its next use; those who follow it stay. Whatever is asked of the thread after this call waits until
   * the work is over, also a second one of this kind; the work itself is refused the use of its thread, and of
   * every thread whose own work waits for it.
   */
  whole<Result>(
    id: ThreadId,
    work: (stored: StoredThreads) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused>;
  /** Interrupts what runs, suspends what waits for the user, and gives all threads up, for good. Followers get `ended`. */
  close(): Promise<void>;
}

/** One of them. It stays the same object when the thread is given up and loaded again: each method loads it if it must. */
export interface LiveThread {
  readonly kind: 'live';
  readonly id: ThreadId;
  /** What the user should know about its opening. */
  readonly notices: readonly Outcome[];
  /** Of its permission profile, if the configuration names it. */
  readonly profileName: string | undefined;
  /** What it took from its own past, if it has one. */
  readonly restored: RestoredSettings | undefined;
  /** What is in force: without the changes of turns that have not begun. */
  readonly settings: Settings;
  /** Whether its model can see pictures. */
  readonly takesPictures: boolean;
  /** What it has accepted for its next request, but for words of turns that have not begun, each in one line. */
  readonly waiting: readonly string[];
  /** The turn that runs, if one does. */
  readonly turnId: TurnId | undefined;
  /** What that turn runs under, whatever was changed since it was submitted. */
  readonly turnSettings: Settings | undefined;
  /** What the next message goes to, while the quota of its own model is used up and that of `model_fallback` answers. */
  readonly standIn: Settings | undefined;
  readonly questions: readonly Question[];
  /** Commands that outlived their calls and run. */
  readonly sessions: readonly RunningSession[];
  /** Whether its last turn waits for an answer and does not run: an answer loads it and continues. */
  readonly isSuspended: boolean;
  /** Of the newest line that is durable. */
  readonly place: Ordinal | undefined;
  /** The same for `follow`, to continue from here later, also when the thread was rolled back meanwhile. */
  readonly cursor: LineCursor | undefined;

  /** A turn, after what was submitted before; `change` stays once it has begun, and without it nothing of the settings is changed. */
  submit(turn: LiveTurn): Promise<TurnResult | EngineRefused>;
  /** The turn that is suspended, where the request has an `askUser`: asks again. Without it, `answer` continues the turn. */
  continue(asked?: Pick<LiveTurn, 'signal'>): Promise<TurnResult | EngineRefused>;
  /** A turn that goes on from where one that failed has left the conversation. Its words are not said again. */
  retry(asked?: Pick<LiveTurn, 'signal'>): Promise<TurnResult | EngineRefused>;
  /** Words for the turn that runs; refused when none does. */
  steer(steering: Steering): Promise<Steered | EngineRefused>;
  /** Takes words of `steer` back that no request has. Gives the messages that were taken back, when that is durable. */
  withdraw(messageIds: readonly string[]): Promise<readonly string[]>;
  /** An item of the program enters history before the next request. Resolves when it is durable. */
  inject(item: Item, options?: InjectOptions): Promise<Injected | EngineRefused>;
  /** The model reads with the next request that a side conversation changed files. Resolves when it is durable. */
  tellChangedBeside(files: FilesChangedInSideConversation): Promise<Injected | EngineRefused>;
  /** The same for files that a restore of another thread put back. Its own restore tells it by itself. */
  tellPutBack(files: RestoredFiles): Promise<Injected | EngineRefused>;
  /** Ends the turn that runs, or that is suspended, and resolves when it has ended. Turns that wait stay. */
  interrupt(): Promise<{ readonly kind: 'interrupted'; readonly turnId: TurnId } | { readonly kind: 'idle' }>;
  /** Changes what turns submitted from now on start from. */
  override(change: SettingsChange): Promise<Overridden>;
  compact(asked: LiveCompaction): Promise<CompactionResult | EngineRefused>;
  /** A command of the user's own, outside the sandbox and beside a turn that runs. */
  shell(asked: UserShell): Promise<UserShellRan>;
  /** Ends command sessions by their numbers. */
  endSessions(ids: readonly number[]): Promise<void>;
  /** By the question's id. A suspended thread is loaded and continues its turn. */
  answer(questionId: string, answer: Answer): Promise<Answered>;
  usage(): ThreadUsage;
  /** What it has cost, without what an agent took over from the conversation of its parent. */
  readonly cost: Usage;
  /**
   * Gives it up now, as when it is idle: what runs is interrupted, or suspended. Its next use loads it again. Of an
   * ephemeral thread only what runs ends: no file has it.
   */
  leave(): Promise<void>;
  /**
   * The same for good: those who follow it get `ended`, and this object is refused from here on. A thread with a file can
   * be loaded by its id; an ephemeral one is no more, and its agents with it.
   */
  close(): Promise<void>;
  /** Any number at a time, each at its own pace. */
  follow(options?: FollowOptions): AsyncIterable<LiveNews>;
}

export interface LiveTurn extends Omit<ThreadTurn, 'signal'> {
  readonly change?: SettingsChange;
  /** Ends this turn alone; absent: only `interrupt` does. */
  readonly signal?: AbortSignal;
}

export interface LiveCompaction {
  readonly focus?: string;
  /** Ends this compaction alone; absent: only `interrupt` does. */
  readonly signal?: AbortSignal;
}

export interface ThreadUsage {
  readonly total: Usage;
  readonly tokens: number;
  readonly measure: 'exact' | 'scaled' | 'estimated';
  readonly effectiveWindow: number;
  readonly percentRemaining: number;
  /** What the provider said last of its limits. Absent: nothing. */
  readonly rateLimits?: RateLimits;
}

export interface FollowOptions {
  /**
   * Everything recorded behind this place comes first, read from the rollout. Absent: from now on. -1: from the beginning.
   * If the place was taken back, `rewound` comes before all else. An ordinal alone cannot say whether it was: behind a
   * rollback it counts as taken back, a cursor only if it was.
   */
  readonly after?: AfterPlace;
  /** Called when all that was recorded behind `after` has been taken: what comes then is new. Perhaps more than once. */
  readonly caughtUp?: () => void;
  /** False: no previews. */
  readonly provisional?: boolean;
  /** How many events may wait in memory for this reader, at least one. Behind that it reads from the rollout, at its own pace. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * `recorded` can be read again from the rollout, by its place; `passing` (a warning, a retry, a start) and `preview` are
 * for those who listen. A reader that was too slow gets `missed` with the number of passing ones that it did not get; of recorded ones it misses none.
 */
export type LiveNews =
  /** `more`: another event of the same line follows, so that this is no place yet to continue from. */
  | {
      readonly kind: 'recorded';
      readonly ordinal: Ordinal;
      readonly cursor: LineCursor;
      readonly event: ThreadEvent;
      readonly more?: true;
    }
  | { readonly kind: 'passing'; readonly event: ThreadEvent }
  | { readonly kind: 'preview'; readonly event: ProvisionalEvent }
  | { readonly kind: 'missed'; readonly passing: number; readonly previews: number }
  /** The thread was rolled back: what was recorded behind this place does not stand any more. */
  | { readonly kind: 'rewound'; readonly to: Ordinal }
  /** The last one, with the reason: the threads of the program were closed. One who leaves by itself does not get it. */
  | { readonly kind: 'ended'; readonly outcome: Outcome };

/** What live threads need of an engine beside what every program has. */
export interface LiveEngine {
  /** For those who follow a thread and read what it has recorded. */
  readonly store: RolloutStore;
  /** Starts a thread that was given up before it had a file. */
  startAgain(id: ThreadId, request: ThreadRequest, kept: KeptSettings): Promise<OpenedThread | EngineRefused>;
  /** Resumes a thread. `kept`: what it had when this engine gave it up, against what flags say. */
  resume(id: ThreadId, request: ThreadRequest, kept: KeptSettings | undefined): Promise<OpenedThread | EngineRefused>;
  /** Agents of threads are opened by these. */
  openAgents(live: AgentLiveThreads): void;
  /** Done first when the engine is closed. */
  beforeClose(work: () => Promise<void>): void;
}
