import type { CompactionPlan, CompactionBudget, CompactionWindow } from './compaction-plan.ts';

export type AskedCompaction = Omit<CompactionPlan, 'budget' | 'placement'>;

/** In tokens, by our estimate unless noted. */
export interface CompactionSizes {
  readonly window: CompactionWindow;
  readonly requestWindow: CompactionWindow;
  readonly fixed: number;
  readonly history: number;
  /** Context about the world that the next request would add to the current history. */
  readonly due: number;
  readonly counted?: number;
  /** Context about the world that is sent again once history is replaced. */
  readonly context: number;
  readonly standing: number;
  /** Content that enters after the checkpoint: words of the user, items of a program. */
  readonly pending?: number;
}

/** A checkpoint that saves less than a fifth costs more than it gives. */
const mostShareOfBefore = 0.8;
export const smallestBudget = 2000;
/** Shares of the space in a small thread; the user's words get the rest. */
const answerShare = 0.3;
const recordsShare = 0.15;
const picturesShare = 0.15;
/** A limit far below the window keeps at most this share in reserve, so that space is left for the user's words. */
const mostReserveOfLimit = 0.25;
const frame = 400;

export function planCompaction(asked: AskedCompaction, sizes: CompactionSizes): CompactionPlan {
  return {
    ...asked,
    budget: budgetOf(sizes, asked),
    // Only a running turn needs the context about the world at once.
    placement: asked.phase === 'mid_turn' ? 'before-last-words' : 'next-turn',
  };
}

function budgetOf(sizes: CompactionSizes, { trigger, mayGrow }: AskedCompaction): CompactionBudget {
  const { window, requestWindow, fixed, history, due, context } = sizes;
  const ratio = underestimate(sizes);
  // Reserves the whole answer even for a small checkpoint: models think before they write.
  const answer = Math.min(window.checkpoint.answer, requestWindow.checkpoint.answer);
  const below = mostAfter(sizes, ratio);
  const wanted =
    mayGrow === true
      ? below
      : trigger === 'manual'
        ? gainByHand(sizes)
        : largestUsefulCheckpointTokens({ ...sizes, counted: 0 });
  // To free space, parts are cut until the checkpoint saves enough. By hand, one that saves too little is not made.
  const most = trigger === 'manual' ? below : Math.max(smallestBudget, Math.min(wanted, below));
  const gain = mayGrow === true || trigger === 'manual' ? wanted : largestUsefulCheckpointTokens(sizes);
  const free = Math.max(0, most - frame);
  // The answer and the records must fit into a checkpoint that saves enough. The user's messages and pictures may take
  // up to `most`, which by hand can be more.
  const forOthers = Math.max(0, Math.min(most, Math.max(smallestBudget, wanted)) - frame);
  const forAnswer = Math.min(answer, Math.floor(forOthers * answerShare));
  const forRecords = Math.min(window.checkpoint.records, Math.floor(forOthers * recordsShare));
  const forPictures = Math.min(window.checkpoint.pictures, Math.floor(free * picturesShare));
  return {
    request: Math.max(0, Math.floor((requestWindow.effective - answer) / ratio)),
    fixed,
    words: Math.min(window.checkpoint.words, free - forAnswer - forRecords - forPictures),
    pictures: forPictures,
    answer: forAnswer,
    records: forRecords,
    before: history + due,
    context,
    most,
    gain,
  };
}

/**
 * The largest checkpoint that saves a fifth. The context about the world counts before and after. If the provider
 * counted more than we estimate, its count is used.
 */
export function largestUsefulCheckpointTokens(
  sizes: Omit<CompactionSizes, 'window' | 'requestWindow' | 'standing'>,
): number {
  const { fixed, history, counted = 0, due, context } = sizes;
  return Math.max(0, Math.floor(Math.max(history + due, counted - fixed) * mostShareOfBefore) - context);
}

/**
 * By our estimate, and the smaller of two: with the context that is due now, and without it, because context that
 * another surface adds does not become less by compacting.
 */
function gainByHand({ fixed, history, due, context, standing }: CompactionSizes): number {
  const now = largestUsefulCheckpointTokens({ fixed, history, due, context });
  return Math.min(now, largestUsefulCheckpointTokens({ fixed, history, due: 0, context: standing }));
}

/** Factor by which our estimate is too low. The provider's limits are divided by it to fit our tokens. */
const underestimate = ({ fixed, history, counted = 0 }: CompactionSizes): number =>
  Math.max(1, counted / Math.max(1, fixed + history));

/**
 * Instructions, tools, repeated context, a reserve and the checkpoint must together stay below the limit; for a limit
 * of the body alone, below the window. Pending content is kept whole if possible, at the expense of the checkpoint.
 */
function mostAfter({ window, fixed, context, pending = 0 }: CompactionSizes, ratio: number): number {
  const limit = window.autoCompactScope === 'body' ? window.effective : window.autoCompact;
  const reserve = Math.min(window.compactionReserve, Math.floor(limit * mostReserveOfLimit));
  const below = Math.floor(limit / ratio) - fixed - context - reserve;
  const beside = below - pending;
  return Math.max(smallestBudget, beside < smallestBudget ? below : beside);
}
