import type { CompactionPlan } from '../compaction/plan.ts';
import type { CompactionOutcome, CompactionRequest } from '../compaction/request.ts';
import type { Envelope } from '../envelope/envelope.ts';
import { providerOfTurn } from '../envelope/provider-of.ts';
import type { Step } from '../envelope/step.ts';
import { compactionMessage, compactionTrigger } from '../fragments/message.ts';
import type { AuthMode, ModelFailure } from '../ports/model-client.ts';
import type { RequestOptions, ToolSpec } from '../ports/prompt.ts';
import { isMessage, type Item, messageText } from '../protocol/item.ts';
import { isSameProvider } from '../protocol/provider-name.ts';
import { addUsage, noUsage, type Usage } from '../protocol/usage.ts';
import { planRequest, promptFor } from '../state/request.ts';
import type { Auxiliary } from '../state/request-record.ts';
import { tokenCount } from '../state/turn-drafts.ts';
import type { Turn } from './parts.ts';
import { compactionContract } from './compaction-contract.ts';
import { windowNow } from './contract-now.ts';
import { requestOptions, sentRecorder } from './record-request.ts';
import { requestHeaders } from './request-headers.ts';
import { StepTrace } from './trace-step.ts';
import { tryAgain } from './try-again.ts';

interface Asking {
  readonly plan: CompactionPlan;
  /** The contract under which the model is asked. */
  readonly by: Envelope;
}

interface Contract {
  readonly options: RequestOptions;
  readonly tools: readonly ToolSpec[];
  readonly modalities: readonly string[];
}

/** Some providers take a request that ends in a trigger only from whoever says that they mean it. */
const streamGate = { 'x-codex-beta-features': 'remote_compaction_v2' } as const;

/** There are other ways to a checkpoint: a connection that fails is tried only so often. */
const mostRetries = 2;

/** In milliseconds; a timer that is set to more ends at once. */
const longestTimer = 2 ** 31 - 1;

/** Performs the requests of one compaction and counts what they cost. */
export class CompactionRequests {
  readonly #turn: Turn;
  readonly #step: Step;
  #usage = noUsage;
  #count = 0;

  constructor(turn: Turn, step: Step) {
    this.#turn = turn;
    this.#step = step;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get count(): number {
    return this.#count;
  }

