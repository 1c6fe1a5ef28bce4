import { defined } from '../../base/objects.ts';
import type { StepLabels, StepResult, Tracer } from '../../ports/tracer.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { version } from '../../protocol/version.ts';
import { context, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';

/** Times are milliseconds since the Unix epoch. */
export interface EndedStep {
  readonly labels: StepLabels;
  readonly result: StepResult;
  readonly spanId: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

export type OtlpSource = { readonly environment: string; readonly attributes: Readonly<Record<string, string>> };
const scope = { name: 'capstan', version };
const clientKind = 3;
const failedStatus = 2;
const deltas = 1;

export function otlpTraces(steps: readonly EndedStep[], source: OtlpSource): JsonObject {
  return {
    resourceSpans: [
      { resource: resource(source), scopeSpans: [{ scope, spans: steps.map((step) => span(step, source)) }] },
    ],
  };
}

function span({ labels, result, spanId, startedAt, endedAt }: EndedStep, { attributes }: OtlpSource): JsonObject {
  const { failure } = result;
  return {
    traceId: /^[0-9a-f]{32}$/.test(labels.traceId) ? labels.traceId : labels.turnId.replaceAll('-', ''),
    spanId,
    name: `chat ${labels.model}`,
    kind: clientKind,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(Math.max(startedAt, endedAt)),
    attributes: keyValues({ ...attributes, ...labelAttributes(labels), ...resultAttributes(result) }),
    ...(failure === undefined ? {} : { status: { code: failedStatus, message: failure } }),
  };
}

/** Metrics since the last call: number of steps, durations and tokens. */
export function otlpMetrics(steps: readonly EndedStep[], since: number, now: number, source: OtlpSource): JsonObject {
  const times = { startTimeUnixNano: nanoseconds(since), timeUnixNano: nanoseconds(Math.max(since, now)) };
  const groupOf = ({ labels, result }: EndedStep) => JSON.stringify([labels.provider, labels.model, result.outcome]);
  const all = [...Map.groupBy(steps, groupOf).values()];
  const seconds = { bounds: [0.1, 0.5, 1, 2, 5, 10, 20, 60, 120, 300], unit: 's' };
  const tokens = { bounds: [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576], unit: '{token}' };
  const point = (group: readonly EndedStep[], counts: object, more: Readonly<Record<string, string>> = {}) => {
    return { ...times, ...counts, attributes: keyValues({ ...groupAttributes(group), ...more }) };
  };
  const durations = all.map((group) => {
    const answers = group.map(({ result }) => result.answerMs / 1000);
    return point(group, histogram(answers, seconds.bounds));
  });
  const counted = all.flatMap((group) =>
    (['input', 'output'] as const).flatMap((type) => {
      const values = group.flatMap(({ result }) => result.usage?.[type] ?? []);
      const counts = histogram(values, tokens.bounds);
      return values.length === 0 ? [] : [point(group, counts, { 'gen_ai.token.type': type })];
    }),
  );
  const sums = all.map((group) => point(group, { asInt: String(group.length) }));
  const ofDeltas = (dataPoints: readonly object[]) => ({ aggregationTemporality: deltas, dataPoints });
  const sum = { aggregationTemporality: deltas, isMonotonic: true, dataPoints: sums };
  const metrics = [
    { name: 'capstan.steps', unit: '{step}', sum },
    { name: 'gen_ai.client.operation.duration', unit: seconds.unit, histogram: ofDeltas(durations) },
    { name: 'gen_ai.client.token.usage', unit: tokens.unit, histogram: ofDeltas(counted) },
  ];
  return {
    resourceMetrics: [{ resource: resource(source), scopeMetrics: [{ scope, metrics }] }],
  } as unknown as JsonObject;
}

function groupAttributes([first]: readonly EndedStep[]): Readonly<Record<string, string>> {
  const { labels, result } = first!;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': labels.provider,
    'gen_ai.request.model': labels.model,
    'capstan.outcome': result.outcome,
  };
}

/** A bucket counts values up to and including its bound; the last one has no bound. */
function histogram(values: readonly number[], bounds: readonly number[]) {
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const value of values) {
    const at = bounds.findIndex((bound) => value <= bound);
    counts[at === -1 ? bounds.length : at]!++;
  }
  return {
    count: String(values.length),
    sum: values.reduce((sum, value) => sum + value, 0),
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  };
}

function resource({ environment }: OtlpSource) {
  return {
    attributes: keyValues({
      'service.name': 'capstan',
      'service.version': version,
      'deployment.environment.name': environment,
    }),
  };
}

function keyValues(attributes: Readonly<Record<string, string | number>>): JsonObject[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** Integers are written as strings: JSON readers lose digits of long ones. */
function anyValue(value: string | number): JsonObject {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

const nanoseconds = (milliseconds: number): string => String(BigInt(Math.round(milliseconds)) * 1_000_000n);
export type StepAttributes = Readonly<Record<string, string | number>>;

/** Uses the semantic conventions for generative systems, and our names where they have none. */
function labelAttributes(labels: StepLabels): StepAttributes {
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

function resultAttributes(result: StepResult): StepAttributes {
  const { outcome, usage, firstEventMs, answerMs, totalMs, calls } = result;
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

/** Creates spans through the API alone: the host program decides which SDK listens, if any. */
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

/** Inside the caller's span if there is one; otherwise all steps of a turn share the turn's trace. */
function turnContext({ traceId, turnId }: StepLabels) {
  const active = context.active();
  if (trace.getSpan(active) !== undefined || !/^[0-9a-f]{32}$/.test(traceId)) return active;
  const spanId = turnId.replaceAll('-', '').slice(-16);
  return trace.setSpanContext(active, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}
