import type { ModelFailure } from '../../ports/model.ts';
import { isMessage, messageText } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isTurnBoundary } from '../history/entry.ts';
import { mechanicalCandidate, minimumCandidateSize, remoteCandidate } from './candidates/build-candidate.ts';
import { type Candidate, type CandidateEntry, isFaultyAnswer } from './candidates/candidate.ts';
import { plainCandidate, structuredCandidate } from './candidates/written-candidate.ts';
import type { CompactionOutcome, CompactionPlan, CompactionRequest, CompactionSource } from './plan/compaction-plan.ts';
import { anythingToCompact, isAfterRefusal } from './plan/compaction-plan.ts';
import * as refusals from './plan/failure-messages.ts';
import { itemMatcher, notesWithoutModel, requestWeight } from './requests/history-parts.ts';
import * as requests from './requests/requests.ts';
import type { CompactionProgress } from './requests/requests.ts';

export interface CompactionState {
  readonly plan: CompactionPlan;
  readonly source: CompactionSource;
  readonly request: CompactionRequest;
  readonly progress: CompactionProgress;
}

/** The next step. Until a candidate is installed, the old history remains (I8). */
export type CompactionStep =
  | { readonly kind: 'request'; readonly state: CompactionState; readonly request: CompactionRequest }
  /** Checked: parses, fits, keeps the user's words, frees space. `why`: the reason for leaving the planned way. */
  | { readonly kind: 'candidate'; readonly candidate: Candidate; readonly why?: Outcome }
  /** Also checked, but built without the model for the reason `why`. */
  | { readonly kind: 'mechanical'; readonly candidate: Candidate; readonly why: Outcome }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

type Work = Pick<CompactionState, 'plan' | 'source'>;

export function beginCompaction(plan: CompactionPlan, source: CompactionSource): CompactionStep {
  if (!anythingToCompact(plan, source)) return { kind: 'refused', outcome: refusals.nothingToCompact };
  const ahead = refusals.focusProblem(plan) ?? refusedAhead(plan, source);
  if (ahead !== undefined) return { kind: 'refused', outcome: ahead };
  const work = { plan, source };
  const progress = requests.initialProgress(plan);
  if (plan.strategy !== 'remote') return fromModel(work, progress);
  const remote = requests.remoteRequest(plan, source);
  if (remote !== undefined) return ask(work, progress, remote);
  return fromModel(work, { ...progress, why: refusals.tooLargeForProviderOutcome(plan) });
}

/** The reason to ask no model: no checkpoint of this history is worth it. */
function refusedAhead(plan: CompactionPlan, source: CompactionSource): Outcome | undefined {
  const { most, gain } = plan.budget;
  const bare = minimumCandidateSize(plan, source);
  const isOver = Math.min(most, gain) < bare.tokens;
  if (plan.trigger === 'manual') return isOver ? refusals.noGainExpectedOutcome(plan, bare.tokens) : undefined;
  const isUseless = (isOver || isAfterRefusal(plan)) && isNoSmaller(plan, bare);
  return isUseless ? refusals.wouldGrowOutcome(plan, bare.tokens) : undefined;
}

/** Number and total of requests if history is taken in parts; undefined if one request holds all of it. */
export function currentStage({ progress }: CompactionState) {
  const { part: stage, of } = requests.currentPlace(progress);
  return of > 1 ? { stage, of } : undefined;
}

export function continueCompaction(state: CompactionState, outcome: CompactionOutcome): CompactionStep {
  if (outcome.kind === 'failed') return failed(state, outcome.failure);
  const { plan, source, progress } = state;
  if (progress.way === 'remote') {
    const candidate = remoteCandidate(plan, source, outcome.items, plan.remoteForm ?? 'stream');
    if (!isFaultyAnswer(candidate)) return checked(state, progress, candidate);
    return fromModel(state, { ...progress, why: refusals.unusableAnswersOutcome(candidate.faults, 'ask-model') });
  }
  if (progress.parts.length > 1) return noted(state, { ...progress, failedStages: 0 }, outcome.text);
  const make = progress.way === 'plain' ? plainCandidate : structuredCandidate;
  const candidate = make(plan, source, outcome.text);
  return isFaultyAnswer(candidate)
    ? faulty(state, outcome.text, candidate.faults)
    : checked(state, progress, candidate);
}

