import type {
  CompactionPlan,
  CompactionOutcome,
  CompactionRequest,
} from '../../../core/compaction/plan/compaction-plan.ts';
import { type Envelope, type Step, turnProvider } from '../../../core/envelope/envelope.ts';
import { compactionSummaryItem, compactionTriggerItem } from '../../../core/fragments/message-items.ts';
import type { AuthMode, ModelFailure, ModelProvider, RequestOptions } from '../../../ports/model.ts';
import { defined } from '../../../base/objects.ts';
import { isMessage, type Item, messageTextWithoutRefusals } from '../../../protocol/item.ts';
import { isSameProvider } from '../../../protocol/provider-name.ts';
import { addUsage, noUsage, type Usage } from '../../../protocol/usage.ts';
import type { AuxiliaryRequest } from '../../../core/state/request-record.ts';
import type { Turn } from '../thread-parts.ts';
import { compactionContract } from '../context/turn-contract.ts';
import { recordSpent } from '../record/record-usage.ts';
import { ModelExchange } from '../request/model-exchange.ts';
import { requestOptions, type RequestToSend, askWithRetries } from '../request/model-request.ts';
import type { CostedEvent } from '../request/answer-events.ts';

/** `by`: the contract under which the model is asked. */
type Asking = { readonly plan: CompactionPlan } & Pick<RequestToSend, 'by'>;
type AskedContract = Pick<RequestToSend, 'options' | 'tools' | 'modalities'>;
/** The request form for a provider that makes the checkpoint by itself. */
type RemoteForm = 'unary' | 'stream' | undefined;
/** Few, as there are other ways to a checkpoint. */
const mostRetries = 2;
/** In milliseconds; a longer timer fires at once. */
const longestTimer = 2 ** 31 - 1;

export class CompactionRequests {
  readonly #turn: Turn;
  readonly #step: Step;
  readonly #provider: ModelProvider;
  readonly #signal: AbortSignal;
  usage: Usage = noUsage;
  count = 0;
  #counted = 0;

  constructor(turn: Turn, step: Step, { provider, signal }: { provider: ModelProvider; signal: AbortSignal }) {
    this.#turn = turn;
    this.#step = step;
    this.#provider = provider;
    this.#signal = signal;
  }

  get uncounted(): number {
    return this.count - this.#counted;
  }

  perform(request: CompactionRequest, asking: Asking): Promise<CompactionOutcome> {
    const { parts, log } = this.#turn;
    const again = { parts, log, signal: this.#signal };
    return askWithRetries(again, (attempt, retries) => this.#ask(request, { ...asking, attempt, retries }), {
      failureOf: (outcome) => (outcome.kind === 'failed' ? outcome.failure : undefined),
      most: Math.min(mostRetries, parts.streamMaxRetries),
    });
  }

