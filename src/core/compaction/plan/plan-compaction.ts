import type { CompactionPlan, CompactionBudget, CompactionWindow } from './compaction-plan.ts';

export type AskedCompaction = Omit<CompactionPlan, 'budget' | 'placement'>;

/** In tokens, by our estimate where nothing else is said. */
export interface CompactionSizes {
  /** Of the next model. */
  readonly window: CompactionWindow;
  /** Of the model that is asked. */
  readonly requestWindow: CompactionWindow;
  /** Instructions and tools. */
  readonly fixed: number;
  readonly history: number;
  /** What the next request would tell about the world if history stood as it is. */
  readonly due: number;
  /** The provider's count of everything, where there is one. */
  readonly counted?: number;
  /** The context about the world that is sent again once history is replaced. */
  readonly context: number;
  /** The context about the world that history holds. */
  readonly standing: number;
  /** What waits to enter after the checkpoint: words of the user, items of a program. */
  readonly pending?: number;
}

/** A checkpoint must save at least a fifth: one that saves less costs more than it gives. */
const mostShareOfBefore = 0.8;
/** What a checkpoint built by code can always be cut down to. */
export const smallestBudget = 2000;
/** In a small thread the parts of a checkpoint share what there is; the user's words get the rest. */
const answerShare = 0.3;
const recordsShare = 0.15;
const picturesShare = 0.15;
/** A limit far below the window leaves room for the user's words all the same. */
const mostReserveOfLimit = 0.25;
/** Around the words, the answer and the records: markers, the bridge, headings. */
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
  // The whole answer is kept free although a small checkpoint may use less of it: models think before they write.
  const answer = Math.min(window.checkpoint.answer, requestWindow.checkpoint.answer);
  const below = mostAfter(sizes, ratio);
  const wanted =
    mayGrow === true
      ? below
      : trigger === 'manual'
        ? gainByHand(sizes)
        : largestUsefulCheckpoint({ ...sizes, counted: 0 });
  // Where space must be freed, parts are cut until there is a gain. By hand nothing is cut for it: then there is no
  // checkpoint.
  const most = trigger === 'manual' ? below : Math.max(smallestBudget, Math.min(wanted, below));
  const gain = mayGrow === true || trigger === 'manual' ? wanted : largestUsefulCheckpoint(sizes);
  const free = Math.max(0, most - frame);
  // What others write is cut for the sake of a gain; the user's own messages are not, by hand.
  const forOthers = Math.max(0, Math.min(most, Math.max(smallestBudget, wanted)) - frame);
  const forAnswer = Math.min(answer, Math.floor(forOthers * answerShare));
  const forRecords = Math.min(window.checkpoint.records, Math.floor(forOthers * recordsShare));
  const forPictures = Math.min(window.checkpoint.pictures, Math.floor(free * picturesShare));
  return {
    request: Math.max(0, Math.floor((requestWindow.effective - answer) / ratio)),
    fixed,
    // What is put in must fit what may come out.
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
 * What a checkpoint may weigh and still save a fifth. The next request holds context before and after: a checkpoint in the
 * place of texts that are sent again saves nothing. A provider that counts more than we see is believed: what it counts
 * may be history.
 */
export function largestUsefulCheckpoint(
  sizes: Pick<CompactionSizes, 'fixed' | 'history' | 'counted' | 'due' | 'context'>,
): number {
  const { fixed, history, counted = 0, due, context } = sizes;
  return Math.max(0, Math.floor(Math.max(history + due, counted - fixed) * mostShareOfBefore) - context);
}

/**
 * By our estimate, and by what history holds alone: every surface gives the model another context, and what is due
 * because of that is nothing to compact.
 */
function gainByHand({ fixed, history, due, context, standing }: CompactionSizes): number {
  const now = largestUsefulCheckpoint({ fixed, history, due, context });
  return Math.min(now, largestUsefulCheckpoint({ fixed, history, due: 0, context: standing }));
}

/** By how much our estimate is too low. All space is in our tokens, so it shrinks by this; it never grows. */
function underestimate({ fixed, history, counted = 0 }: CompactionSizes): number {
  return Math.max(1, counted / Math.max(1, fixed + history));
}

/**
 * Instructions, tools, the context that is sent again and a reserve must stay below the limit together with the checkpoint; a
 * limit of the body alone binds only by the window. What waits to enter is kept whole if it can be, and the checkpoint
 * makes way for it.
 */
function mostAfter({ window, fixed, context, pending = 0 }: CompactionSizes, ratio: number): number {
  const limit = window.autoCompactScope === 'body' ? window.effective : window.autoCompact;
  const reserve = Math.min(window.compactionReserve, Math.floor(limit * mostReserveOfLimit));
  const below = Math.floor(limit / ratio) - fixed - context - reserve;
  const beside = below - pending;
  return Math.max(smallestBudget, beside < smallestBudget ? below : beside);
}
