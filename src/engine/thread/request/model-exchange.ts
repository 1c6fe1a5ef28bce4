import { defined } from '../../../base/objects.ts';
import { type Envelope, turnProvider } from '../../../core/envelope/envelope.ts';
import type { ModelPrice } from '../../../core/envelope/prices.ts';
import { usageFields } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { planRequest, promptFor } from '../../../core/state/plan-request.ts';
import { sentAgainLine, sentLine } from '../../../core/state/request-sent.ts';
import type {
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  ModelPrompt,
  SentFrame,
} from '../../../ports/model.ts';
import type { StepResult } from '../../../ports/tracer.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { lineType } from '../../../protocol/line.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { type RequestBilling, resolveRequestBilling } from '../record/record-usage.ts';
import type { Turn } from '../thread-parts.ts';
import { warnOnce } from '../log.ts';
import { checkedAnswer, CostCounter, type CostedEvent } from './answer-events.ts';
import { admitRequest, type AdmittedRequest, requestHeaders, type RequestToSend, retryEvent } from './model-request.ts';
import { limitCut } from './spending-limits.ts';

/** The only way to ask a model: records the request, makes it durable, sends it and yields the answer as it comes. */
export class ModelExchange {
  readonly #turn: Turn;
  readonly #given: RequestToSend;
  readonly #admitted: AdmittedRequest;
  readonly #body: ModelRequest['body'];
  readonly #stored: Promise<void>;
  readonly #durable: Promise<void>;
  readonly #trace: StepTrace;
  readonly #prompt: ModelPrompt;
  #billing: Promise<RequestBilling> | undefined;
  #hasLeft = false;
  #isOver = false;

  /** Records the request, unless a limit forbids it. It is sent when its answer is read. */
  static async begin(turn: Turn, given: RequestToSend): Promise<ModelExchange | ModelFailure> {
    const admitted = await admitRequest(turn, given, () => plannedPrompt(turn, given));
    if ('code' in admitted) return admitted;
    const { outputLimit } = admitted;
    const lengthField = given.provider.client.lengthField?.(given.options.model);
    const options = { ...given.options, ...defined({ outputLimit, lengthField }) };
    try {
      return new ModelExchange(turn, { ...given, options }, admitted);
    } catch (error) {
      // It will never be sent: release the spending reserved for it.
      admitted.over(undefined);
      throw error;
    }
  }

  private constructor(turn: Turn, given: RequestToSend, admitted: AdmittedRequest) {
    this.#turn = turn;
    this.#given = given;
    this.#admitted = admitted;
    this.#prompt = recordRequest(turn, given);
    this.#body = given.provider.encoder.body(this.#prompt);
    const { stored, told } = turn.log.store();
    this.#stored = stored;
    this.#durable = told;
    // A lost disk is reported at the end of the answer; until then nothing listens.
    for (const each of [stored, told]) each.catch(() => {});
    this.#trace = new StepTrace(turn, given);
  }