/** Asks a model in the configured way; after a failure of the provider's own way, asks for JSON. */
function fromModel(work: Work, progress: CompactionProgress): CompactionStep {
  const way = progress.way === 'remote' ? 'structured' : progress.way;
  const { plan, source } = work;
  const laidOut = requests.layOutParts(plan, source, { ...progress, way }, 0);
  return laidOut === undefined
    ? mechanical(work, refusals.requestTooLargeOutcome(plan, requests.smallestRequestWeight(plan)))
    : lookAtNext(work, laidOut);
}

function lookAtNext(work: Work, progress: CompactionProgress): CompactionStep {
  const { plan } = work;
  const part = progress.parts[0]!;
  if (progress.parts.length === 1) return ask(work, progress, requests.finalRequest(plan, progress));
  if (!part.sent) return noted(work, progress, '');
  const request = requests.stageRequest(plan, part, requests.currentPlace(progress));
  return ask(work, { ...progress, stages: progress.stages + 1 }, request);
}

const ask = ({ plan, source }: Work, progress: CompactionProgress, request: CompactionRequest): CompactionStep => ({
  kind: 'request',
  state: { plan, source, request, progress },
  request,
});

/** Without an answer, code makes the notes. */
function noted(work: Work, progress: CompactionProgress, answer: string): CompactionStep {
  if (answer.trim() !== '') return lookAtNext(work, requests.withAnswerNoted(progress, answer));
  const { source } = work;
  const { from, to } = progress.parts[0]!;
  const notes = notesWithoutModel(source.input.slice(from, to), {
    isUsers: itemMatcher(source, (entry) => isTurnBoundary(entry) && entry.origin.family !== 'context'),
    isPrograms: itemMatcher(source, ({ origin }) => origin.family === 'client'),
  });
  return lookAtNext(work, requests.withPartDone(progress, notes));
}

/** Asks once more with the faults if this is the chosen way and not yet repeated; otherwise takes the next way. */
function faulty(state: CompactionState, answer: string, faults: readonly string[]): CompactionStep {
  const { plan, source, progress } = state;
  const chosen = progress.way === 'structured' || plan.strategy === 'plain';
  if (chosen && progress.faults.length === 0) {
    const request = requests.finalRequest(plan, progress);
    const left = progress.space - requestWeight(plan, source, request);
    const repair = requests.repairRequest(request, answer, faults, { left, answer: 2 * plan.budget.answer });
    if (repair !== undefined) return ask(state, { ...progress, faults }, repair);
  }
  return nextWay(state, progress, (then) => refusals.unusableAnswersOutcome(faults, then));
}

/** The plain prompt is shorter, so it fits wherever the other did. */
function nextWay(work: Work, progress: CompactionProgress, why: (then: 'plain-summary' | 'no-model') => Outcome) {
  if (progress.way === 'plain') return mechanical(work, why('no-model'));
  const plain: CompactionProgress = { ...progress, way: 'plain', faults: [], why: why('plain-summary') };
  return ask(work, plain, requests.finalRequest(work.plan, plain));
}

const writeLess = 'The answer must be shorter, so that all of it fits.';
/** Every further request would fail in the same way. */
const failsEverywhere = new Set<string>(['unauthorized', 'usage-limit', 'spending-limit', 'connection-failed']);
/** Capstan stopped reading after minutes or megabytes. Another question to the same model may take as long. */
const givenUp: ReadonlySet<string> = new Set(['answer-too-slow', 'answer-too-large']);
/** That many failures in a row are no accident: later parts would also fail. */
const mostFailedStages = 2;
const badRequest: ReadonlySet<number | undefined> = new Set([400, 422]);

function failed(state: CompactionState, failure: ModelFailure): CompactionStep {
  const { plan, request, progress } = state;
  if (failure.code === 'aborted') return { kind: 'refused', outcome: refusals.compactionAbortedOutcome(plan) };
  // A key that is valid for turns may be refused for the provider's own checkpoints.
  const isAllowedLess = progress.way === 'remote' && failure.code === 'unauthorized';
  if (failsEverywhere.has(failure.code) && !isAllowedLess)
    return { kind: 'refused', outcome: refusals.historyUnchanged(failure) };
  if (failure.code === 'context-window-exceeded') return tooLong(state);
  if (givenUp.has(failure.code)) return withoutModel(state, failure);
  if (progress.way === 'remote')
    return fromModel(state, { ...progress, why: refusals.modelFailedOutcome(failure, 'ask-model') });
  // Not every provider takes a schema, and each refuses it in its own words.
  if (request.outputSchema !== undefined && badRequest.has(failure.status))
    return ask(state, { ...progress, freely: true }, requests.withoutSchema(request));
  const isStage = progress.parts.length > 1;
  if (failure.code === 'incomplete' && !isStage) return faulty(state, '', [failure.message, writeLess]);
  const failedStages = progress.failedStages + 1;
  if (isStage && failedStages < mostFailedStages) return noted(state, { ...progress, failedStages }, '');
  return isStage || plan.trigger === 'manual'
    ? withoutModel(state, failure)
    : nextWay(state, progress, (then) => refusals.modelFailedOutcome(failure, then));
}