  perform(request: CompactionRequest, asking: Asking): Promise<CompactionOutcome> {
    const { parts } = this.#turn;
    return tryAgain(this.#turn, (attempt) => this.#ask(request, asking, attempt), {
      failureOf: (outcome) => (outcome.kind === 'failed' ? outcome.failure : undefined),
      most: Math.min(mostRetries, parts.streamMaxRetries),
    });
  }

  async #ask(request: CompactionRequest, { plan, by }: Asking, attempt: number): Promise<CompactionOutcome> {
    const { parts, log, turnId } = this.#turn;
    const form = request.strategy === 'remote' ? (plan.remoteForm ?? 'stream') : undefined;
    const { options, tools, modalities } = this.#contract(by, form);
    // Only that form goes by it, and to know it the login is read.
    const authMode = form === 'unary' ? await parts.client.authMode() : 'none';
    const { record, drafts } = planRequest(
      log.state,
      {
        turnId,
        step: this.#step.index,
        encoder: parts.encoder.version,
        modalities,
        options: optionsFor(options, { request, form, authMode }),
        provider: providerOfTurn(by),
        auxiliary: this.#auxiliary(request, form),
      },
      tools,
    );
    log.record(...drafts);
    const prompt = promptFor(log.state, record);
    const body = parts.encoder.body(prompt);
    const after = log.durable();
    // A lost disk is reported at the end; until then nobody may be listening.
    after.catch(() => {});
    this.#count++;
    const trace = new StepTrace(this.#turn, { step: this.#step, attempt, envelope: by, purpose: 'compaction' });
    const sent = sentRecorder(this.#turn, { turnId, step: this.#step.index, prompt, body, auxiliary: true });
    const headers = { ...requestHeaders(this.#turn), ...(form === 'stream' ? streamGate : {}) };
    const onSent = (): void => sent.record();
    const { maxBytes, timeoutMs } = parts.compactionLimits;
    const answer = await this.#inTime(timeoutMs, (inTime) =>
      this.#read({ body, headers, after, onSent, maxBytes }, form, { signal: inTime, trace, sent }),
    );
    sent.end();
    await after;
    trace.end({ outcome: answer.kind === 'failed' ? 'failed' : 'done', calls: 0, ...failureIn(answer) });
    return answer;
  }

  /** A server that keeps a stream alive for ever does not keep the thread. */
  async #inTime(
    timeoutMs: number,
    read: (signal: AbortSignal) => Promise<CompactionOutcome>,
  ): Promise<CompactionOutcome> {
    const { parts, signal } = this.#turn;
    const late = new AbortController();
    const done = new AbortController();
    void parts.clock
      .sleep(Math.min(timeoutMs, longestTimer), AbortSignal.any([done.signal, signal]))
      .then(() => late.abort());
    const answer = await read(AbortSignal.any([signal, late.signal]));
    const wasLate = late.signal.aborted && !signal.aborted;
    done.abort();
    if (answer.kind !== 'failed') return answer;
    if (answer.failure.code === 'aborted' && wasLate) return { kind: 'failed', failure: tooSlow(timeoutMs) };
    return { kind: 'failed', failure: withOwnKey(answer.failure) };
  }

  async #read(
    request: Parameters<Turn['parts']['client']['stream']>[0],
    form: 'unary' | 'stream' | undefined,
    { signal, trace, sent }: { signal: AbortSignal; trace: StepTrace; sent: { record(): void } },
  ): Promise<CompactionOutcome> {
    const { client } = this.#turn.parts;
    if (form === 'unary') {
      const answer = await client.compact(request, signal);
      if (answer.kind === 'failed') return answer;
      sent.record();
      this.#spend(trace, answer.usage);
      return answerOf(answer.output);
    }
    const items: Item[] = [];
    let failure: ModelFailure | undefined;
    for await (const event of client.stream(request, signal)) {
      trace.sawEvent();
      if (event.kind === 'failed') failure = event.failure;
      // An answer proves that the request was sent.
      else sent.record();
      if (event.kind === 'item') items.push(event.item);
      if (event.kind === 'completed') this.#spend(trace, event.usage);
    }
    return failure === undefined ? answerOf(items) : { kind: 'failed', failure };
  }

  /** Counts in the thread's total. What the next sampling request weighs is not touched by it. */
  #spend(trace: StepTrace, usage: Usage | undefined): void {
    trace.answered(usage);
    if (usage === undefined) return;
    const { log } = this.#turn;
    this.#usage = addUsage(this.#usage, usage);
    const { total, last } = log.state.usage;
    log.record(tokenCount({ total: addUsage(total, usage), last, window: windowNow(this.#turn).effective }));
  }

  /**
   * The contract of the newest sampling request, if it was one of this model at this provider: what it held is in the provider's cache.
   * Else what this envelope says. The unary form is no sampling request: it is sent in the tier that holds now.
   */
  #contract(by: Envelope, form: 'unary' | 'stream' | undefined): Contract {
    const { parts, log, threadId, turnId } = this.#turn;
    const { sent, toolSets } = log.state;
    const { tools: names, modalities: taken } = compactionContract({ parts, log, envelope: by });
    const own = { options: requestOptions(this.#turn, by), tools: parts.router.specs(names), modalities: taken };
    if (sent?.kind !== 'request' || sent.record.options.model !== own.options.model) return own;
    if (sent.record.provider !== undefined && !isSameProvider(sent.record.provider, providerOfTurn(by))) return own;
    const { options, toolSet, modalities } = sent.record;
    const labels = { session_id: threadId, thread_id: threadId, turn_id: turnId };
    const { serviceTier: sentTier, ...others } = options;
    const serviceTier = form === 'unary' ? own.options.serviceTier : sentTier;
    return {
      options: { ...others, ...(serviceTier === undefined ? {} : { serviceTier }), labels },
      tools: toolSets.get(toolSet) ?? own.tools,
      modalities,
    };
  }

  #auxiliary({ from, to, stubbed, head, tail }: CompactionRequest, form: 'unary' | 'stream' | undefined): Auxiliary {
    const message = ({ role, text }: CompactionRequest['tail'][number]): Item =>
      compactionMessage(`msg_${this.#turn.parts.ids.uuid()}`, role, text);
    return {
      purpose: 'compaction',
      from,
      to,
      stubbed,
      head: head.map(message),
      tail: [...tail.map(message), ...(form === 'stream' ? [compactionTrigger] : [])],
    };
  }
}

interface Form {
  readonly request: CompactionRequest;
  readonly form: 'unary' | 'stream' | undefined;
  readonly authMode: AuthMode;
}

/** The unary form knows no tier without a ChatGPT account; the streaming one is a sampling request in all but its end. */
function optionsFor(given: RequestOptions, { request, form, authMode }: Form): RequestOptions {
  const { outputSchema: _schema, ...options } = given;
  if (form === 'stream') return options;
  if (form === 'unary') {
    const { serviceTier, ...rest } = options;
    const tier = serviceTier !== undefined && authMode === 'chatgpt' ? { serviceTier } : {};
    return { ...rest, ...tier, form: 'compact' };
  }
  const schema = request.outputSchema === undefined ? {} : { outputSchema: request.outputSchema };
  return { ...options, ...schema, toolChoice: 'none' };
}

function tooSlow(timeoutMs: number): ModelFailure {
  return {
    code: 'answer-too-slow',
    message: `The answer to the request for a checkpoint was not complete after ${timeoutMs / 1000} seconds, and Capstan stopped reading it.`,
    next: 'If the model needs longer than this, raise compaction.timeout_ms; else choose a faster one.',
    retry: 'never',
  };
}

/** The limit of a request for a checkpoint has a key of its own. */
function withOwnKey(failure: ModelFailure): ModelFailure {
  if (failure.code !== 'answer-too-large') return failure;
  return { ...failure, next: 'Check the provider: no checkpoint is that large. compaction.max_bytes sets the limit.' };
}

function answerOf(items: readonly Item[]): CompactionOutcome {
  const said = items.filter(isMessage).filter(({ role }) => role === 'assistant');
  return { kind: 'answer', text: said.map(messageText).join('\n'), items };
}

function failureIn(answer: CompactionOutcome): { readonly failure?: ModelFailure } {
  return answer.kind === 'failed' ? { failure: answer.failure } : {};
}
