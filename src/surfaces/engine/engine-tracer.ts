import { randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { readOtel } from '../../config/otel.ts';
import { systemClock } from '../../gather/system/system-clock.ts';
import { smallRequests } from '../../model/http/auth/small-requests.ts';
import { sender } from '../../model/http/network/exchange.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Variables } from '../../protocol/variables.ts';
import { loadTracer } from '../../telemetry/load-tracer.ts';

export interface EngineTracer {
  readonly tracer: Tracer;
  readonly notices: readonly Outcome[];
  /** Before the engine is given up. */
  flush(): Promise<void>;
}

/** Follows steps for the program around us, and for the collectors that the configuration names. */
export async function loadEngineTracer(
  { otel: given }: Pick<Config, 'otel'>,
  environment: Variables,
): Promise<EngineTracer> {
  const around = await loadTracer(globalThis);
  if (given === undefined) return { tracer: around, notices: [], flush: () => Promise.resolve() };
  const { otel, problems: notices } = readOtel(given);
  if (otel === undefined) return { tracer: around, notices, flush: () => Promise.resolve() };
  // Few users have a collector, and no other waits for it.
  const { otlpExporter } = await import('./otlp-exporter.ts');
  const exporter = otlpExporter({
    otel,
    requests: smallRequests(sender({ environment })),
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
