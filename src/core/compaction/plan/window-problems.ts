import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import { canFreeSpace, type FixedRequestWeight, leastCheckpoint } from './when-to-compact.ts';

/** The limit of a thread, and how far the configuration can raise it. In tokens. */
export interface RaisableLimit {
  readonly now: number;
  /** What `model_auto_compact_token_limit` can raise it to. */
  readonly most: number;
  /** The `model_context_window` with which it is so much; undefined when the model has no such window. */
  windowFor(limit: number): number | undefined;
}

/** Left for the work beside what every request holds, as a share of the limit. */
const workShare = 0.2;
const leastWork = 4000;

/** No checkpoint gets below the limit. Names what is to blame, and a value that helps where there is one. */
export function limitTooLow(every: FixedRequestWeight, limit: RaisableLimit): Outcome {
  const { fixed, context, overhead } = every;
  const all = fixed + context + overhead;
  const wanted = roundUp(all + leastCheckpoint + Math.max(leastWork, Math.ceil(limit.now * workShare)));
  // A limit in the window that is just enough is better than none.
  const within = wanted > limit.most && canFreeSpace(every, limit.most) ? limit.most : wanted;
  return {
    code: 'limit-too-low',
    message: `No checkpoint can bring this thread below its limit of ${groupDigits(limit.now)} tokens: ${causeOf(every, limit)}.`,
    next: `The thread continues without automatic checkpoints. ${adviceFor(within, limit) ?? otherAdvice(every, limit)}`,
  };
}

function causeOf(every: FixedRequestWeight, limit: RaisableLimit): string {
  const { fixed, context, overhead } = every;
  const own = `instructions and tools take about ${groupDigits(fixed)} tokens, the context about ${groupDigits(context)}`;
  if (canFreeSpace({ ...every, overhead: 0 }, limit.now)) {
    return `the provider counts ${groupDigits(overhead)} tokens more per request than Capstan estimates; ${own}`;
  }
  const beyond = overhead === 0 ? '' : `, and the provider counts ${groupDigits(overhead)} more than Capstan estimates`;
  return `${own}${beyond}`;
}

/** What a limit of so many tokens takes in the configuration; undefined when nothing there gives it. */
function adviceFor(wanted: number, limit: RaisableLimit): string | undefined {
  const isConfigured = limit.now < limit.most;
  if (wanted <= limit.most && isConfigured) {
    return `The configured limit is too low: set \`model_auto_compact_token_limit = ${wanted}\`.`;
  }
  const window = limit.windowFor(wanted);
  if (window === undefined) return undefined;
  const also = isConfigured ? ` and \`model_auto_compact_token_limit = ${wanted}\`` : '';
  return `If the model supports it, set \`model_context_window = ${window}\`${also}.`;
}

function otherAdvice({ fixed, context, overhead }: FixedRequestWeight, { now }: RaisableLimit): string {
  return overhead > 0 && canFreeSpace({ fixed, context, overhead: 0 }, now)
    ? 'Check what the provider adds to requests, or choose a model with a larger window.'
    : 'Offer fewer tools, shorten your instructions and AGENTS.md, or choose a model with a larger window.';
}

/** A provider says that the thread is full, and too little is new since the newest checkpoint. In tokens. */
export interface FullAfterCheckpoint {
  /** What counts against the limit, by the provider's count. */
  readonly counted: number;
  readonly grown: number;
  /** What must be new before there is another automatic checkpoint. */
  readonly needed: number;
  readonly overhead: number;
}

export function fullAfterCheckpoint(full: FullAfterCheckpoint, limit: RaisableLimit): Outcome {
  const { counted, grown, needed, overhead } = full;
  const beyond = overhead === 0 ? '' : `, ${groupDigits(overhead)} more than Capstan estimates`;
  const wanted = roundUp(Math.max(limit.now + overhead, counted + 2 * needed));
  const within = wanted > limit.most && counted + needed < limit.most ? limit.most : wanted;
  return {
    code: 'full-after-checkpoint',
    message: `By the provider's count this thread has about ${groupDigits(counted)} tokens${beyond}; its limit is ${groupDigits(limit.now)}. Only about ${groupDigits(grown)} tokens are new since the last checkpoint, so compacting now would not help. Capstan compacts again after ${groupDigits(needed)} new tokens.`,
    next:
      adviceFor(within, limit) ??
      'Check what the provider counts, or choose a model with a larger window. The thread continues.',
  };
}

/** A round number is easier to paste, and leaves a little more. */
function roundUp(tokens: number): number {
  return Math.ceil(tokens / 1000) * 1000;
}

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

export type LengthSuspicion = 'near-the-window' | 'larger-than-accepted';

/** From here on a request is large enough that its length may be the cause. */
const largeShare = 0.8;
/** A checkpoint does not get below 2000 tokens, and must save a fifth. */
const leastHistory = 2500;

/**
 * Why the length may be what the server objects to, so that one try with a compacted history is worth it; undefined
 * when it is not. The first request of a thread is no larger than any before it: more likely something else is wrong.
 */
export function suspectLength(refusal: UnexplainedRefusal): LengthSuspicion | undefined {
  const { tokens, effective, bytes, accepted, hasPast, history, mayCompact } = refusal;
  if (!mayCompact || history < leastHistory) return undefined;
  if (tokens > effective * largeShare) return 'near-the-window';
  const isLargest = accepted === undefined ? hasPast : bytes > accepted;
  return isLargest ? 'larger-than-accepted' : undefined;
}
