import type { Outcome } from '../../../protocol/outcome.ts';
import { estimateTokens, firstBytes, truncateMiddle } from '../../fragments/text/truncate.ts';
import type { CompactionPlan, CompactionRequest, CompactionSource, RequestMessage } from '../plan/compaction-plan.ts';
import {
  cutIntoParts,
  cutToFit,
  fitNotes,
  messagesWeight,
  type HistoryPart,
  requestWeight,
  sentWeight,
  textWeight,
} from './history-parts.ts';
import { isToolOutput } from './item-stub.ts';
import * as prompts from './prompts.ts';
import { userRequestMessage } from './prompts.ts';

type PartPlace = Pick<CompactionProgress, 'notes' | 'notesBudget'> & { readonly part: number; readonly of: number };
type Way = 'structured' | 'plain';

export const stageRequest = (plan: CompactionPlan, part: HistoryPart, place: PartPlace): CompactionRequest => ({
  ...rangeOf(part, place),
  strategy: 'plain',
  tail: [userRequestMessage(stageTail(plan, place))],
});

export const withoutSchema = ({ outputSchema: _schema, ...request }: CompactionRequest): CompactionRequest => request;

/** Repeats the request with the model's answer and its faults. Undefined if there is no space. */
export function repairRequest(
  request: CompactionRequest,
  answer: string,
  faults: readonly string[],
  budget: { readonly left: number; readonly answer: number },
): CompactionRequest | undefined {
  const named = faults.slice(0, mostFaults.count).map((fault) => firstBytes(fault, mostFaults.bytes));
  const prompt = request.strategy === 'plain' ? prompts.plainRepairPrompt : prompts.repairPrompt;
  const repair = userRequestMessage(prompt(named));
  const left = budget.left - messagesWeight([repair]);
  if (left < 0) return undefined;
  // An endless answer is not sent back whole: its beginning and end show the fault.
  const shown = answer.trim() === '' ? undefined : cutToFit(answer, Math.min(left, budget.answer));
  const given: readonly RequestMessage[] = shown === undefined ? [] : [{ role: 'assistant', text: shown }];
  return { ...request, tail: [...request.tail, ...given, repair] };
}

const mostFaults = { count: 8, bytes: 400 } as const;

/**
 * Sends everything, for a provider that makes the checkpoint itself. If it does not fit, outputs become notices, newest
 * first: they grew last, and the start of the request stays as the provider knows it. Undefined if that is not enough.
 */
export function remoteRequest(plan: CompactionPlan, source: CompactionSource): CompactionRequest | undefined {
  const { input } = source;
  const whole: CompactionRequest = { strategy: 'remote', from: 0, to: input.length, stubbed: [], head: [], tail: [] };
  let over = requestWeight(plan, source, whole) - plan.budget.request;
  const stubbed: number[] = [];
  for (let at = input.length - 1; at >= 0 && over > 0; at--) {
    const item = input[at]!;
    const gain = isToolOutput(item) ? sentWeight(item, false) - sentWeight(item, true) : 0;
    if (gain <= 0) continue;
    stubbed.push(at);
    over -= gain;
  }
  return over > 0 ? undefined : { ...whole, stubbed: stubbed.toReversed() };
}

function frameWeight(plan: CompactionPlan): number {
  const largest = { part: 99, of: 99, notes: [], notesBudget: 0 };
  const tails = [
    textWeight(stageTail(plan, largest)),
    textWeight(promptOf(plan, 'structured')) + textWeight(JSON.stringify(prompts.structuredSchema)),
    textWeight(promptOf(plan, 'plain')),
  ];
  return (
    Math.max(...tails) +
    textWeight(prompts.promptWithNotesOfEarlierParts({ notes: '', part: largest.part, of: largest.of }))
  );
}

function rangeOf(part: HistoryPart, { notes, notesBudget, ...place }: PartPlace) {
  const { from, to, stubbed } = part;
  const told = notes.length === 0 ? undefined : fitNotes(notes, notesBudget);
  const head =
    told === undefined ? [] : [userRequestMessage(prompts.promptWithNotesOfEarlierParts({ notes: told, ...place }))];
  return { from, to, stubbed, head };
}

