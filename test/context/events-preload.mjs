// Runs before the command: says on standard error when the OpenTelemetry API, or our part that speaks to it, is asked for. With
// CAPSTAN_TEST_TRACES set, it first registers a provider that writes each span there as a line of JSON.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env['CAPSTAN_TEST_TRACES'];
if (file !== undefined) {
  const { trace } = await import('@opentelemetry/api');
  const { SpanRecorder } = await import('./events-spans.mjs');
  trace.setGlobalTracerProvider(new SpanRecorder((span) => appendFileSync(file, `${JSON.stringify(span)}\n`)));
}
registerHooks({
  resolve(specifier, context, next) {
    if (/open-?telemetry/.test(specifier)) process.stderr.write(`asked for ${specifier}\n`);
    return next(specifier, context);
  },
});
