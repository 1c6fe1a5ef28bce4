import type { Outcome } from '../../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import type { Draft } from '../composer/draft.ts';
import type { Cell } from '../cells/cell.ts';
import type { View } from '../views/view.ts';

/** The conversation whose thread is looked into, as far as views need it. */
export interface InsightHost {
  readonly parts: {
    readonly stage: InsightStage;
    readonly engine: Engine;
    readonly threads: LiveThreads;
    now(): number;
  };
  readonly thread: LiveThread;
  /** A turn or a compaction runs. */
  readonly isBusy: boolean;
  /** What waits for its end, as the user would type it. */
  queue(draft: Draft): void;
  notice(text: string, level?: 'info' | 'warning' | 'error'): void;
  /** Shows why the thread took something not. Where another program writes it, the user is asked what to do. */
  refused(outcome: Outcome): void;
  /** Something that a key of a view asked for: what goes wrong with it is shown. */
  run(work: Promise<unknown>): void;
}

interface InsightStage {
  /** What stands over everything. */
  readonly pager: View | undefined;
  openPager(view: View | undefined): void;
  draw(): void;
  readonly transcript: { add(entry: { cell: Cell; isFinal: boolean }): unknown };
}