const stageTail = (plan: CompactionPlan, { part, of }: PartPlace): string => prompts.stagePrompt({ ...plan, part, of });
const promptOf = (plan: CompactionPlan, way: Way): string =>
  way === 'plain' ? prompts.plainPrompt(plan) : prompts.structuredPrompt({ ...plan, answerTokens: plan.budget.answer });

export interface CompactionProgress {
  readonly way: 'remote' | 'structured' | 'plain';
  readonly why?: Outcome;
  /** Limit for a request; lowered after a provider refused one as too long. */
  readonly space: number;
  readonly overflows: number;
  /** Remaining parts, oldest first; the last is for the checkpoint. */
  readonly parts: readonly HistoryPart[];
  /** Number of parts before these, and the notes on them. */
  readonly done: number;
  readonly notes: readonly string[];
  readonly notesBudget: number;
  /** Requests for notes so far, and how many of the newest failed. */
  readonly stages: number;
  readonly failedStages: number;
  /** The provider refused a request with a schema: from then on only the prompt specifies the form of the answer. */
  readonly freely: boolean;
  /** Faults for which Capstan asked the model once more in the current way; empty before that. */
  readonly faults: readonly string[];
}

/** Most requests for notes in one compaction. If history needs more, code makes the notes on its oldest part. */
const mostStages = 40;
const leastCapacity = 300;
const notesPercent = 30;
const leastOfMostNotes = 1000;

export const initialProgress = (plan: CompactionPlan): CompactionProgress => ({
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
});

/** Splits everything from `from` on into parts and reserves space for notes. Undefined if no part could be sent. */
export function layOutParts(
  plan: CompactionPlan,
  source: CompactionSource,
  progress: CompactionProgress,
  from: number,
): CompactionProgress | undefined {
  const { space, notes, stages } = progress;
  if (from === 0 && notes.length === 0) {
    const alone = { ...progress, parts: [{ from, to: source.input.length, stubbed: [], sent: true }] };
    if (requestWeight(plan, source, finalRequest(plan, alone)) <= space) return alone;
  }
  const available = space - plan.budget.fixed - frameWeight(plan);
  const mostNotes = Math.max(leastOfMostNotes, 4 * plan.budget.answer);
  const notesBudget = Math.min(Math.floor((available * notesPercent) / 100), mostNotes);
  const capacity = available - notesBudget;
  if (capacity < leastCapacity) return undefined;
  const parts = cutIntoParts(source, from, capacity, mostStages - stages);
  return parts.some((part) => part.sent && part.to > part.from) ? { ...progress, parts, notesBudget } : undefined;
}

/** Asks for the checkpoint from the last part, which is everything if nothing had to be cut. */
export function finalRequest(plan: CompactionPlan, progress: CompactionProgress): CompactionRequest {
  const strategy = progress.way === 'plain' ? 'plain' : 'structured';
  const schema = strategy === 'plain' || progress.freely ? {} : { outputSchema: prompts.structuredSchema };
  const tail = [userRequestMessage(promptOf(plan, strategy))];
  return { ...rangeOf(progress.parts.at(-1)!, currentPlace(progress)), strategy, tail, ...schema };
}

export const currentPlace = ({ done, parts, notes, notesBudget }: CompactionProgress): PartPlace => ({
  part: done + 1,
  of: done + parts.length,
  notes,
  notesBudget,
});

export function withPartDone(progress: CompactionProgress, note: string): CompactionProgress {
  const { parts, done, notes } = progress;
  return { ...progress, parts: parts.slice(1), done: done + 1, notes: [...notes, note] };
}

/** Notes of the model replace earlier ones, unless they are so much shorter that something was forgotten. */
export function withAnswerNoted(progress: CompactionProgress, answer: string): CompactionProgress {
  const note = truncateMiddle(answer, { mode: 'tokens', limit: progress.notesBudget });
  const forgot = estimateTokens(note) * 2 < estimateTokens(progress.notes.join('\n\n'));
  return withPartDone(forgot ? progress : { ...progress, notes: [] }, note);
}

export const smallestRequestWeight = (plan: CompactionPlan): number =>
  plan.budget.fixed + frameWeight(plan) + textWeight('');
