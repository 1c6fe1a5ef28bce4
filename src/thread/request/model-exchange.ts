import type { Price } from '../../envelope/price.ts';
import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest, SentFrame } from '../../ports/model-client.ts';
import type { Prompt } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import { planRequest, promptFor } from '../../state/request.ts';
import { sentAgainLine, sentLine } from '../../state/request-sent.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnce } from '../parts/warn-once.ts';
import { type Admitted, admit } from './admit.ts';
import type { RequestToSend } from './request-to-send.ts';
import { type Billing, billingOf } from './billing.ts';
import { checkedAnswer } from './checked-answer.ts';
import { requestHeaders } from './request-options.ts';
import { limitCut } from './limit-reached.ts';
import { retrying } from './retrying.ts';
import { SpentCounter, type SpentEvent } from './spent.ts';
import { StepTrace } from './trace-step.ts';

/** The one way to ask a model: the request is recorded, made durable, sent, and its answer given as it comes. */
export class ModelExchange {
  readonly #turn: Turn;
  readonly #given: RequestToSend;
  readonly #admitted: Admitted;
  readonly #body: ModelRequest['body'];
  readonly #stored: Promise<void>;
  readonly #durable: Promise<void>;
  readonly #trace: StepTrace;
  readonly #prompt: Prompt;
  #billing: Promise<Billing> | undefined;
  #hasLeft = false;
  #isOver = false;

  /** Records it, unless a limit forbids it. It leaves when its answer is read. */
  static async begin(turn: Turn, given: RequestToSend): Promise<ModelExchange | ModelFailure> {
    const admitted = await admit(turn, given, () => plannedPrompt(turn, given));
    if ('code' in admitted) return admitted;
    const { outputLimit } = admitted;
    const lengthField = given.provider.client.lengthField?.(given.options.model);
    const options = { ...given.options, ...defined({ outputLimit, lengthField }) };
    try {
      return new ModelExchange(turn, { ...given, options }, admitted);
    } catch (error) {
      // It will never be sent: nothing waits for what it could have cost.
      admitted.over(undefined);
      throw error;
    }
  }

  private constructor(turn: Turn, given: RequestToSend, admitted: Admitted) {
    const { log } = turn;
    const { step, attempt, by, auxiliary } = given;
    this.#turn = turn;
    this.#given = given;
    this.#admitted = admitted;
    this.#prompt = recordRequest(turn, given);
    this.#body = given.provider.encoder.body(this.#prompt);
    const { stored, told } = log.store();
    this.#stored = stored;
    this.#durable = told;
    // A lost disk is reported at the end of the answer; until then nothing listens.
    for (const each of [stored, told]) each.catch(() => {});
    this.#trace = new StepTrace(turn, { step, attempt, envelope: by, ...defined({ purpose: auxiliary?.purpose }) });
  }

