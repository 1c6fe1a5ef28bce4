import type { OtelSettings, OtlpTarget } from '../core/config/otel.ts';
import type { SmallRequests } from '../adapters/model/http/small-requests.ts';
import type { Clock } from '../ports/system.ts';
import type { Tracer } from '../ports/tracer.ts';
import type { JsonObject } from '../protocol/json.ts';
import { type EndedStep, otlpMetrics, otlpTraces } from '../adapters/telemetry/open-telemetry.ts';

/** Number of steps that are sent together, and how long a smaller batch waits. */
const fullBatch = 64;
const longestWaitMs = 5000;
/** The most that is kept while a collector does not answer. */
const mostKept = 512;
/** The longest that an ending process waits for a collector. */
const longestSendMs = 2000;

export interface OtlpExporterParts {
  readonly otel: OtelSettings;
  readonly requests: Pick<SmallRequests, 'postJson'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly patienceMs?: number;
  newSpanId(): string;
  /** Called once; steps that cannot be sent are dropped. */
  onLost(message: string): void;
}

export interface OtlpExporter extends Tracer {
  /** Sends the steps so far. Never rejects; takes no longer than the limit for a collector. */
  flush(): Promise<void>;
}

/** Sends spans and metrics of steps to a collector. Steps do not wait for it, and its failures never reach a turn. */
export function otlpExporter({
  otel,
  requests,
  clock,
  patienceMs = longestSendMs,
  newSpanId,
  onLost,
}: OtlpExporterParts): OtlpExporter {
  let kept: EndedStep[] = [];
  let since = clock.now();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let hasComplained = false;
  const lost = (what: string, { endpoint }: OtlpTarget, why: string): void => {
    if (hasComplained) return;
    hasComplained = true;
    onLost(
      `${what} could not be sent to ${new URL(endpoint).origin}: ${why}. They are dropped; turns are not affected.`,
    );
  };
  const post = async (what: string, target: OtlpTarget | undefined, body: JsonObject): Promise<void> => {
    if (target === undefined) return;
    const answer = await requests.postJson(target.endpoint, body, AbortSignal.timeout(1.5 * patienceMs), {
      headers: target.headers,
      patienceMs,
    });
    if (answer.kind === 'lost') lost(what, target, answer.why);
    else if (answer.status < 200 || answer.status > 299) lost(what, target, `the answer was HTTP ${answer.status}`);
  };
  const send = async (): Promise<void> => {
    const [steps, from, to] = [kept, since, clock.now()];
    [kept, since] = [[], to];
    await Promise.all([
      post('Traces', otel.traces, otlpTraces(steps, otel)),
      post('Metrics', otel.metrics, otlpMetrics(steps, from, to, otel)),
    ]);
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    process.off('beforeExit', onExit);
    await sending;
    if (kept.length === 0) return;
    sending = send();
    await sending;
    sending = undefined;
  };
  const onExit = (): void => void flush();
  const keep = (step: EndedStep): void => {
    kept.push(step);
    if (kept.length > mostKept) kept = kept.slice(-mostKept);
    if (kept.length >= fullBatch && sending === undefined) return void flush();
    if (timer !== undefined) return;
    // Do not keep an otherwise finished process alive.
    timer = setTimeout(() => void flush(), longestWaitMs).unref();
    process.once('beforeExit', onExit);
  };
  return {
    startStep(labels) {
      const [spanId, startedAt] = [newSpanId(), clock.now()];
      return { end: (result) => keep({ labels, result, spanId, startedAt, endedAt: clock.now() }) };
    },
    flush,
  };
}
