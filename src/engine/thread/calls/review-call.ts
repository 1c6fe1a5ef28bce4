import { abortedFailure } from '../../../adapters/model/http/failures/answer-failure.ts';
import { defined } from '../../../base/objects.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import { occasionalBudget } from '../../../core/envelope/window.ts';
import {
  reviewerMayNotAllowText,
  reviewFailedText,
  reviewTimedOutText,
  tooLongToReview,
  tooManyDenialsText,
} from '../../../core/fragments/answers/refusals.ts';
import {
  approvalReviewerInstructions,
  policyForReviewer,
} from '../../../core/fragments/approval-reviewer-instructions.ts';
import {
  addReview,
  decideReview,
  describeGrants,
  mustEndTurn,
  parseReviewVerdict,
} from '../../../core/policy/decide/reviewer-verdict.ts';
import { describePolicy } from '../../../core/policy/profiles/describe-policy.ts';
import { truncatedWords } from '../../../core/state/questions/call-arguments.ts';
import { questionFields } from '../../../core/state/questions/question-lines.ts';
import { reviewInput, type ReviewRequest } from '../../../core/state/review-request.ts';
import type { ModelFailure, ModelFailureCode, RequestOptions } from '../../../ports/model.ts';
import { valueOrAbort } from '../../../protocol/abort.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import { isMessage, messageTextWithoutRefusals } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import type { Answer, Question, ReviewVerdict } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { approvedPrefixesNow, grantsNow, contextWindowNow } from '../context/turn-contract.ts';
import { recordSpent } from '../record/record-usage.ts';
import { ModelExchange } from '../request/model-exchange.ts';
import { requestOptions, type RequestToSend, type RetryCount, askWithRetries } from '../request/model-request.ts';
import type { Turn } from '../thread-parts.ts';
import { findCall } from './calls.ts';

/**
 * The reviewer's answer to a question. A review that fails or takes too long declines the call. If the reviewer cannot
 * be shown everything, the user decides. Reviews of one turn run one after another: each has a record of its own.
 */
export async function reviewCall(place: ReviewPlace, question: Question, signal: AbortSignal): Promise<Answer> {
  const { memory } = place.turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = memory.reviews.running;
  memory.reviews.running = promise;
  try {
    await valueOrAbort(before, signal, undefined);
    if (signal.aborted) return { kind: 'lapsed' };
    const reviewed = await askReviewer(place, question, signal).catch((error: unknown): Reviewed => {
      if (error instanceof Fault) throw error;
      return { kind: 'failed', why: messageOfThrown(error) };
    });
    const { askUser } = place.turn.parts;
    if (reviewed.kind === 'too-long' && askUser !== undefined) return await askUser.ask(question, signal, place.item);
    return answerOf(place, question, reviewed);
  } finally {
    resolve();
  }
}

function answerOf({ turn }: ReviewPlace, question: Question, reviewed: Reviewed): Answer {
  const declined = (note: string): Answer => ({ kind: 'declined', note, by: 'review' });
  switch (reviewed.kind) {
    case 'aborted':
      return { kind: 'lapsed' };
    case 'timed-out':
      return declined(reviewTimedOutText(reviewed.seconds));
    case 'failed':
      return declined(reviewFailedText(reviewed.why));
    case 'too-long':
      return declined(tooLongToReview);
    case 'verdict': {
      const { outcome: _outcome, ...judged } = reviewed.verdict;
      const decision = decideReview(reviewed.verdict, question);
      const verdict = { ...judged, ...(decision === 'beyond' && { overruled: true as const }) };
      const { reviews } = turn.memory;
      reviews.history = addReview(reviews.history, decision === 'allowed' ? 'allowed' : 'declined');
      if (decision === 'allowed') return { kind: 'allowed', by: 'review', verdict };
      if (!mustEndTurn(reviews.history))
        return {
          kind: 'declined',
          ...(decision === 'beyond' && { note: reviewerMayNotAllowText }),
          by: 'review',
          verdict,
        };
      turn.log.tell({ kind: 'warning', outcome: reviewStopped });
      return { kind: 'stopped', note: tooManyDenialsText, by: 'review', verdict };
    }
  }
}

