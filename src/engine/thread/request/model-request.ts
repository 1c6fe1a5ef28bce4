import { retryDelay } from '../../../adapters/model/http/failures/model-failure.ts';
import { defined } from '../../../base/objects.ts';
import type { Envelope, Step } from '../../../core/envelope/envelope.ts';
import { type TurnIdentity, sentEffort } from '../../../core/envelope/identity.ts';
import { fitRequestToCost, leastAnswerTokens, type RequestSize } from '../../../core/envelope/prices.ts';
import { requestTokens } from '../../../core/history/window-usage.ts';
import type { AuxiliaryRequest } from '../../../core/state/request-record.ts';
import { spendingAllowances } from '../../../core/state/usage-and-limits.ts';
import type { SharedSpending } from '../../../ports/agents.ts';
import type {
  ModelFailure,
  ModelRequest,
  ModelPrompt,
  ModelProvider,
  RequestOptions,
  RequestRetry,
  ToolSpec,
} from '../../../ports/model.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { formatWaitTime } from '../../../protocol/display-text.ts';
import { endWithFullStop } from '../../../protocol/outcome.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { UsageAllowance, RequestFit, Usage } from '../../../protocol/usage.ts';
import { activeTokensNow } from '../context/token-estimates.ts';
import { type RequestBilling, resolveRequestBilling } from '../record/record-usage.ts';
import type { Turn } from '../thread-parts.ts';
import { limitFailure, type UnlimitedAnswer } from './spending-limits.ts';

export interface AdmittedRequest {
  /** The limit on the answer that the request states. Absent: none. */
  readonly outputLimit?: number;
  /** The limit that makes the answer shorter than it could be. */
  readonly shortenedBy?: UsageAllowance;
  over(spent: Usage | undefined): void;
}

const free: AdmittedRequest = { over: () => {} };
/** For a model whose record does not limit its answers. */
const usualOutput = 32_000;

/**
 * Checks a request against the limits of its turn, of the root that it works for, and of all agents. A request that
 * could exceed one is not sent. The answer is limited to what is left, if the format can express that.
 */
export async function admitRequest(
  turn: Turn,
  given: RequestToSend,
  planned: () => ModelPrompt,
): Promise<AdmittedRequest | ModelFailure> {
  const { parts, log, envelope, memory, signal } = turn;
  const { limits } = envelope.policy;
  if (limits === undefined && parts.agent === undefined) return free;
  const endless = await whyUnlimited(given);
  const isLimited = endless === undefined;
  const billing = await resolveRequestBilling(given.by, given.provider.client);
  const size = sizeOf(turn, given, { prompt: planned(), isLimited, billing });
  let all: readonly UsageAllowance[] = [];
  const decide = ({ beside, left }: SharedSpending): RequestFit => {
    all = [...(limits === undefined ? [] : spendingAllowances(log.state, limits, beside)), ...left];
    return fitRequestToCost(all, size);
  };
  // Without agents only its own requests are under way, such as several reviews.
  const { fitting, over } = await (parts.agents === undefined
    ? memory.underWay.admit('own', (own) => decide({ beside: own.of(() => true), left: [] }), signal)
    : parts.agents.meter(decide, signal));
  const answer = endless && { tokens: size.output, why: endless };
  if (fitting.kind !== 'fits') return limitFailure(fitting, { by: given.by, billing, parts }, answer);
  const { output: outputLimit } = fitting;
  if (!isLimited || all.length === 0) return { over };
  if (outputLimit >= size.output) return { outputLimit, over };
  const isTightest = (fit: RequestFit): boolean => fit.kind === 'fits' && fit.output === outputLimit;
  return { outputLimit, shortenedBy: all.find((each) => isTightest(fitRequestToCost([each], size))), over };
}

/** The reason why the request cannot limit its answer; undefined: it can. */
async function whyUnlimited({ provider, form }: RequestToSend): Promise<UnlimitedAnswer['why'] | undefined> {
  if (form === 'unary') return 'checkpoint';
  const { outputLimit } = provider.capabilities;
  if (outputLimit === 'always') return undefined;
  if (outputLimit === undefined) return 'provider';
  return (await provider.client.authMode()) === 'chatgpt' ? 'chatgpt' : undefined;
}

function sizeOf(
  turn: Turn,
  { by, step, auxiliary }: RequestToSend,
  {
    prompt,
    isLimited,
    billing,
  }: { readonly prompt: ModelPrompt; readonly isLimited: boolean; readonly billing: RequestBilling },
): RequestSize {
  const { model } = by.identity;
  const estimate = requestTokens(prompt);
  // The provider's last count predicts its next one better than our estimate.
  const input = auxiliary === undefined ? Math.max(estimate, activeTokensNow(turn, step).tokens) : estimate;
  const longest = model.maxOutputTokens ?? usualOutput;
  const window = model.maxContextWindow ?? model.contextWindow;
  // Without a limit only the model's window bounds the answer.
  const output = isLimited ? longest : Math.max(leastAnswerTokens, Math.min(longest, window - input));
  return { input, output, least: isLimited ? Math.min(leastAnswerTokens, output) : output, price: billing.price };
}

