import { type Attributes, context, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { StepLabels, StepResult, Tracer } from '../ports/tracer.ts';
import { defined } from '../protocol/defined.ts';
import { version } from '../protocol/version.ts';

/** Spans through the API alone: which SDK listens, and whether any does, is the matter of the program around us. */
export function openTelemetryTracer(): Tracer {
  return {
    startStep(labels) {
      const options = { kind: SpanKind.CLIENT, attributes: labelAttributes(labels) };
      const span = trace.getTracer('capstan', version).startSpan(`chat ${labels.model}`, options, turnContext(labels));
      return {
        end(result) {
          span.setAttributes(resultAttributes(result));
          const { failure: message } = result;
          if (message !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message });
          span.end();
        },
      };
    },
  };
}

/** Inside the span of the caller if there is one; else all steps of a turn share the turn's trace. */
function turnContext({ traceId, turnId }: StepLabels) {
  const active = context.active();
  if (trace.getSpan(active) !== undefined || !/^[0-9a-f]{32}$/.test(traceId)) return active;
  const spanId = turnId.replaceAll('-', '').slice(-16);
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

/** The names of the semantic conventions for generative systems, and ours where they have none. */
function labelAttributes(labels: StepLabels): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': labels.provider,
    'gen_ai.request.model': labels.model,
    'gen_ai.conversation.id': labels.threadId,
    'capstan.wire_format': labels.wire,
    'capstan.turn.id': labels.turnId,
    'capstan.step': labels.step,
    'capstan.attempt': labels.attempt,
    ...defined({ 'capstan.effort': labels.effort }),
  };
}

function resultAttributes({ outcome, usage, firstEventMs, answerMs, totalMs, calls }: StepResult): Attributes {
  return {
    'capstan.outcome': outcome,
    'capstan.calls': calls,
    'capstan.answer_ms': answerMs,
    'capstan.total_ms': totalMs,
    ...defined({ 'capstan.first_event_ms': firstEventMs }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'capstan.usage.cached_input_tokens': usage.cachedInput,
      'capstan.usage.reasoning_output_tokens': usage.reasoningOutput,
    }),
  };
}