const reviewStopped: Outcome<'review-stopped'> = {
  code: 'review-stopped',
  message: 'The reviewer declined too many calls of this turn, so Capstan ended it.',
  next: 'The thread shows its reasons. Tell the model what it may do, or set approvals_reviewer to "user".',
};

type ReviewPlace = { readonly turn: Turn; readonly step: Step; readonly item?: TurnItem };

/** `too-long`: the action does not fit whole into a request, so the reviewer was not asked. */
type Reviewed =
  | { readonly kind: 'verdict'; readonly verdict: ReviewVerdict }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'timed-out'; readonly seconds: number }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly why: string };

type Attempt = Extract<Reviewed, { kind: 'verdict' }> | { readonly kind: 'no-verdict'; readonly failure: ModelFailure };
/** For all attempts together. */
const deadlineMs = 90_000;
const mostRetries = 2;
/** A verdict is a few lines, but models think at length before they write it. */
const maxBytes = 4 * 1024 ** 2;

/** Failures that may pass by themselves. Others would recur. */
const passing: ReadonlySet<ModelFailureCode> = new Set([
  'overloaded',
  'connection-failed',
  'stream-cut',
  'stream-idle',
  'server-error',
]);

async function askReviewer(place: ReviewPlace, question: Question, signal: AbortSignal): Promise<Reviewed> {
  const { parts, log } = place.turn;
  // The cut part could be the harm, and the model that wrote the call would choose what is cut.
  if (reviewInput(log.state.history, requestFor(place.turn, question, undefined)).isActionCut)
    return { kind: 'too-long' };
  const timeoutMs = parts.reviewTimeoutMs ?? deadlineMs;
  const [late, done] = [new AbortController(), new AbortController()];
  void parts.clock.sleep(timeoutMs, AbortSignal.any([done.signal, signal])).then(() => late.abort('late'));
  const limit = AbortSignal.any([signal, late.signal]);
  let again: string | undefined;
  const attempt = (number: number, retries: RetryCount): Promise<Attempt> =>
    askOnce(place, requestFor(place.turn, question, again), { attempt: number, retries, limit, signal });
  const asked = askWithRetries({ parts, log, signal: limit }, attempt, {
    failureOf: (last) => {
      if (last.kind === 'verdict') return undefined;
      const { failure } = last;
      if (failure.code === 'incomplete') again = unreadableWords(failure);
      return failure;
    },
    most: mostRetries,
  });
  const last = await valueOrAbort(asked, limit, undefined).finally(() => done.abort('done'));
  if (last?.kind === 'verdict') return last;
  if (signal.aborted) return { kind: 'aborted' };
  if (last === undefined || last.failure.code === 'aborted') return { kind: 'timed-out', seconds: timeoutMs / 1000 };
  return { kind: 'failed', why: last.failure.message };
}

interface Asking extends Pick<RequestToSend, 'attempt' | 'retries'> {
  /** Ends the review: with the question, or late. */
  readonly limit: AbortSignal;
  readonly signal: AbortSignal;
}

