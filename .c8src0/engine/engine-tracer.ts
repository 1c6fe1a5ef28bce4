import { systemClock } from '../adapters/gather/clock-and-ids.ts';
import { createSender } from '../adapters/model/http/network/exchange.ts';
import { smallRequests } from '../adapters/model/http/small-requests.ts';
import type { Config } from '../core/config/config.ts';
import { readOtel } from '../core/config/otel.ts';
import type { Tracer } from '../ports/tracer.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { EnvironmentVariables } from '../protocol/shell.ts';
import { randomBytes } from 'node:crypto';

export interface EngineTracer {
  readonly tracer: Tracer;
  readonly notices: readonly Outcome[];
  /** Call before the engine is given up. */
  flush(): Promise<void>;
}

export async function loadEngineTracer(
  { otel: given }: Pick<Config, 'otel'>,
  environment: EnvironmentVariables,
): Promise<EngineTracer> {
  const around = await loadTracer(globalThis);
  if (given === undefined) return { tracer: around, notices: [], flush: () => Promise.resolve() };
  const { otel, problems: notices } = readOtel(given);
  if (otel === undefined) return { tracer: around, notices, flush: () => Promise.resolve() };
  // Few users have a collector; the others should not wait for this code.
  const { otlpExporter } = await import('./otlp-exporter.ts');
  const exporter = otlpExporter({
    otel,
    requests: smallRequests(createSender({ environment })),
    clock: systemClock,
    newSpanId: () => randomBytes(8).toString('hex'),
    onLost: (message) => process.emitWarning(message, { code: 'CAPSTAN_TELEMETRY' }),
  });
  const tracer: Tracer = {
    startStep(labels) {
      const spans = [around.startStep(labels), exporter.startStep(labels)];
      return { end: (result) => spans.forEach((span) => span.end(result)) };
    },
  };
  return { tracer, notices, flush: () => exporter.flush() };
}

const registered = Symbol.for('opentelemetry.js.api.1');

/** Costs nothing unless the host program has registered, in `globals`, a receiver of spans. */
async function loadTracer(globals: object): Promise<Tracer> {
  if (!Object.hasOwn(globals, registered)) return silentTracer;
  const { openTelemetryTracer } = await import('../adapters/telemetry/open-telemetry.ts');
  return openTelemetryTracer();
}

export const silentTracer: Tracer = { startStep: () => ({ end: () => {} }) };