  get bytes(): number {
    return this.#body.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** To be read once. Rejects at its end if the lines of the request are lost. Then nothing was sent. */
  async *answer(signal: AbortSignal): AsyncGenerator<SpentEvent, void> {
    const { form, provider, by } = this.#given;
    const spent = new SpentCounter(this.#prompt);
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
        if (given.kind === 'server-model' && given.model !== by.identity.model.slug) {
          (await import('./other-model.ts')).warnOfOtherModel(this.#turn, by, given.model);
        }
        if (given.kind === 'server-model' || given.kind === 'models-etag') continue;
        const isEnd = given.kind === 'completed' || given.kind === 'failed';
        const event = isEnd ? spent.end(this.#explained(given), await this.#price()) : spent.read(given);
        const cost = isEnd && 'spent' in event ? event.spent : undefined;
        // A reader that gave up does not come back for more.
        if (isEnd) setImmediate(() => this.#admitted.over(cost));
        // What the provider says of its limits may come with a refusal.
        const isAnswer = event.kind !== 'failed' && event.kind !== 'rate-limits';
        if (form === 'stream') this.#trace.sawEvent();
        // An answer proves that the request was sent.
        if (isAnswer) this.#recordSent();
        if (event.kind === 'completed') this.#trace.answered(event.usage);
        yield event;
        // The reader has recorded what it cost: until then it counts as under way, and from here on not beside the next.
        if (isEnd) this.#admitted.over(cost);
      }
    } finally {
      setImmediate(() => this.#admitted.over(undefined));
    }
    // What the connection says later of the request counts no more.
    this.#isOver = true;
    await this.#durable;
  }

  /** What came of it, and of the calls that it led to. */
  end(result: Parameters<StepTrace['end']>[0]): void {
    this.#trace.end(result);
  }

  /** An answer that is cut short because of a limit says so. */
  #explained(event: AnswerEnd): AnswerEnd {
    const { shortenedBy, outputLimit } = this.#admitted;
    if (event.kind !== 'failed' || shortenedBy === undefined || outputLimit === undefined) return event;
    if (event.failure.cause !== 'answer-length') return event;
    return { ...event, failure: limitCut(shortenedBy, outputLimit, this.#turn.parts) };
  }

  /** Asked when the request has left: only the end of its answer needs it. Without a price there is nothing to ask. */
  async #price(): Promise<Price | undefined> {
    const { by, provider } = this.#given;
    if (by.identity.price === undefined) return undefined;
    return (await (this.#billing ??= billingOf(by, provider.client))).price;
  }

  /** The digest of what has left: the model thinks meanwhile. The next sync takes the line along. */
  #recordSent(frame?: SentFrame): void {
    if (this.#isOver) return;
    const { parts, log, turnId } = this.#turn;
    const { step, auxiliary, provider } = this.#given;
    const about = { turnId, step: step.index, ...(auxiliary && { auxiliary: true as const }) };
    const by = { encoder: provider.encoder, digester: parts.digester };
    // It left before, and the server did not take it as what it was.
    if (this.#hasLeft && frame !== undefined) log.record(sentAgainLine(about, frame, by));
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const sent = { prompt: this.#prompt, body: this.#body, ...defined({ frame }) };
    log.record(sentLine(log.state, about, sent, by));
  }

  #request(): ModelRequest {
    const { auxiliary, wants, maxBytes, options } = this.#given;
    return {
      body: this.#body,
      // One beside the conversation would take the place of the answer that the next step builds on.
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
        log.tell({ ...retrying({ ...retry, ...this.#given.retries.next(retry) }), beforeAnswer: true });
        // A lost disk is reported at the end of the answer.
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
  return planRequest(log.state, { ...about, provider: providerOfTurn(by), ...defined({ auxiliary }) }, tools);
}

/** What the request would hold. Nothing is recorded. */
function plannedPrompt(turn: Turn, given: RequestToSend): Prompt {
  const { state } = turn.log;
  const { record } = plan(turn, given);
  return promptFor({ ...state, toolSets: new Map([...state.toolSets, [record.toolSet, given.tools]]) }, record);
}

/** Records what the request will hold, says what it breaks, and gives it. */
function recordRequest(turn: Turn, given: RequestToSend): Prompt {
  const { log, turnId } = turn;
  const { step, auxiliary } = given;
  const { record, drafts, prefix } = plan(turn, given);
  log.record(...drafts);
  // The conversation continues as if a request beside it had not been.
  if (auxiliary === undefined && prefix !== undefined && prefix.breaks.length > 0) {
    const { kept, breaks } = prefix;
    log.tell({ kind: 'prefix-broken', turnId, step: step.index, keptTokens: kept.tokens ?? 0, breaks });
  }
  return promptFor(log.state, record);
}

async function* compacted(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  const answer = await client.compact!(request, signal);
  if (answer.kind === 'failed') return yield answer;
  for (const item of answer.output) yield { kind: 'item', item };
  yield { kind: 'completed', responseId: '', ...defined({ usage: answer.usage }) };
}
