import type { Tracer } from '../../ports/tracer.ts';

const registered = Symbol.for('opentelemetry.js.api.1');

/** Costs nothing unless the host program has registered, in `globals`, a receiver of spans. */
export async function loadTracer(globals: object): Promise<Tracer> {
  if (!Object.hasOwn(globals, registered)) return silentTracer;
  const { openTelemetryTracer } = await import('./open-telemetry.ts');
  return openTelemetryTracer();
}

export const silentTracer: Tracer = { startStep: () => ({ end: () => {} }) };
