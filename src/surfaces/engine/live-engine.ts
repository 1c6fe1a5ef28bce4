import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { AgentLiveThreads } from './agent-live.ts';
import type { EngineRefused } from './engine-refused.ts';
import type { OpenedThread } from './open-thread.ts';
import type { KeptSettings } from './prepare-thread.ts';
import type { ThreadRequest } from './thread-request.ts';

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
