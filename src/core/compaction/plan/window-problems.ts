import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import { canFreeSpace, type FixedRequestWeight, leastCheckpointTokens } from './when-to-compact.ts';

export interface RaisableLimit {
  readonly now: number;
  /** Highest value that `model_auto_compact_token_limit` can reach. */
  readonly most: number;
  /** The `model_context_window` for that limit; undefined if the model has no such window. */
  windowFor(limit: number): number | undefined;
}

const workShare = 0.2;
const leastWork = 4000;

/** Says that no checkpoint can get below the limit: names the cause, and a value that would help if there is one. */
export function limitTooLowOutcome(every: FixedRequestWeight, limit: RaisableLimit): Outcome {
  const { fixed, context, overhead } = every;
  const all = fixed + context + overhead;
  const wanted = roundUp(all + leastCheckpointTokens + Math.max(leastWork, Math.ceil(limit.now * workShare)));
  // If the wanted limit is beyond the window, the highest one is still worth naming where it is just enough.
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
  if (canFreeSpace({ ...every, overhead: 0 }, limit.now))
    return `the provider counts ${groupDigits(overhead)} tokens more per request than Capstan estimates; ${own}`;
  const beyond = overhead === 0 ? '' : `, and the provider counts ${groupDigits(overhead)} more than Capstan estimates`;
  return `${own}${beyond}`;
}

function adviceFor(wanted: number, limit: RaisableLimit): string | undefined {
  const isConfigured = limit.now < limit.most;
  if (wanted <= limit.most && isConfigured)
    return `The configured limit is too low: set \`model_auto_compact_token_limit = ${wanted}\`.`;
  const window = limit.windowFor(wanted);
  if (window === undefined) return undefined;
  const also = isConfigured ? ` and \`model_auto_compact_token_limit = ${wanted}\`` : '';
  return `If the model supports it, set \`model_context_window = ${window}\`${also}.`;
}

const otherAdvice = ({ fixed, context, overhead }: FixedRequestWeight, { now }: RaisableLimit): string =>
  overhead > 0 && canFreeSpace({ fixed, context, overhead: 0 }, now)
    ? 'Check what the provider adds to requests, or choose a model with a larger window.'
    : 'Offer fewer tools, shorten your instructions and AGENTS.md, or choose a model with a larger window.';

/** The provider reports a full thread, but too little is new since the newest checkpoint. In tokens. */
type FullAfterCheckpoint = Readonly<Record<'counted' | 'grown' | 'needed' | 'overhead', number>>;

export function fullAfterCheckpointOutcome(full: FullAfterCheckpoint, limit: RaisableLimit): Outcome {
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

/** A round number is easier to paste, and leaves a small reserve. */
const roundUp = (tokens: number): number => Math.ceil(tokens / 1000) * 1000;

export interface UnexplainedRefusal {
  readonly tokens: number;
  readonly effective: number;
  readonly bytes: number;
  /** Bytes of the largest request in the thread that this model of this provider has answered; undefined if none. */
  readonly accepted: number | undefined;
  readonly hasPast: boolean;
  readonly history: number;
  /** False: compaction is paused, was tried in this turn, or too little is new since the newest checkpoint. */
  readonly mayCompact: boolean;
}

export type LengthSuspicion = 'near-the-window' | 'larger-than-accepted';
const largeShare = 0.8;
/** A shorter history cannot gain: a checkpoint has at least 2000 tokens, and must save a fifth. */
const leastHistory = 2500;

/** Reason for one try with a compacted history. A thread's first request is rarely refused for its length. */
export function suspectLength(refusal: UnexplainedRefusal): LengthSuspicion | undefined {
  const { tokens, effective, bytes, accepted, hasPast, history, mayCompact } = refusal;
  if (!mayCompact || history < leastHistory) return undefined;
  if (tokens > effective * largeShare) return 'near-the-window';
  const isLargest = accepted === undefined ? hasPast : bytes > accepted;
  return isLargest ? 'larger-than-accepted' : undefined;
}
