import type { SettingsChange } from '../../core/envelope/read-settings-change.ts';
import type { RestoredSettings } from '../../core/state/resumed-settings.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../protocol/thread-event.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { AgentLiveThreads } from '../agents/agent-live-threads.ts';
import type { EngineRefused } from '../engine-refused.ts';
import type { ForeseenRequest } from '../preview-thread.ts';
import type { StoredThreads } from '../store/stored-threads.ts';
import type { ThreadRequest } from '../thread-request.ts';
import type { KeptSettings, OpenedThread } from '../thread-setup/open-thread.ts';
import type { CompactionResult } from '../thread/checkpoint/compaction-result.ts';
import type { ThreadUsage } from '../thread/context/window-use.ts';
import type { ThreadTurn } from '../thread/read-turn.ts';
import type { Thread } from '../thread/thread.ts';
import type { TurnResult } from '../thread/turn/settle-turn.ts';
import type { AfterPlace, LineCursor } from './line-cursor.ts';

/** Options for opening a live thread. Questions wait for `answer`, unless `askUser` is given. */
export interface LiveRequest extends ThreadRequest {
  /** No client answers questions; they are refused. */
  readonly unattended?: true;
}

/** Threads as clients use them: by id, loaded on use, given up when idle. */
export interface LiveThreads {
  /** Foresees the start of the next turn of a thread, if one of these clients asked for it now. Only reads. */
  preview(id: ThreadId, state: ThreadState): Promise<ForeseenRequest | Outcome>;
  start(request: LiveRequest & { readonly cwd: string }): Promise<LiveThread | EngineRefused>;
  /**
   * Loads a thread once for all concurrent callers. `request` only affects a thread that is not loaded yet; otherwise
   * use `override`. For one that was loaded before, only `folderMayBeMissing` counts.
   */
  load(id: ThreadId, request?: LiveRequest): Promise<LiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request?: LiveRequest): Promise<LiveThread | EngineRefused>;
  /** True if it is loaded, or was started here and has no message yet: such a thread has no file. */
  knows(id: string): boolean;
  readonly loaded: readonly LiveThread[];
  /** The loaded agents of a conversation, with the agents of its agents. */
  agentsOf(id: ThreadId): readonly LiveThread[];
  /**
   * Works on a thread as a whole, for example a rollback. Refused while a turn runs or waits for the user. A loaded
   * thread is given up first and loaded again on its next use; its followers stay. Later calls on the thread wait for
   * the work. The work itself may not use its thread, nor a thread whose own work waits for it.
   */
  whole<Result>(
    id: ThreadId,
    work: (stored: StoredThreads) => Promise<Result | EngineRefused>,
  ): Promise<Result | EngineRefused>;
  /** Interrupts running turns, suspends those that wait for the user, gives all threads up. Followers get `ended`. */
  close(): Promise<void>;
}

/** A call of a thread that may have to be loaded first; loading can be refused. */
type Loading<Call extends (...given: never[]) => Promise<unknown>> = (
  ...given: Parameters<Call>
) => Promise<Awaited<ReturnType<Call>> | EngineRefused>;

type Read = 'id' | 'settings' | 'takesPictures' | 'waiting' | 'turnId' | 'turnSettings' | 'standIn' | 'questions';

/** The members of `Thread` that clients use. Each method loads the thread if it must; the object survives unloading. */
export interface LiveThread extends Pick<Thread, Read | 'sessions' | 'withdraw' | 'shell' | 'endSessions'> {
  readonly kind: 'live';
  readonly notices: readonly Outcome[];
  readonly profileName: string | undefined;
  /** Settings that it restored from its own past, if it has one. */
  readonly restored: RestoredSettings | undefined;
  /** True if its last turn waits for an answer and does not run: an answer loads it and continues. */
  readonly isSuspended: boolean;
  /** Place of the newest durable line. */
  readonly place: Ordinal | undefined;
  /** For `follow`, to continue from here later, even after a rollback. */
  readonly cursor: LineCursor | undefined;
  /** Its cost, without what an agent inherited from its parent's conversation. */
  readonly cost: Usage;
  usage(): ThreadUsage;

