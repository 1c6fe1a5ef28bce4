import type { Envelope } from '../../envelope/envelope.ts';
import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../ports/model-client.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Prompt, RequestOptions, ToolSpec } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import { planRequest, promptFor } from '../../state/request.ts';
import type { Auxiliary } from '../../state/request-record.ts';
import { sentLine } from '../../state/request-sent.ts';
import type { Turn } from '../parts/parts.ts';
import { checkedAnswer } from './checked-answer.ts';
import { StepTrace } from './trace-step.ts';

/** A request for an answer of a model: of a step, or beside the conversation. */
export interface RequestToSend {
  readonly step: Step;
  readonly attempt: number;
  /** The contract under which the model is asked. */
  readonly by: Envelope;
  readonly provider: Provider;
  readonly options: RequestOptions;
  readonly tools: readonly ToolSpec[];
  readonly modalities: readonly string[];
  /** Absent: a request of the conversation. */
  readonly auxiliary?: Auxiliary;
  /** `unary`: the provider makes a checkpoint by itself, and answers when it is done. */
  readonly form: 'stream' | 'unary';
  /** What is wanted, where it is no answer to a conversation. */
  readonly wants?: ModelRequest['wants'];
  readonly maxBytes?: number;
}

/** The one way to ask a model: the request is recorded, made durable, sent, and its answer given as it comes. */
export class ModelExchange {
  readonly #turn: Turn;
  readonly #given: RequestToSend;
  readonly #body: ModelRequest['body'];
  readonly #durable: Promise<void>;
  readonly #trace: StepTrace;
  readonly #prompt: Prompt;
  /** Whether there is nothing more to record about its leaving. */
  #hasLeft = false;

  /** Records it. It leaves when its answer is read. */
  constructor(turn: Turn, given: RequestToSend) {
    const { log } = turn;
    const { step, attempt, by, auxiliary } = given;
    this.#turn = turn;
    this.#given = given;
    this.#prompt = recordRequest(turn, given);
    this.#body = given.provider.encoder.body(this.#prompt);
    this.#durable = log.durable();
    // A lost disk is reported at the end of the answer; until then nothing listens.
    this.#durable.catch(() => {});
    this.#trace = new StepTrace(turn, { step, attempt, envelope: by, ...defined({ purpose: auxiliary?.purpose }) });
  }

  get bytes(): number {
    return this.#body.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** To be read once. Rejects at its end if the lines of the request are lost. Then nothing was sent. */
  async *answer(signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const { form, provider } = this.#given;
    const { client } = provider;
    const request = this.#request();
    const { answerMaxItems: maxItems } = this.#turn.parts;
    const ask = () => (form === 'unary' ? compacted(client, request, signal) : client.stream(request, signal));
    for await (const event of checkedAnswer(ask, { maxItems, signal })) {
      if (form === 'stream') this.#trace.sawEvent();
      // An answer proves that the request was sent.
      if (event.kind !== 'failed') this.#recordSent();
      if (event.kind === 'completed') this.#trace.answered(event.usage);
      yield event;
    }
    // What the connection says later of the request counts no more.
    this.#hasLeft = true;
    await this.#durable;
  }

  /** What came of it, and of the calls that it led to. */
  end(result: Parameters<StepTrace['end']>[0]): void {
    this.#trace.end(result);
  }

  /** The digest of what has left: the model thinks meanwhile. The next sync takes the line along. */
  #recordSent(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const { parts, log, turnId } = this.#turn;
    const { step, auxiliary, provider } = this.#given;
    const about = { turnId, step: step.index, ...(auxiliary && { auxiliary: true as const }) };
    const by = { encoder: provider.encoder, digester: parts.digester };
    log.record(sentLine(log.state, about, { prompt: this.#prompt, body: this.#body }, by));
  }

  #request(): ModelRequest {
    const { auxiliary, wants, maxBytes } = this.#given;
    return {
      body: this.#body,
      headers: requestHeaders(this.#turn),
      after: this.#durable,
      onSent: () => {
        this.#recordSent();
        if (auxiliary === undefined) this.#turn.effects.prepare();
      },
      ...defined({ maxBytes, wants }),
    };
  }
}

/** Records what the request will hold, says what it breaks, and gives it. */
function recordRequest({ log, turnId }: Turn, given: RequestToSend): Prompt {
  const { step, by, provider, options, tools, modalities, auxiliary } = given;
  const about = { turnId, step: step.index, encoder: provider.encoder.version, modalities, options };
  const asked = { ...about, provider: providerOfTurn(by), ...defined({ auxiliary }) };
  const { record, drafts, prefix } = planRequest(log.state, asked, tools);
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

/** Names of the thread and of the program, for the provider's logs. */
function requestHeaders({ threadId, envelope }: Turn): Readonly<Record<string, string>> {
  const { client } = envelope.identity;
  return {
    'session-id': threadId,
    'thread-id': threadId,
    'x-client-request-id': threadId,
    originator: client.name,
    'user-agent': `${client.name}/${client.version}`,
  };
}
