import { expect } from 'vitest';
import type { Thread } from '../../src/engine/thread/thread.ts';

/** The ends of a compaction while the disk holds. */
export const compactionEnds = expect.stringMatching(/^(installed|failed|aborted)$/) as unknown;

/** A caller that asks for a compaction learns how it ended, sooner or later. */
export class AskedCompaction {
  #asked: Promise<unknown>[] = [];

  ask(live: Thread | undefined, signal: AbortSignal): void {
    if (live !== undefined) this.#asked.push(live.compact({ signal, focus: 'the parser' }));
  }

  ends(): Promise<readonly PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(this.#asked.splice(0));
  }
}
