import type { Usage } from '../protocol/usage.ts';

/** Reports the steps of turns to monitoring. Never throws and never waits. */
export type Tracer = { startStep(labels: StepLabels): { end(result: StepResult): void } };

/** Made from the envelope alone. */
export interface StepLabels {
  readonly traceId: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  readonly model: string;
  readonly provider: string;
  readonly wire: string;
  readonly effort?: string;
  /** Absent for a request of the conversation itself. */
  readonly purpose?: 'compaction' | 'review';
}

export interface StepResult {
  readonly outcome: 'go-on' | 'done' | 'aborted' | 'failed';
  readonly failure?: string;
  readonly usage?: Usage;
  /** Milliseconds from the request to the first event of the answer; absent when none came. */
  readonly firstEventMs?: number;
  /** Milliseconds from the request to the end of the answer. */
  readonly answerMs: number;
  /** Milliseconds from the request until all calls were done. */
  readonly totalMs: number;
  readonly calls: number;
}