export interface RequestToSend {
  readonly step: Step;
  readonly attempt: number;
  readonly retries: RetryCount;
  readonly by: Envelope;
  readonly provider: ModelProvider;
  readonly options: RequestOptions;
  readonly tools: readonly ToolSpec[];
  readonly modalities: readonly string[];
  /** Absent: a request of the conversation. */
  readonly auxiliary?: AuxiliaryRequest;
  /** `unary`: the provider makes a checkpoint by itself, and answers when it is done. */
  readonly form: 'stream' | 'unary';
  /** Set for a request that wants no answer to a conversation. */
  readonly wants?: ModelRequest['wants'];
  readonly maxBytes?: number;
}

export class RetryCount {
  readonly #most: number;
  /** The client's own retries each time that it is asked. */
  #perAsking = 0;
  #made = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts one more. `by`: the client's count, if the retry is its own. */
  next(by?: RequestRetry): Pick<RequestRetry, 'attempt' | 'of'> {
    this.#made += 1;
    if (by?.isFinal === true) return { attempt: this.#made, of: this.#made + by.of - by.attempt };
    if (by !== undefined) this.#perAsking = by.of;
    return { attempt: this.#made, of: Math.max(this.#made, (this.#perAsking + 1) * (this.#most + 1) - 1) };
  }
}

export function retryEvent({ failure, waitMs, attempt, of }: RequestRetry): Extract<ThreadEvent, { kind: 'retrying' }> {
  const wait = waitMs < 2000 ? '' : ` in ${Math.round(waitMs / 1000)} seconds`;
  const askedMs = failure.retry === 'never' ? undefined : failure.retry.askedMs;
  const asked = askedMs === undefined ? '' : `The provider asks to wait ${formatWaitTime(askedMs)}. `;
  const reason = endWithFullStop(failure.message);
  const message = `${reason} ${asked}Trying again${wait} (${attempt} of ${of}).`;
  return { kind: 'retrying', outcome: { ...failure, message }, reason, waitMs, attempt, of };
}

/** Asks until there is an answer, a lasting failure or an interruption, or the tries are used up. */
export async function askWithRetries<Answer>(
  { signal, parts, log }: Pick<Turn, 'signal' | 'parts' | 'log'>,
  ask: (attempt: number, retries: RetryCount) => Promise<Answer>,
  { failureOf, most }: { failureOf(answer: Answer): ModelFailure | undefined; readonly most: number },
): Promise<Answer> {
  /** Allowed once: a client that always finds other words would never end. */
  let reworded = 0;
  const retries = new RetryCount(most);
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(attempt + reworded, retries);
    const failure = failureOf(answer);
    if (failure === undefined || signal.aborted || failure.retry === 'never') return answer;
    if (failure.retry.otherwise === true && reworded === 0) {
      reworded = 1;
      attempt--;
      continue;
    }
    if (attempt > most) return answer;
    const waitMs = failure.retry.afterMs ?? retryDelay(attempt, parts.random);
    log.tell(retryEvent({ failure, waitMs, ...retries.next() }));
    // Report it before the wait, not after.
    await log.durable();
    await parts.clock.sleep(waitMs, signal);
  }
}

export function requestOptions({ threadId, turnId }: Turn, { identity, modes }: Envelope): RequestOptions {
  const { outputSchema, cyberAccessProgram } = modes;
  return {
    model: identity.model.slug,
    ...(identity.effort === undefined ? {} : { effort: sentEffort(identity.model, identity.effort) }),
    ...(identity.summary === undefined || identity.summary === 'none' ? {} : { summary: identity.summary }),
    ...defined({ verbosity: identity.verbosity, serviceTier: identity.serviceTier, outputSchema, cyberAccessProgram }),
    ...identity.sampling,
    ...defined({ maxOutputTokens: identity.model.maxOutputTokens }),
    parallelToolCalls: identity.model.parallelCalls ?? true,
    cacheKey: threadId,
    labels: { session_id: threadId, thread_id: threadId, turn_id: turnId },
  };
}

export function requestHeaders(threadId: ThreadId, client: TurnIdentity['client']): Readonly<Record<string, string>> {
  return {
    'session-id': threadId,
    'thread-id': threadId,
    'x-client-request-id': threadId,
    originator: client.name,
    'user-agent': `${client.name}/${client.version}`,
  };
}
