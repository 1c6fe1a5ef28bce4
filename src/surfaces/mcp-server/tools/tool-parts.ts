import type { Engine } from '../../engine/engine.ts';
import type { LiveThreads } from '../../engine/live/live-thread.ts';
import type { ClientListeners } from '../events/client-listeners.ts';
import type { ThreadFeeds } from '../events/thread-feed.ts';
import type { TurnRuns } from './turn-runs.ts';

/** What the tools of the server share. */
export interface ToolParts {
  readonly engine: ServedEngine;
  readonly live: LiveThreads;
  readonly feeds: ThreadFeeds;
  readonly listeners: ClientListeners;
  readonly runs: TurnRuns;
  /** Where threads start that name no folder; relative paths start there. */
  readonly cwd: string;
  /** What becomes of a question when the client cannot ask its user. */
  readonly onQuestion: OnQuestion;
}

/** `report`: the call answers with the question, and `thread_answer` answers that. */
export type OnQuestion = 'report' | 'decline';

/** As much of the engine as the server uses beside live threads. */
export type ServedEngine = Pick<Engine, 'stored' | 'loadImage' | 'secretFor'>;
