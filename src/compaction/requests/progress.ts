import { estimateTokens, truncateMiddle } from '../../fragments/text/truncate.ts';
import { requestWeight, textWeight } from './fits.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CompactionPlan, CompactionSource, CompactionRequest } from '../plan/plan.ts';
import { aroundWeight, checkpointRequest, type PartPlace, withoutSchema } from './requests.ts';
import { cutIntoParts, type Part } from './stages.ts';

/** How far a compaction has come. */
export interface Progress {
  readonly way: 'remote' | 'structured' | 'plain';
  /** What kept the model from the way before this one. */
  readonly why?: Outcome;
  /** What a request may weigh; less than planned after a provider refused one as too long. */
  readonly space: number;
  readonly overflows: number;
  /** From the one that is looked at on, oldest first; the last is asked for the checkpoint. */
  readonly parts: readonly Part[];
  /** How many parts there were before these, and what was noted about them. */
  readonly done: number;
  readonly notes: readonly string[];
  /** What the notes may weigh in a request. */
  readonly notesBudget: number;
  /** Requests for notes so far, and how many of the newest failed. */
  readonly stages: number;
  readonly failedStages: number;
  /** The provider took no request with a schema: the words of the question alone say what the answer must be. */
  readonly freely: boolean;
  /** Of the answer for the checkpoint in this way, after which the model was asked once more. */
  readonly faults: readonly string[];
}

/** Requests for notes in one compaction. What is older than they reach is noted by code. */
const mostStages = 40;
/** A part with less space says nothing. */
const leastCapacity = 300;
const notesPercent = 30;
const leastOfMostNotes = 1000;

export function startOf(plan: CompactionPlan): Progress {
  return {
    way: plan.strategy,
    space: plan.budget.request,
    overflows: 0,
    parts: [],
    done: 0,
    notes: [],
    notesBudget: 0,
    stages: 0,
    failedStages: 0,
    freely: false,
    faults: [],
  };
}

/** Everything from `from` on in parts, with space for the notes set aside. Undefined when no part could be sent. */
export function layOut(
  plan: CompactionPlan,
  source: CompactionSource,
  progress: Progress,
  from: number,
): Progress | undefined {
  const { space, notes, stages } = progress;
  if (from === 0 && notes.length === 0) {
    const whole: Part = { from, to: source.input.length, stubbed: [], sent: true };
    const alone = { ...progress, parts: [whole] };
    if (requestWeight(plan, source, checkpointOf(plan, alone)) <= space) return alone;
  }
  const available = space - plan.budget.fixed - aroundWeight(plan);
  const mostNotes = Math.max(leastOfMostNotes, 4 * plan.budget.answer);
  const notesBudget = Math.min(Math.floor((available * notesPercent) / 100), mostNotes);
  const capacity = available - notesBudget;
  if (capacity < leastCapacity) return undefined;
  const parts = cutIntoParts(source, { from, capacity, most: mostStages - stages });
  const anythingSent = parts.some((part) => part.sent && part.to > part.from);
  return anythingSent ? { ...progress, parts, notesBudget } : undefined;
}

/** The request for the checkpoint, from the last part. */
export function checkpointOf(plan: CompactionPlan, progress: Progress): CompactionRequest {
  const way = progress.way === 'plain' ? 'plain' : 'structured';
  const request = checkpointRequest(plan, way, progress.parts.at(-1)!, partPlace(progress));
  return progress.freely ? withoutSchema(request) : request;
}

export function partPlace({ done, parts, notes, notesBudget }: Progress): PartPlace {
  return { part: done + 1, of: done + parts.length, notes, notesBudget };
}

/** The part that was looked at is done, and this is added to what is known. */
export function afterPart(progress: Progress, note: string): Progress {
  const { parts, done, notes } = progress;
  return { ...progress, parts: parts.slice(1), done: done + 1, notes: [...notes, note] };
}

/** Notes of the model replace those before, unless they are so much shorter that something was forgotten. */
export function afterAnswer(progress: Progress, answer: string): Progress {
  const note = truncateMiddle(answer, { mode: 'tokens', limit: progress.notesBudget });
  const forgot = estimateTokens(note) * 2 < estimateTokens(progress.notes.join('\n\n'));
  return afterPart(forgot ? progress : { ...progress, notes: [] }, note);
}

/** The least that a request for a checkpoint weighs. */
export function leastRequest(plan: CompactionPlan): number {
  return plan.budget.fixed + aroundWeight(plan) + textWeight('');
}