  get bytes(): number {
    return this.#body.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Can be read once. If the lines of the request cannot be stored, nothing is sent, and it rejects when it ends. */
  async *answer(signal: AbortSignal): AsyncGenerator<CostedEvent, void> {
    const { form, provider, by } = this.#given;
    const spent = new CostCounter(this.#prompt);
    const { client } = provider;
    const request = this.#request();
    const { answerMaxItems: maxItems } = this.#turn.parts;
    const ask = () => (form === 'unary' ? compacted(client, request, signal) : client.stream(request, signal));
    try {
      for await (const given of checkedAnswer(ask, { maxItems, signal })) {
        if (given.kind === 'notice') {
          warnOnce(this.#turn, given.outcome, 'code');
          continue;
        }
        if (given.kind === 'server-model' && given.model !== by.identity.model.slug)
          (await import('./request-warnings.ts')).warnOfOtherModel(this.#turn, by, given.model);
        if (given.kind === 'server-model' || given.kind === 'models-etag') continue;
        const isEnd = given.kind === 'completed' || given.kind === 'failed';
        const event = isEnd ? spent.end(this.#explained(given), await this.#price()) : spent.read(given);
        const cost = isEnd && 'spent' in event ? event.spent : undefined;
        // Release the reserved spending in any case: a reader that gave up does not resume the generator.
        if (isEnd) setImmediate(() => this.#admitted.over(cost));
        // The provider may send its limits with a refusal.
        const isAnswer = event.kind !== 'failed' && event.kind !== 'rate-limits';
        if (form === 'stream') this.#trace.sawEvent();
        // An answer proves that the request was sent.
        if (isAnswer) this.#recordSent();
        if (event.kind === 'completed') this.#trace.answered(event.usage);
        yield event;
        // The reader has recorded the cost by now, so the reservation must go: the next request would otherwise be
        // checked against both.
        if (isEnd) this.#admitted.over(cost);
      }
    } finally {
      setImmediate(() => this.#admitted.over(undefined));
    }
    this.#isOver = true;
    await this.#durable;
  }

  end(result: Parameters<StepTrace['end']>[0]): void {
    this.#trace.end(result);
  }

  #explained(event: AnswerEnd): AnswerEnd {
    const { shortenedBy, outputLimit } = this.#admitted;
    const isCut = event.kind === 'failed' && event.failure.cause === 'answer-length';
    if (!isCut || shortenedBy === undefined || outputLimit === undefined) return event;
    return { ...event, failure: limitCut(shortenedBy, outputLimit, this.#turn.parts) };
  }

  /** Needed at the end of the answer; the lookup begins when the request is sent. Without a price there is none. */
  async #price(): Promise<ModelPrice | undefined> {
    const { by, provider } = this.#given;
    if (by.identity.price === undefined) return undefined;
    return (await (this.#billing ??= resolveRequestBilling(by, provider.client))).price;
  }

  /** Records the digest of the sent request while the model thinks. The next sync includes the line. */
  #recordSent(frame?: SentFrame): void {
    if (this.#isOver) return;
    const { parts, log, turnId } = this.#turn;
    const { step, auxiliary, provider } = this.#given;
    const about = { turnId, step: step.index, ...(auxiliary && { auxiliary: true as const }) };
    const by = { encoder: provider.encoder, digester: parts.digester };
    // It was sent before, and the server did not accept it in that form.
    if (this.#hasLeft && frame !== undefined) log.record(sentAgainLine(about, frame, by));
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    log.record(sentLine(log.state, about, { prompt: this.#prompt, body: this.#body, frame }, by));
  }

  #request(): ModelRequest {
    const { auxiliary, wants, maxBytes, options } = this.#given;
    return {
      body: this.#body,
      // A request outside the conversation gives no prompt: otherwise the client would take its answer, not that of the
      // last step, as the one that the next step continues.
      ...(auxiliary === undefined && { prompt: this.#prompt }),
      headers: requestHeaders(this.#turn.threadId, this.#turn.envelope.identity.client),
      after: this.#stored,
      onSent: (frame) => {
        this.#recordSent(frame);
        void this.#price();
        if (auxiliary === undefined) this.#turn.effects.prepare();
      },
      onRetry: (retry) => {
        const { log } = this.#turn;
        log.tell({ ...retryEvent({ ...retry, ...this.#given.retries.next(retry) }), beforeAnswer: true });
        log.durable().catch(() => {});
      },
      routing: { model: options.model, ...defined({ tier: options.serviceTier }) },
      ...defined({ maxBytes, wants }),
    };
  }
}

type AnswerEnd = Extract<ModelEvent, { kind: 'completed' | 'failed' }>;

function plan({ log, turnId }: Turn, given: RequestToSend) {
  const { step, by, provider, options, tools, modalities, auxiliary } = given;
  const about = { turnId, step: step.index, encoder: provider.encoder.version, modalities, options };
  return planRequest(log.state, { ...about, provider: turnProvider(by), ...defined({ auxiliary }) }, tools);
}

/** Records nothing. */
function plannedPrompt(turn: Turn, given: RequestToSend): ModelPrompt {
  const { state } = turn.log;
  const { record } = plan(turn, given);
  return promptFor({ ...state, toolSets: new Map([...state.toolSets, [record.toolSet, given.tools]]) }, record);
}

/** Records the content of the request, reports a broken prefix, and returns the prompt. */
function recordRequest(turn: Turn, given: RequestToSend): ModelPrompt {
  const { log, turnId } = turn;
  const { step, auxiliary } = given;
  const { record, drafts, prefix } = plan(turn, given);
  log.record(...drafts);
  // A request beside the conversation does not affect its prefix.
  if (auxiliary === undefined && prefix !== undefined && prefix.breaks.length > 0) {
    const { kept, breaks } = prefix;
    log.tell({ kind: 'prefix-broken', turnId, step: step.index, keptTokens: kept.tokens ?? 0, breaks });
  }
  return promptFor(log.state, record);
}

async function* compacted(client: ModelClient, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const answer = await client.compact!(request, signal);
  if (answer.kind === 'failed') return yield answer;
  for (const item of answer.output) yield { kind: 'item', item };
  yield { kind: 'completed', responseId: '', ...defined({ usage: answer.usage }) };
}

/**
 * Times one request and its calls, and leaves a line and a span. Model, provider and trace ids come from the request's
 * envelope.
 */
class StepTrace {
  readonly #turn: Turn;
  readonly #labels: Parameters<Turn['parts']['tracer']['startStep']>[0];
  readonly #span: ReturnType<Turn['parts']['tracer']['startStep']>;
  readonly #startedAt: number;
  readonly #window: number;
  #firstEventMs: number | undefined;
  #answerMs = 0;
  #usage: Usage | undefined;

  constructor(turn: Turn, { by, step, attempt, auxiliary }: RequestToSend) {
    const { identity, telemetry, window }: Envelope = by;
    const { effort, provider, modelClient: wire } = identity;
    const { traceId, threadId, turnId } = telemetry;
    this.#window = window.configured;
    this.#turn = turn;
    const asked = { model: identity.model.slug, provider, wire, ...defined({ effort, purpose: auxiliary?.purpose }) };
    this.#labels = { traceId, threadId, turnId, step: step.index, attempt, ...asked };
    this.#span = turn.parts.tracer.startStep(this.#labels);
    this.#startedAt = turn.parts.clock.now();
  }

  sawEvent(): void {
    this.#firstEventMs ??= this.#elapsed();
  }

  answered(usage: Usage | undefined): void {
    this.#answerMs = this.#elapsed();
    this.#usage = usage;
  }

  end({ failure, ...result }: Pick<StepResult, 'outcome' | 'calls'> & { readonly failure?: ModelFailure }): void {
    const totalMs = this.#elapsed();
    const whole: StepResult = {
      ...result,
      ...defined({ failure: failure?.code, usage: this.#usage, firstEventMs: this.#firstEventMs }),
      answerMs: this.#answerMs === 0 ? totalMs : this.#answerMs,
      totalMs,
    };
    // Read again by `state/model-limits.ts`.
    const named = failure?.window === undefined ? {} : { named_window: failure.window, assumed_window: this.#window };
    this.#turn.log.record({ type: lineType.step, payload: { ...this.#payload(whole), ...named } });
    this.#span.end(whole);
  }

  #payload({ outcome, failure, usage, firstEventMs, answerMs, totalMs, calls }: StepResult): JsonObject {
    const { traceId, turnId, step, attempt, model, provider, effort, purpose } = this.#labels;
    const asked = {
      turn_id: turnId,
      step,
      attempt,
      trace_id: traceId,
      model,
      provider,
      ...defined({ effort, purpose }),
    };
    const got = defined({ failure, usage: usage && usageFields(usage), first_event_ms: firstEventMs });
    return { ...asked, outcome, ...got, answer_ms: answerMs, total_ms: totalMs, calls };
  }

  #elapsed(): number {
    return Math.max(0, this.#turn.parts.clock.now() - this.#startedAt);
  }
}
