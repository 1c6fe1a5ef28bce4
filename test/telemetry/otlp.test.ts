import { describe, expect, it } from 'vitest';
import { readOtel } from '../../src/core/config/otel.ts';
import { smallRequests } from '../../src/adapters/model/http/small-requests.ts';
import { createSender } from '../../src/adapters/model/http/network/exchange.ts';
import type { StepLabels, StepResult } from '../../src/ports/tracer.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { version } from '../../src/protocol/version.ts';
import { otlpExporter } from '../../src/engine/otlp-exporter.ts';
import { answer, callTool, httpError, say } from '../../src/testing/index.ts';
import { attributesOf, startCollector } from '../harness/collector.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { scene } from '../harness/scene.ts';

const secret = 'otel-secret-1234567890';

function otelTable(url: string, more = ''): string {
  const exporter = (path: string): string =>
    `{ otlp-http = { endpoint = "${url}${path}?key=${secret}", protocol = "json", headers = { "x-team" = "${secret}" } } }`;
  return `[otel]\nenvironment = "test"\ntrace_exporter = ${exporter('/v1/traces')}\nmetrics_exporter = ${exporter('/v1/metrics')}\n${more}`;
}

const spansIn = (body: JsonObject): readonly JsonObject[] =>
  (body['resourceSpans'] as unknown as { scopeSpans: { spans: JsonObject[] }[] }[])[0]!.scopeSpans[0]!.spans;
const metricsIn = (body: JsonObject): readonly JsonObject[] =>
  (body['resourceMetrics'] as unknown as { scopeMetrics: { metrics: JsonObject[] }[] }[])[0]!.scopeMetrics[0]!.metrics;

describe('a thread with collectors', () => {
  it('sends a span for each request, and metrics, when its engine is closed', async () => {
    const collector = await startCollector();
    const live = await LiveThread.in(
      [
        answer({ items: [callTool('update_plan', { plan: [] })] }),
        httpError({ status: 400, body: { error: { message: 'no' } } }),
      ],
      otelTable(collector.url, '[otel.span_attributes]\nteam = "a"\n'),
    );
    const engine = await live.engine();
    const opened = await engine.start({ cwd: live.place.workspace });
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    const { words } = await import('../../src/index.ts');
    await opened.thread.run({ input: words('hi'), signal: new AbortController().signal });
    expect(collector.requests).toEqual([]);
    await engine.close();
    const [traces, metrics] = [...collector.requests].toSorted((a, b) => b.path.localeCompare(a.path));
    expect([traces!.path, metrics!.path]).toEqual([`/v1/traces?key=${secret}`, `/v1/metrics?key=${secret}`]);
    expect(traces!.headers).toMatchObject({ 'x-team': secret, 'content-type': 'application/json' });
    const spans = spansIn(traces!.body);
    const turnId = String(attributesOf(spans[0]!['attributes'])['capstan.turn.id']);
    expect(spans).toEqual(
      [0, 1].map((step) => ({
        traceId: turnId.replaceAll('-', ''),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        name: 'chat gpt-5.5',
        kind: 3,
        startTimeUnixNano: expect.stringMatching(/^\d{13}000000$/) as string,
        endTimeUnixNano: expect.stringMatching(/^\d{13}000000$/) as string,
        attributes: expect.any(Array) as unknown[],
        ...(step === 1 && { status: { code: 2, message: 'invalid-request' } }),
      })),
    );
    expect(attributesOf(spans[0]!['attributes'])).toMatchObject({
      team: 'a',
      'gen_ai.provider.name': 'scripted',
      'gen_ai.request.model': 'gpt-5.5',
      'gen_ai.usage.input_tokens': '100',
      'capstan.outcome': 'go-on',
      'capstan.calls': '1',
    });
    const { resource } = (traces!.body['resourceSpans'] as unknown as { resource: { attributes: JsonObject[] } }[])[0]!;
    expect(attributesOf(resource.attributes as never)).toEqual({
      'service.name': 'capstan',
      'service.version': version,
      'deployment.environment.name': 'test',
    });
    expect(metricsIn(metrics!.body).map(({ name }) => name)).toEqual([
      'capstan.steps',
      'gen_ai.client.operation.duration',
      'gen_ai.client.token.usage',
    ]);
  });

  it('runs as ever if a collector refuses, and says so once, without a secret', async () => {
    const collector = await startCollector({ status: 401, text: `{"error":"${secret}"}` });
    const { place } = await scene([answer({ items: [say('Hello.')] })], otelTable(collector.url));
    const { code, stdout, stderr } = await place.start(['exec', 'hi']).finished;
    expect([code, stdout]).toEqual([0, 'Hello.\n']);
    expect(stderr.split('could not be sent')).toHaveLength(2);
    expect(stderr).toContain('HTTP 401');
    expect(stdout + stderr + JSON.stringify(place.lines())).not.toContain(secret);
  }, 20_000);

  it('sends before the process ends', async () => {
    const collector = await startCollector();
    const { place } = await scene([answer({ items: [say('Hello.')] })], otelTable(collector.url));
    const { code, stderr } = await place.start(['exec', 'hi']).finished;
    expect([code, collector.requests.length, stderr.includes('Warning')]).toEqual([0, 2, false]);
  }, 20_000);
});

const labels: StepLabels = {
  traceId: 'a'.repeat(32),
  threadId: 't',
  turnId: '00000000-0000-0000-0000-000000000001',
  step: 0,
  attempt: 0,
  model: 'm',
  provider: 'p',
  wire: 'responses',
};
const usage = { input: 300, cachedInput: 0, cacheWriteInput: 0, output: 5, reasoningOutput: 0, total: 305 };
const result: StepResult = { outcome: 'done', answerMs: 700, totalMs: 800, calls: 0, usage };

