import { defined } from '../../../protocol/defined.ts';
import type { PrefixBrokenEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import { type RequestChange, changeLine } from '../cells/change-line.ts';
import { quietCell } from '../cells/quiet-cell.ts';
import type { TranscriptEntry } from './transcript.ts';

/** Events that do not say how a request went: a change before them may still turn out to have a cost. */
const early: ReadonlySet<ThreadEvent['kind']> = new Set(['context', 'settings', 'turn-started', 'warning']);

/** One quiet line for each change of the requests, with what it costs. */
export class ChangeEntries {
  readonly #add: (entry: TranscriptEntry) => TranscriptEntry;
  /** The newest one, while more may become known of it. */
  #open: { readonly entry: TranscriptEntry; change: RequestChange } | undefined;
  /** Tries of a request that runs. The row above the composer says them; a line follows if one has helped. */
  #retry: Extract<RequestChange, { kind: 'retry' }> | undefined;
  /** What the next request weighs, as was said last. */
  #tokens: number | undefined;

  constructor(add: (entry: TranscriptEntry) => TranscriptEntry) {
    this.#add = add;
  }

  /** True: it has its line. */
  event(event: ThreadEvent): boolean {
    switch (event.kind) {
      case 'model-switched':
        return this.#begin({ kind: 'switch', event });
      case 'checkpoint-installed':
        return this.#begin({ kind: 'checkpoint', event });
      case 'prefix-broken':
        return this.#broken(event);
      case 'retrying':
        this.#retry = {
          kind: 'retry',
          events: [...(this.#retry?.events ?? []), event],
          ...defined({ tokens: this.#tokens }),
        };
        return true;
      case 'turn-failed':
      case 'turn-aborted':
        // The end of the turn says why. Where another model continues it, the turn went on.
        if (event.kind === 'turn-aborted' || event.continuedBy === undefined) this.#retry = undefined;
        break;
      case 'usage':
        this.#tokens = event.tokens;
        break;
      default:
        break;
    }
    if (!early.has(event.kind)) this.settle();
    return false;
  }

  /** Nothing more becomes known of the newest one. */
  settle(): void {
    if (this.#open !== undefined) this.#open.entry.isFinal = true;
    this.#open = undefined;
    const retry = this.#retry;
    this.#retry = undefined;
    if (retry !== undefined) this.#add({ cell: quietCell(changeLine(retry)), isFinal: true, opens: true });
  }

  /** The switch or the checkpoint before it broke it. */
  #broken(prefix: PrefixBrokenEvent): boolean {
    const change = this.#open?.change;
    if (change?.kind === 'switch' || change?.kind === 'checkpoint') this.#becomes({ ...change, prefix });
    else this.#begin({ kind: 'prefix', prefix });
    this.settle();
    return true;
  }

  #begin(change: RequestChange): boolean {
    this.settle();
    const cell = quietCell(changeLine(change));
    this.#open = { entry: this.#add({ cell, isFinal: false, opens: true }), change };
    return true;
  }

  #becomes(change: RequestChange): boolean {
    if (this.#open === undefined) return false;
    this.#open.change = change;
    this.#open.entry.cell = quietCell(changeLine(change));
    return true;
  }
}
