import { zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import type { HttpClientOptions } from '../../src/adapters/model/http/send-question.ts';
import type { Credentials } from '../../src/adapters/model/http/credentials-and-headers.ts';
import { words } from '../../src/index.ts';
import { providerFor } from '../../src/adapters/model/provider-for.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import { answer, callTool, compacted, httpError, say, startScriptedModel } from '../../src/testing/index.ts';
import { FormatThread } from '../formats/format-thread.ts';
import { formats } from '../formats/formats.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

it.each(formats)('$title: all steps of a thread, and its next turns, use one connection', async (format) => {
  const call = answer({ items: [callTool('update_plan', { plan: [] })] });
  const done = answer({ items: [say('Done.')] });
  const thread = await FormatThread.in(format, [call, call, done, call, done]);
  await thread.open();
  for (const words of ['one', 'two']) expect((await thread.live.turn(words)).kind).toBe('completed');
  expect(thread.live.model.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0, 0]);
});

it('an answer that is refused gives its connection back, and threads of one engine share it', async () => {
  const live = await LiveThread.in([
    httpError({ status: 429, body: { error: { message: 'Try again in 1ms.' } } }),
    answer({ items: [say('Done.')] }),
    answer({ items: [say('Other.')] }),
  ]);
  const engine = await live.engine();
  const { signal } = new AbortController();
  for (const text of ['one', 'two']) {
    const opened = await engine.start({ cwd: live.place.workspace });
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    expect((await opened.thread.run({ input: words(text), signal })).kind).toBe('completed');
    await opened.thread.close();
  }
  expect(new Set(live.model.requests.map(({ connection }) => connection))).toEqual(new Set([0]));
});

const key: Credentials = { kind: 'bearer', mode: 'api-key', token: 'sk-key' };
const account: Credentials = { kind: 'bearer', mode: 'chatgpt', token: 'token', accountId: 'acc', isFedramp: true };

/** Asks a provider once for a stream and once for a checkpoint, and gives what arrived. */
async function arrived(
  name: string,
  credentials: Credentials,
  { gates = {}, backend = false, wireApi = 'responses' } = {},
) {
  const model = await startScriptedModel([
    httpError({ status: 500, body: {} }),
    answer({ items: [say('Hi.')] }),
    compacted({ output: [say('Short.')] }),
  ]);
  whenTestEnds(() => model.close());
  const isOpenai = name === 'OpenAI';
  const known = { remoteCompaction: isOpenai, requestCompression: isOpenai };
  const capabilities = { ...providerDefaults.capabilities, ...known };
  const baseUrl = backend ? 'http://127.0.0.1:9' : model.url;
  const base = { ...providerDefaults, capabilities, id: 'p', name, wireApi, baseUrl };
  const options: HttpClientOptions = {
    provider: base,
    credentials: () =>
      Promise.resolve(backend && credentials.kind === 'bearer' ? { ...credentials, baseUrl: model.url } : credentials),
    environment: {},
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0,
  };
  const provider = await providerFor(options, { gates, formats: [] });
  if ('code' in provider) throw new Error(provider.message);
  const request: ModelRequest = {
    body: [Buffer.from('{"model":"m","input":['), Buffer.from(`"${'x'.repeat(5000)}"`), Buffer.from(']}')],
    headers: { 'thread-id': 't' },
    routing: { model: 'm', tier: 'flex' },
  };
  const { signal } = new AbortController();
  await Array.fromAsync(provider.client.stream(request, signal));
  await provider.client.compact?.(request, signal);
  return { requests: model.requests, sent: Buffer.concat(request.body) };
}

it('requests of an account are compressed once for every attempt, and so are those for checkpoints', async () => {
  const { requests, sent } = await arrived('OpenAI', account);
  expect(requests).toHaveLength(3);
  for (const { headers, bytes } of requests) {
    expect([headers['content-encoding'], headers['content-length']]).toEqual(['zstd', String(bytes.length)]);
    expect(bytes.length).toBeLessThan(200);
    expect(zstdDecompressSync(bytes).equals(sent)).toBe(true);
  }
  expect(requests[0]!.bytes.equals(requests[1]!.bytes)).toBe(true);
});

it.each([
  ['a key', 'OpenAI', key, {}],
  ['no key', 'OpenAI', { kind: 'none' } as Credentials, {}],
  ['another provider', 'Mine', account, {}],
  ['another format', 'OpenAI', account, { wireApi: 'chat' }],
  ['a gate that is closed', 'OpenAI', account, { gates: { enable_request_compression: false } }],
] as const)('%s: nothing is compressed', async (_, name, credentials, more) => {
  const { requests, sent } = await arrived(name, credentials, more);
  expect(requests.length).toBeGreaterThan(1);
  for (const { headers, bytes } of requests) {
    expect([headers['content-encoding'], bytes.equals(sent)]).toEqual([undefined, true]);
  }
});

it('each way to sign in sends what belongs to it', async () => {
  const names = ['authorization', 'chatgpt-account-id', 'x-openai-fedramp', 'x-codex-routing-hint', 'thread-id'];
  const sent = async (credentials: Credentials, backend: boolean) => {
    const { headers } = (await arrived('OpenAI', credentials, { backend })).requests[0]!;
    return names.map((name) => headers[name]);
  };
  const hint = 'model=m;tier=flex';
  expect(await sent(account, true)).toEqual(['Bearer token', 'acc', 'true', hint, 't']);
  // At another address than that of ChatGPT there is nothing to route.
  expect(await sent(account, false)).toEqual(['Bearer token', 'acc', 'true', undefined, 't']);
  expect(await sent(key, false)).toEqual(['Bearer sk-key', undefined, undefined, undefined, 't']);
  expect(await sent({ kind: 'none' }, false)).toEqual([undefined, undefined, undefined, undefined, 't']);
});