  /** Runs a turn after those submitted before. `change` stays in force once the turn has begun. */
  submit(turn: LiveTurn): Promise<TurnResult | EngineRefused>;
  /** Continues the suspended turn if the request has an `askUser`, which is asked again. Else `answer` continues it. */
  continue(asked?: Pick<LiveTurn, 'signal'>): Promise<TurnResult | EngineRefused>;
  /** Continues the conversation where a failed turn left it, without repeating its words. */
  retry(asked?: Pick<LiveTurn, 'signal'>): Promise<TurnResult | EngineRefused>;
  /** Adds words to the running turn; refused if none runs. */
  steer: Loading<Thread['steer']>;
  /** Adds an item of the program to history before the next request. Resolves when it is durable. */
  inject: Loading<Thread['inject']>;
  tellChangedBeside: Loading<Thread['tellChangedBeside']>;
  /** For files restored from another thread's record. A restore of the thread's own files records this by itself. */
  tellPutBack: Loading<Thread['tellPutBack']>;
  /** Ends the running or suspended turn, and resolves when it has ended. Waiting turns stay. */
  interrupt(): Promise<{ readonly kind: 'interrupted'; readonly turnId: TurnId } | { readonly kind: 'idle' }>;
  override: Thread['overrideTurnContext'];
  compact(asked: LiveCompaction): Promise<CompactionResult | EngineRefused>;
  /** Answers by the question's id. A suspended thread is loaded and continues its turn. */
  answer: Thread['answer'];
  /**
   * Gives it up, as when it is idle; its next use loads it again. Running work is interrupted or suspended. An ephemeral
   * thread only ends its running work.
   */
  leave(): Promise<void>;
  /**
   * Closes it for good: followers get `ended`, and this object refuses all calls. A thread with a file can be loaded
   * again by its id; an ephemeral one is lost.
   */
  close(): Promise<void>;
  follow(options?: FollowOptions): AsyncIterable<LiveNews>;
}

export interface LiveTurn extends Omit<ThreadTurn, 'signal'> {
  readonly change?: SettingsChange;
  /** Ends only this turn. Absent: only `interrupt` ends it. */
  readonly signal?: AbortSignal;
}

export interface LiveCompaction {
  readonly focus?: string;
  /** Ends only this compaction. Absent: only `interrupt` ends it. */
  readonly signal?: AbortSignal;
}

export interface FollowOptions {
  /**
   * First delivers everything recorded behind this place, read from the rollout. Absent: from now on. -1: from the
   * beginning. If the place was taken back, `rewound` comes first; an ordinal behind a rollback always counts as taken
   * back, a cursor only if it was.
   */
  readonly after?: AfterPlace;
  /** Called when everything behind `after` was taken and only new events follow; perhaps more than once. */
  readonly caughtUp?: () => void;
  readonly provisional?: boolean;
  /** Limit of events waiting in memory, at least one. Beyond that the follower reads from the rollout. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * `recorded` can be read again from the rollout by its place; `passing` (a warning, a retry, a start) and `preview`
 * cannot. A slow reader misses no recorded news; `missed` gives the number of passing ones that it missed.
 */
export type LiveNews =
  /** `more`: another event of the same line follows, so a reader cannot continue from this place yet. */
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
  /** The thread was rolled back: everything recorded behind this place is void. */
  | { readonly kind: 'rewound'; readonly to: Ordinal }
  /** The last news, with the reason: the program's threads were closed. Not sent to a follower that stops by itself. */
  | { readonly kind: 'ended'; readonly outcome: Outcome };

export interface LiveEngine {
  readonly store: RolloutStore;
  /** Restarts a thread that was given up before it had a file. */
  startAgain(id: ThreadId, request: ThreadRequest, kept: KeptSettings): Promise<OpenedThread | EngineRefused>;
  /** Resumes a thread. `kept`: its settings when this engine gave it up, which win over flags. */
  resume(id: ThreadId, request: ThreadRequest, kept: KeptSettings | undefined): Promise<OpenedThread | EngineRefused>;
  openAgents(live: AgentLiveThreads): void;
  /** Runs `work` first when the engine is closed. */
  beforeClose(work: () => Promise<void>): void;
}
