import type { Tracer } from '../../ports/tracer.ts';

/** Where the OpenTelemetry API keeps what a program has registered with it. */
const registered = Symbol.for('opentelemetry.js.api.1');

/** Costs nothing unless the program around us has registered, in `globals`, somewhere to send spans to. */
export async function loadTracer(globals: object): Promise<Tracer> {
  if (!Object.hasOwn(globals, registered)) return silentTracer;
  const { openTelemetryTracer } = await import('./open-telemetry.ts');
  return openTelemetryTracer();
}

export const silentTracer: Tracer = { startStep: () => ({ end: () => {} }) };