async function askOnce(
  { turn, step }: ReviewPlace,
  request: ReviewRequest,
  { attempt, retries, limit, signal }: Asking,
): Promise<Attempt> {
  const none = { from: 0, to: 0, stubbed: [], head: [], tail: [] };
  const auxiliary = { purpose: 'review', ...none, review: request } as const;
  const asked = { step, attempt, retries, by: turn.envelope, provider: turn.parts.provider, auxiliary, maxBytes };
  const own = { options: optionsFor(turn), tools: [], modalities: ['text'], form: 'stream' } as const;
  const exchange = await ModelExchange.begin(turn, { ...asked, ...own });
  if ('code' in exchange) return { kind: 'no-verdict', failure: exchange };
  const answer = await readAnswer(turn, exchange, limit);
  // A stopped turn may have ended by now, and nothing more belongs to it.
  if (!signal.aborted) {
    const failure = typeof answer === 'string' ? undefined : answer;
    exchange.end({ outcome: failure === undefined ? 'done' : 'failed', calls: 0, failure });
  }
  if (typeof answer !== 'string')
    return { kind: 'no-verdict', failure: passing.has(answer.code) ? answer : { ...answer, retry: 'never' } };
  const read = parseReviewVerdict(answer);
  if (read.kind === 'unreadable') return { kind: 'no-verdict', failure: unreadable(read.why) };
  return { kind: 'verdict', verdict: read.verdict };
}

/** Does not wait for a connection that ignores being aborted. */
async function readAnswer(turn: Turn, exchange: ModelExchange, limit: AbortSignal): Promise<string | ModelFailure> {
  const events = exchange.answer(limit);
  let failure: ModelFailure | undefined;
  let text = '';
  for (;;) {
    const next = await valueOrAbort(events.next(), limit, undefined);
    if (next === undefined) return abortedFailure();
    if (next.done === true) return failure ?? text;
    const event = next.value;
    if (event.kind === 'failed') ({ failure } = event);
    if (event.kind === 'completed' || event.kind === 'failed') recordSpent(turn, event.spent);
    if (event.kind === 'item' && isMessage(event.item) && event.item.role === 'assistant')
      text += messageTextWithoutRefusals(event.item);
  }
}

function requestFor(turn: Turn, question: Question, again: string | undefined): ReviewRequest {
  const { parts, envelope, log } = turn;
  const call = findCall(log.state.history, question.callId);
  const inCall = call === undefined ? [] : truncatedWords(question, call);
  const fields = questionFields(question, inCall);
  const { turn_id: _turn, call_id: _call, item: _item, scopes: _scopes, in_call: _places, ...asked } = fields;
  return {
    instructions: approvalReviewerInstructions(envelope.policy.reviewPolicy),
    messageId: `msg_${parts.ids.uuid()}`,
    callId: question.callId,
    question: asked,
    policy: policyFields(turn),
    space: occasionalBudget('reviewedQuestion', contextWindowNow(turn).effective),
    ...defined({ again }),
  };
}

/** The turn's current permissions without asking. The record keeps them: a later answer does not change them. */
function policyFields(turn: Turn): JsonObject {
  const { policy, workspace } = turn.envelope;
  const { cwd } = workspace;
  const { approval, profile } = policy;
  const { session, turn: ofTurn } = grantsNow(turn, { approval, profile });
  return policyForReviewer({
    policy: describePolicy(policy.resolved, cwd),
    cwd,
    approvedPrefixes: approvedPrefixesNow(turn),
    granted: { turn: describeGrants(ofTurn), session: describeGrants(session) },
  });
}

/** The options of a step without its output schema. Low effort where the model has it: time is short. */
function optionsFor(turn: Turn): RequestOptions {
  const { outputSchema: _schema, effort: own, ...options } = requestOptions(turn, turn.envelope);
  const effort = turn.envelope.identity.model.supportedEfforts.includes('low') ? 'low' : own;
  return { ...options, ...defined({ effort }), parallelToolCalls: false, cacheKey: `review:${turn.threadId}` };
}

const unreadableStart = "The reviewer's answer could not be read: ";

function unreadable(why: string): ModelFailure {
  const next = 'If it happens again, choose another model or set approvals_reviewer to "user".';
  return { code: 'incomplete', message: `${unreadableStart}${why}.`, next, retry: {} };
}

const unreadableWords = ({ message }: ModelFailure): string | undefined =>
  message.startsWith(unreadableStart) ? message.slice(unreadableStart.length, -1) : undefined;