  async #ask(
    asked: CompactionRequest,
    { plan, by, attempt, retries }: Asking & Pick<RequestToSend, 'attempt' | 'retries'>,
  ): Promise<CompactionOutcome> {
    const provider = this.#provider;
    const form = asked.strategy === 'remote' ? (plan.remoteForm ?? 'stream') : undefined;
    const { options, tools, modalities } = this.#contract(by, form);
    // The login must be read for this, and only the unary form depends on it.
    const authMode = form === 'unary' ? await provider.client.authMode() : 'none';
    const { maxBytes, timeoutMs } = this.#turn.parts.compactionLimits;
    const about = { step: this.#step, attempt, retries, by, provider, tools, modalities, maxBytes };
    const request = await ModelExchange.begin(this.#turn, {
      ...about,
      options: optionsFor(options, asked, { form, authMode }),
      auxiliary: this.#auxiliary(asked, form),
      form: form ?? 'stream',
      ...(form === 'stream' ? { wants: 'checkpoint' } : {}),
    });
    if ('code' in request) return { kind: 'failed', failure: request };
    this.count++;
    const answer = await this.#inTime(timeoutMs, (inTime) => this.#read(request.answer(inTime)));
    const failure = answer.kind === 'failed' ? answer.failure : undefined;
    request.end({ outcome: failure === undefined ? 'done' : 'failed', calls: 0, failure });
    return answer;
  }

  /** Ends a stream that the server keeps alive forever. */
  async #inTime(
    timeoutMs: number,
    read: (signal: AbortSignal) => Promise<CompactionOutcome>,
  ): Promise<CompactionOutcome> {
    const signal = this.#signal;
    const [late, done] = [new AbortController(), new AbortController()];
    void this.#turn.parts.clock
      .sleep(Math.min(timeoutMs, longestTimer), AbortSignal.any([done.signal, signal]))
      .then(() => late.abort());
    const answer = await read(AbortSignal.any([signal, late.signal]));
    const wasLate = late.signal.aborted && !signal.aborted;
    done.abort();
    if (answer.kind !== 'failed') return answer;
    const isLate = wasLate && answer.failure.code === 'aborted';
    return { kind: 'failed', failure: isLate ? tooSlow(timeoutMs) : withOwnKey(answer.failure) };
  }

  async #read(events: AsyncIterable<CostedEvent>): Promise<CompactionOutcome> {
    const items: Item[] = [];
    let failure: ModelFailure | undefined;
    for await (const event of events) {
      if (event.kind === 'failed') failure = event.failure;
      if (event.kind === 'item') items.push(event.item);
      if (event.kind === 'completed' || event.kind === 'failed') this.#spend(event);
    }
    if (failure !== undefined) return { kind: 'failed', failure };
    const said = items.filter(isMessage).filter(({ role }) => role === 'assistant');
    return { kind: 'answer', text: said.map(messageTextWithoutRefusals).join('\n'), items };
  }

  #spend({ usage, spent }: Pick<Extract<CostedEvent, { kind: 'completed' }>, 'usage' | 'spent'>): void {
    if (usage !== undefined) this.#counted++;
    if (spent === undefined) return;
    this.usage = addUsage(this.usage, spent);
    recordSpent(this.#turn, spent);
  }

  /**
   * The contract of the newest sampling request, if this model got it at this provider, because the provider's cache
   * has its content; otherwise that of `by`. The unary form is no sampling request: it always uses the current tier.
   */
  #contract(by: Envelope, form: RemoteForm): AskedContract {
    const { parts, log } = this.#turn;
    const { sent, toolSets } = log.state;
    const { tools: names, modalities: taken } = compactionContract({ parts, log, envelope: by });
    const options = requestOptions(this.#turn, by);
    const own = { options, tools: parts.router.specs(names, by.policy), modalities: taken };
    if (sent?.kind !== 'request' || sent.record.options.model !== options.model) return own;
    if (sent.record.provider !== undefined && !isSameProvider(sent.record.provider, turnProvider(by))) return own;
    const { toolSet, modalities } = sent.record;
    const { serviceTier: sentTier, outputLimit: _limit, ...others } = sent.record.options;
    const serviceTier = form === 'unary' ? options.serviceTier : sentTier;
    const tools = toolSets.get(toolSet) ?? own.tools;
    return { options: { ...others, ...defined({ serviceTier }), labels: options.labels }, tools, modalities };
  }

  #auxiliary({ from, to, stubbed, head, tail }: CompactionRequest, form: RemoteForm): AuxiliaryRequest {
    const message = ({ role, text }: CompactionRequest['tail'][number]): Item =>
      compactionSummaryItem(`msg_${this.#turn.parts.ids.uuid()}`, role, text);
    const [before, after] = [head.map(message), tail.map(message)];
    if (form === 'stream') after.push(compactionTriggerItem);
    return { purpose: 'compaction', from, to, stubbed, head: before, tail: after };
  }
}

/** The unary form has no tier without a ChatGPT account; the streaming one is a sampling request in all but its end. */
function optionsFor(
  { outputSchema: _schema, ...options }: RequestOptions,
  { outputSchema }: CompactionRequest,
  { form, authMode }: { readonly form: RemoteForm; readonly authMode: AuthMode },
): RequestOptions {
  if (form === 'stream') return options;
  if (form === undefined) return { ...options, ...defined({ outputSchema }), toolChoice: 'none' };
  const { serviceTier, ...rest } = options;
  return { ...rest, ...defined({ serviceTier: authMode === 'chatgpt' ? serviceTier : undefined }), form: 'compact' };
}

function tooSlow(timeoutMs: number): ModelFailure {
  return {
    code: 'answer-too-slow',
    message: `The model did not finish the checkpoint within ${timeoutMs / 1000} seconds, so Capstan stopped waiting.`,
    next: 'Raise compaction.timeout_ms if the model needs longer, or choose a faster model.',
    retry: 'never',
  };
}

/** Names the config key for checkpoint requests, whose limit is a separate one. */
function withOwnKey(failure: ModelFailure): ModelFailure {
  if (failure.code !== 'answer-too-large') return failure;
  const next = 'Check the provider: a checkpoint should not be that large. compaction.max_bytes sets the limit.';
  return { ...failure, next };
}
