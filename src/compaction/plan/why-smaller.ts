/** A request that a server refused without naming a cause, and what is known around it. */
export interface UnexplainedRefusal {
  /** What the request is taken to weigh, in tokens. */
  readonly tokens: number;
  /** Of the effective window. */
  readonly effective: number;
  /** Of its body. */
  readonly bytes: number;
  /** The largest body that this model of this provider answered in the thread; undefined when it answered none. */
  readonly accepted: number | undefined;
  /** Whether anything in history was made by a model, this one or another. */
  readonly hasPast: boolean;
  /** What history weighs, in tokens. */
  readonly history: number;
  /** False: compaction is paused, was tried in this turn already, or too little is new since the newest checkpoint. */
  readonly mayCompact: boolean;
}

export type WhySmaller = 'near-the-window' | 'larger-than-accepted';

/** From here on a request is large enough that its length may be the cause. */
const largeShare = 0.8;
/** A checkpoint does not get below 2000 tokens, and must save a fifth. */
const leastHistory = 2500;

/**
 * Why the length may be what the server objects to, so that one try with a compacted history is worth it; undefined
 * when it is not. The first request of a thread is no larger than any before it: more likely something else is wrong.
 */
export function whySmaller(refusal: UnexplainedRefusal): WhySmaller | undefined {
  const { tokens, effective, bytes, accepted, hasPast, history, mayCompact } = refusal;
  if (!mayCompact || history < leastHistory) return undefined;
  if (tokens > effective * largeShare) return 'near-the-window';
  const isLargest = accepted === undefined ? hasPast : bytes > accepted;
  return isLargest ? 'larger-than-accepted' : undefined;
}
