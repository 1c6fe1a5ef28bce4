import type { ToolSpec } from '../ports/prompt.ts';
import type { Envelope } from './envelope.ts';
import type { StepFacts } from './facts.ts';
import type { Window } from './window.ts';

/** One model request: the turn's envelope and what may have moved since the request before. */
export interface Step {
  readonly envelope: Envelope;
  /** 0 for the first request of the turn. */
  readonly index: number;
  readonly facts: StepFacts;
  /** Its budgets: those of the envelope, or narrower ones where a server has named its window since. */
  readonly window: Window;
  /** The tools as this request offers them, in a fixed order. */
  readonly tools: readonly ToolSpec[];
}
