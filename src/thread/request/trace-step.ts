import type { Envelope } from '../../envelope/envelope.ts';
import type { Step } from '../../envelope/step.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import type { StepResult } from '../../ports/tracer.ts';
import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { lineType } from '../../protocol/line.ts';
import type { Usage } from '../../protocol/usage.ts';
import { usageFields } from '../../state/usage-fields.ts';
import type { Turn } from '../parts/parts.ts';

/** Times one request and its calls; leaves a line and a span, both made from the envelope alone. */
export class StepTrace {
  readonly #turn: Turn;
  readonly #labels: Parameters<Turn['parts']['tracer']['startStep']>[0];
  readonly #span: ReturnType<Turn['parts']['tracer']['startStep']>;
  readonly #startedAt: number;
  /** As it is configured. */
  readonly #window: number;
  #firstEventMs: number | undefined;
  #answerMs = 0;
  #usage: Usage | undefined;

  /** `envelope`: under which the model is asked. */
  constructor(
    turn: Turn,
    {
      step,
      attempt,
      envelope,
      purpose,
    }: { step: Step; attempt: number; envelope: Envelope; purpose?: 'compaction' | 'review' },
  ) {
    const { identity, telemetry, window } = envelope;
    this.#window = window.configured;
    this.#turn = turn;
    this.#labels = {
      traceId: telemetry.traceId,
      threadId: telemetry.threadId,
      turnId: telemetry.turnId,
      step: step.index,
      attempt,
      model: identity.model.slug,
      provider: identity.provider,
      wire: identity.modelClient,
      ...defined({ effort: identity.effort, purpose }),
    };
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

  #payload({ usage, ...result }: StepResult): JsonObject {
    const { traceId, turnId, step, attempt, model, provider, effort, purpose } = this.#labels;
    return {
      turn_id: turnId,
      step,
      attempt,
      trace_id: traceId,
      model,
      provider,
      ...defined({ effort, purpose }),
      outcome: result.outcome,
      ...defined({ failure: result.failure, usage: usage && usageFields(usage), first_event_ms: result.firstEventMs }),
      answer_ms: result.answerMs,
      total_ms: result.totalMs,
      calls: result.calls,
    };
  }

  #elapsed(): number {
    return Math.max(0, this.#turn.parts.clock.now() - this.#startedAt);
  }
}