function exporter(url: string, lost: string[] = []) {
  return otlpExporter({
    otel: {
      traces: { endpoint: `${url}/t`, headers: {} },
      metrics: { endpoint: `${url}/m`, headers: {} },
      environment: 'e',
      attributes: {},
    },
    requests: smallRequests(createSender({ environment: {} })),
    clock: { now: () => 1000 },
    patienceMs: 100,
    newSpanId: () => 'b'.repeat(16),
    onLost: (message) => lost.push(message),
  });
}

describe('the exporter', () => {
  it('sends many steps together as soon as they are many, and nothing twice', async () => {
    const collector = await startCollector();
    const sent = exporter(collector.url);
    for (let step = 0; step < 100; step++) sent.startStep({ ...labels, step }).end(result);
    await sent.flush();
    await sent.flush();
    const spans = collector.requests.filter(({ path }) => path === '/t').flatMap(({ body }) => spansIn(body));
    expect(spans.map(({ attributes }) => Number(attributesOf(attributes)['capstan.step']))).toEqual(
      Array.from({ length: 100 }, (_, step) => step),
    );
    const counts = collector.requests
      .filter(({ path }) => path === '/m')
      .map(
        ({ body }) =>
          (metricsIn(body)[0]!['sum'] as unknown as { dataPoints: { asInt: string }[] }).dataPoints[0]!.asInt,
      );
    expect(counts.reduce((sum, each) => sum + Number(each), 0)).toBe(100);
  });

  it('counts times and tokens by their bounds', async () => {
    const collector = await startCollector();
    const sent = exporter(collector.url);
    for (const answerMs of [50, 700, 1_000_000]) sent.startStep(labels).end({ ...result, answerMs });
    await sent.flush();
    const [, durations, tokens] = metricsIn(collector.requests.find(({ path }) => path === '/m')!.body);
    const points = (metric: JsonObject | undefined) =>
      (metric!['histogram'] as unknown as { dataPoints: JsonObject[] }).dataPoints;
    expect(points(durations)).toMatchObject([
      { count: '3', sum: 1000.75, bucketCounts: ['1', '0', '1', '0', '0', '0', '0', '0', '0', '0', '1'] },
    ]);
    expect(
      points(tokens).map((point) => [attributesOf(point['attributes'])['gen_ai.token.type'], point['sum']]),
    ).toEqual([
      ['input', 900],
      ['output', 15],
    ]);
  });

  it('does not wait long for a collector that does not answer', async () => {
    const collector = await startCollector({ hangs: true });
    const lost: string[] = [];
    const sent = exporter(collector.url, lost);
    sent.startStep(labels).end(result);
    await sent.flush();
    expect(lost).toEqual([expect.stringContaining('did not answer. They are dropped')]);
  });

  it('leaves no listener behind, keeps to its bounds, and never throws', async () => {
    const listeners = process.listenerCount('beforeExit');
    const lost: string[] = [];
    const dead = exporter('http://127.0.0.1:9', lost);
    for (let step = 0; step < 5000; step++) dead.startStep(labels).end(result);
    await dead.flush();
    await dead.flush();
    expect(lost).toEqual([expect.stringMatching(/^(Traces|Metrics) could not be sent to http:\/\/127\.0\.0\.1:9: /)]);
    expect(process.listenerCount('beforeExit')).toBe(listeners);
  });
});

describe('[otel]', () => {
  const http = { 'otlp-http': { endpoint: 'https://c.org/v1/traces', protocol: 'json', headers: { a: 'b' } } };

  it('says which exporters there are', () => {
    expect(readOtel(undefined)).toEqual({ otel: undefined, problems: [] });
    expect(readOtel({ exporter: 'none', metrics_exporter: 'statsig' })).toEqual({ otel: undefined, problems: [] });
    const target = { endpoint: 'https://c.org/v1/traces', headers: { a: 'b' } };
    expect(readOtel({ trace_exporter: http })).toEqual({
      otel: { traces: target, environment: 'dev', attributes: {} },
      problems: [],
    });
    expect(readOtel({ metrics_exporter: http, span_attributes: { team: 'a', odd: 1, '': 'x' } })).toMatchObject({
      otel: { metrics: target, attributes: { team: 'a' } },
      problems: [{ message: 'otel.span_attributes.odd is left out: it is not a text.' }, {}],
    });
  });

  it.each([
    [{ exporter: http }, 'no logs'],
    [{ trace_exporter: 'jaeger' }, 'only OTLP over HTTP'],
    [{ trace_exporter: { 'otlp-grpc': { endpoint: 'https://c.org' } } }, 'only OTLP over HTTP'],
    [{ trace_exporter: { 'otlp-http': { ...http['otlp-http'], protocol: 'binary' } } }, 'protocol = "json"'],
    [{ trace_exporter: { 'otlp-http': { ...http['otlp-http'], tls: {} } } }, 'certificates'],
    [{ trace_exporter: { 'otlp-http': { endpoint: `ftp://${secret}` } } }, 'no endpoint'],
    [{ trace_exporter: { 'otlp-http': {} } }, 'no endpoint'],
    [{ trace_exporter: { 'otlp-http': { ...http['otlp-http'], headers: { 'a b': secret } } } }, 'headers'],
    [{ trace_exporter: { 'otlp-http': { ...http['otlp-http'], headers: { a: `${secret}\n` } } } }, 'headers'],
    [{ trace_exporter: { 'otlp-http': { ...http['otlp-http'], headers: [] } } }, 'headers'],
  ])('%j is not used, with a reason and without a secret', (table, why) => {
    const { otel, problems } = readOtel(table as unknown as JsonObject);
    expect(otel).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]!.message).toContain(why);
    expect(JSON.stringify(problems)).not.toContain(secret);
  });
});