/** A user who compacts by hand can ask again, and loses more by a poor checkpoint. */
function withoutModel(state: CompactionState, failure: ModelFailure): CompactionStep {
  if (state.plan.trigger === 'manual') return { kind: 'refused', outcome: refusals.historyUnchanged(failure) };
  return mechanical(state, refusals.modelFailedOutcome(failure, 'no-model'));
}

const mostOverflows = 3;

/** The provider counts tokens differently. The refused part is split, with half the space. */
function tooLong(state: CompactionState): CompactionStep {
  const { plan, source, request, progress } = state;
  const weight = requestWeight(plan, source, request);
  const overflows = progress.overflows + 1;
  const { fixed } = plan.budget;
  const space = fixed + Math.max(0, Math.floor((Math.min(weight, progress.space) - fixed) / 2));
  const tooLong = refusals.refusedAsTooLongOutcome(overflows, weight);
  const way = progress.way === 'remote' ? { way: 'structured' as const, why: tooLong } : {};
  if (overflows > mostOverflows) return mechanical(state, tooLong);
  const laidOut = requests.layOutParts(plan, source, { ...progress, ...way, space, overflows }, request.from);
  return laidOut === undefined ? mechanical(state, tooLong) : lookAtNext(state, laidOut);
}

function checked(work: Work, { why, faults }: CompactionProgress, candidate: Candidate): CompactionStep {
  const problem = candidateProblem(work.plan, candidate);
  if (problem !== undefined) return mechanical(work, problem);
  const mended = [...(faults.length === 0 ? [] : [refusals.askedAgainText(faults)]), ...candidate.mended];
  return { kind: 'candidate', candidate: { ...candidate, mended }, why };
}

/** Fallback without a model: it always works unless even this frees no space. */
function mechanical({ plan, source }: Work, why: Outcome): CompactionStep {
  const candidate = mechanicalCandidate(plan, source, why);
  const problem = candidateProblem(plan, candidate);
  if (problem === undefined) return { kind: 'mechanical', candidate, why };
  const isShort = plan.trigger === 'auto' && isNoSmaller(plan, candidate);
  return { kind: 'refused', outcome: isShort ? refusals.wouldGrowOutcome(plan, candidate.tokens) : problem };
}

/** Checks a candidate as a history (I8); undefined if it is valid. */
export function candidateProblem(plan: CompactionPlan, candidate: Candidate): Outcome | undefined {
  const { entries, tokens } = candidate;
  const last = entries.at(-1);
  if (last === undefined) return refusals.candidateMalformedOutcome('it is empty.');
  if (!isSummary(last, candidate)) return refusals.candidateMalformedOutcome('it does not end with the summary.');
  if (tokens > plan.budget.most || tokens > plan.budget.gain) return refusals.noGainOutcome(plan, tokens);
  // `gain` already contains a provider's higher count. After a refusal there is no count: our estimate decides.
  return isAfterRefusal(plan) && isNoSmaller(plan, candidate) ? refusals.wouldGrowOutcome(plan, tokens) : undefined;
}

/** By our estimate, including the context that is sent again. */
const isNoSmaller = ({ budget, mayGrow }: CompactionPlan, { tokens }: Pick<Candidate, 'tokens'>): boolean =>
  mayGrow !== true && tokens + budget.context >= budget.before;

/** A provider that compacts by itself may encrypt its text; every other summary is readable. */
function isSummary(last: CandidateEntry, { strategy, message }: Candidate): boolean {
  const { item, origin } = last.kind === 'kept' ? last.entry : { item: last.item('check'), origin: last.origin };
  if (strategy === 'remote') return origin.family !== 'user';
  return last.kind === 'made' && message !== '' && isMessage(item) && messageText(item).includes(message);
}
