import { grouped } from '../../protocol/grouped.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type EveryRequest, leastCheckpoint, leavesSpace } from './loop-guard.ts';

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
export function limitTooLow(every: EveryRequest, limit: RaisableLimit): Outcome {
  const { fixed, context, overhead } = every;
  const all = fixed + context + overhead;
  const wanted = roundUp(all + leastCheckpoint + Math.max(leastWork, Math.ceil(limit.now * workShare)));
  // A limit in the window that is just enough is better than none.
  const within = wanted > limit.most && leavesSpace(every, limit.most) ? limit.most : wanted;
  return {
    code: 'limit-too-low',
    message: `No checkpoint can bring this thread below its limit of ${grouped(limit.now)} tokens: ${causeOf(every, limit)}.`,
    next: `The thread continues without automatic checkpoints. ${adviceFor(within, limit) ?? otherAdvice(every, limit)}`,
  };
}

function causeOf(every: EveryRequest, limit: RaisableLimit): string {
  const { fixed, context, overhead } = every;
  const own = `instructions and tools take about ${grouped(fixed)} tokens, the context about ${grouped(context)}`;
  if (leavesSpace({ ...every, overhead: 0 }, limit.now)) {
    return `the provider counts ${grouped(overhead)} tokens more per request than Capstan estimates; ${own}`;
  }
  const beyond = overhead === 0 ? '' : `, and the provider counts ${grouped(overhead)} more than Capstan estimates`;
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

function otherAdvice({ fixed, context, overhead }: EveryRequest, { now }: RaisableLimit): string {
  return overhead > 0 && leavesSpace({ fixed, context, overhead: 0 }, now)
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
  const beyond = overhead === 0 ? '' : `, ${grouped(overhead)} more than Capstan estimates`;
  const wanted = roundUp(Math.max(limit.now + overhead, counted + 2 * needed));
  const within = wanted > limit.most && counted + needed < limit.most ? limit.most : wanted;
  return {
    code: 'full-after-checkpoint',
    message: `By the provider's count this thread has about ${grouped(counted)} tokens${beyond}; its limit is ${grouped(limit.now)}. Only about ${grouped(grown)} tokens are new since the last checkpoint, so compacting now would not help. Capstan compacts again after ${grouped(needed)} new tokens.`,
    next:
      adviceFor(within, limit) ??
      'Check what the provider counts, or choose a model with a larger window. The thread continues.',
  };
}

/** A round number is easier to paste, and leaves a little more. */
function roundUp(tokens: number): number {
  return Math.ceil(tokens / 1000) * 1000;
}
