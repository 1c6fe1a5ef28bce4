import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { runningHooksCell } from '../cells/hook-cell.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

interface RunningGroup {
  readonly entry: TranscriptEntry;
  readonly event: string;
  /** How many of them have not ended. */
  left: number;
}

/** Hooks that the turn waits for: each group has a cell until all of it has ended. What one said has a cell of its own. */
export class RunningHooks {
  readonly #transcript: Transcript;
  readonly #groups: RunningGroup[] = [];

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  started({ event, names }: Extract<ThreadEvent, { kind: 'hook-started' }>, startedAt: number | undefined): void {
    if (names.length === 0 || startedAt === undefined) return;
    const entry = this.#transcript.add({ cell: runningHooksCell({ event, names, startedAt }), isFinal: false });
    this.#groups.push({ entry, event, left: names.length });
  }

  ended(event: string): void {
    const group = this.#groups.find((each) => each.event === event);
    if (group === undefined || --group.left > 0) return;
    this.#groups.splice(this.#groups.indexOf(group), 1);
    this.#transcript.remove(group.entry);
  }

  /** The turn is over, and with it what it waited for. */
  end(): void {
    for (const { entry } of this.#groups.splice(0)) this.#transcript.remove(entry);
  }
}
