import { context, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { StepLabels, Tracer } from '../ports/tracer.ts';
import { version } from '../protocol/version.ts';
import { labelAttributes, resultAttributes } from './step-attributes.ts';

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
