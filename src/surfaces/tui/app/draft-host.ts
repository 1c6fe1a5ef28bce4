import type { Engine } from '../../engine/engine.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';

/** The conversation that a draft is for. */
export interface DraftHost {
  /** Another one takes its place now and then. */
  thread(): Pick<LiveThread, 'id' | 'place' | 'sessions' | 'settings' | 'takesPictures'>;
  readonly engine: Engine;
  notice(text: string, level: 'info' | 'warning' | 'error'): void;
}
