import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { AnswerOptions, Script, ScriptedModel, ScriptedModelOptions, ScriptStep } from './index.ts';
import {
  answer,
  callTool,
  compacted,
  cutAfter,
  failed,
  hang,
  httpError,
  incomplete,
  malformed,
  reason,
  say,
  startScriptedModel,
} from './index.ts';

const opened: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((model) => model.close()));
});

async function start(script: Script, options?: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(script, options);
  opened.push(model);
  return model;
}

const post = (model: ScriptedModel, init: RequestInit = {}): Promise<Response> =>
  fetch(`${model.url}/responses`, { method: 'POST', body: '{"model":"m"}', ...init });

/** The events of a stream, read in the plainest way. */
async function eventsOf(response: Response): Promise<readonly unknown[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const data = block.slice(block.indexOf('data: ') + 'data: '.length);
    return data.endsWith('}') ? (JSON.parse(data) as unknown) : data;
  });
}

async function play(step: ScriptStep, options?: ScriptedModelOptions): Promise<readonly unknown[]> {
  return eventsOf(await post(await start([step], options)));
}

const hello = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello you' }],
};
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 110,
};
const nothing = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};
const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } };
const announced = { type: 'response.output_item.added', output_index: 0, item: { ...hello, content: [] } };
const done = { type: 'response.output_item.done', output_index: 0, item: hello };
const completed = { type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage } };

describe('an answer', () => {
  test('is a stream of events', async () => {
    const response = await post(await start([answer({ items: [say('Hello you')] })]));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await eventsOf(response)).toEqual([created, announced, done, completed]);
  });

  test('may come word by word', async () => {
    const delta = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    expect(await play(answer({ items: [say('Hello you')], deltas: true }))).toEqual([
      created,
      announced,
      {
        type: 'response.content_part.added',
        ...delta,
        part: { type: 'output_text', text: '', annotations: [] },
      },
      { type: 'response.output_text.delta', ...delta, delta: 'Hello' },
      { type: 'response.output_text.delta', ...delta, delta: ' you' },
      done,
      completed,
    ]);
  });

  test('numbers what has no id, per server', async () => {
    const model = await start(() => answer({ items: [reason('R'), callTool('t', {}), callTool('t', '{', 'mine')] }));
    const ids = async (): Promise<readonly unknown[]> =>
      (await eventsOf(await post(model))).flatMap((event) => {
        const { type, item } = event as { type: string; item?: { id: string; call_id?: string } };
        return type === 'response.output_item.done' ? [[item?.id, item?.call_id]] : [];
      });
    expect([await ids(), await ids()]).toEqual([
      [
        ['rs_1', undefined],
        ['fc_1', 'call_1'],
        ['fc_2', 'mine'],
      ],
      [
        ['rs_2', undefined],
        ['fc_3', 'call_2'],
        ['fc_4', 'mine'],
      ],
    ]);
  });

  test('counts as asked', async () => {
    const counted = async (step: ScriptStep): Promise<unknown> => {
      const last = (await play(step, { usage: { input: 7 } })).at(-1) as { response: { usage?: object } };
      return last.response.usage;
    };
    expect(await counted(answer({ items: [] }))).toEqual({ ...usage, input_tokens: 7, total_tokens: 17 });
    expect(await counted(answer({ items: [], usage: { output: 1, total: 9 } }))).toEqual({
      ...usage,
      input_tokens: 7,
      output_tokens: 1,
      total_tokens: 9,
    });
    expect(await counted(answer({ items: [], usage: 'none' }))).toBeUndefined();
    expect(await counted(answer({ items: [], usage: 'null' }))).toBeNull();
    expect(await counted(answer({ items: [], usage: 'zero' }))).toEqual(nothing);
  });

  test('counts as the server is set where the step says nothing', async () => {
    const counted = async (options: ScriptedModelOptions, own: AnswerOptions['usage']): Promise<unknown> => {
      const step = answer({ items: [], ...(own === undefined ? {} : { usage: own }) });
      return ((await play(step, options)).at(-1) as { response: { usage?: object } }).response.usage;
    };
    expect(await counted({ usage: 'none' }, undefined)).toBeUndefined();
    expect(await counted({ usage: 'null' }, undefined)).toBeNull();
    expect(await counted({ usage: 'zero' }, undefined)).toEqual(nothing);
    expect(await counted({ usage: 'none' }, { input: 7 })).toEqual({ ...usage, input_tokens: 7, total_tokens: 17 });
  });

  test('takes its time', async () => {
    const from = performance.now();
    const model = await start([answer({ items: [say('Hello you')], firstByteDelayMs: 60, delayMs: 20 })]);
    const response = await post(model);
    const head = performance.now() - from;
    expect(await eventsOf(response)).toHaveLength(4);
    expect(head).toBeGreaterThan(55);
    expect(performance.now() - from).toBeGreaterThan(110);
  });
});

describe('a checkpoint', () => {
  const toCompact = (model: ScriptedModel, init: RequestInit = {}): Promise<Response> =>
    fetch(`${model.url}/responses/compact`, { method: 'POST', body: '{"model":"m"}', ...init });
  const step = compacted({ output: [say('Hello you'), { type: 'compaction', encrypted_content: 'x' }] });

  test('is JSON in one piece', async () => {
    const model = await start([step, compacted({ output: [], usage: 'none' })]);
    const response = await toCompact(model);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toEqual({
      output: [hello, { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' }],
      usage,
    });
    expect(await (await toCompact(model)).json()).toEqual({ output: [] });
    expect(model.requests.map(({ path }) => path.replace(/^.*\/v1/, ''))).toEqual([
      '/responses/compact',
      '/responses/compact',
    ]);
  });

  test('may be refused, cut and never come', async () => {
    const model = await start([
      httpError({ status: 404 }),
      cutAfter({ bytes: 5, of: step }),
      hang({ afterBytes: 0, of: step }),
    ]);
    expect((await toCompact(model)).status).toBe(404);
    await expect((await toCompact(model)).text()).rejects.toThrow('terminated');
    const abort = new AbortController();
    const pending = toCompact(model, { signal: abort.signal });
    await model.request(2);
    abort.abort();
    await expect(pending).rejects.toThrow('aborted');
    expect(await Promise.all(model.requests.map((request) => request.ended))).toEqual([
      'answered',
      'cut',
      'client-left',
    ]);
  });
});

describe('faults', () => {
  test('an error status', async () => {
    const headers = { 'retry-after': '3', 'content-type': 'text/html' };
    const response = await post(await start([httpError({ status: 429, body: '<p>', headers })]));
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([429, '<p>', '3']);
    const json = await post(await start([httpError({ status: 400, body: { error: { code: 'x' } } })]));
    expect(await json.json()).toEqual({ error: { code: 'x' } });
  });

  test('a broken event in the middle', async () => {
    expect(await play(malformed({ of: answer({ items: [say('Hello you')] }) }))).toEqual([
      created,
      announced,
      '{"type":"response.output_text.delta","delta":"broken',
      done,
      completed,
    ]);
  });

  test('a failed and an incomplete response', async () => {
    expect(await play(failed({ code: 'c', message: 'm', items: [say('Hello you')] }))).toEqual([
      created,
      announced,
      done,
      { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error: { code: 'c', message: 'm' } } },
    ]);
    expect(await play(failed({ code: 'c', message: 'm', event: 'error' }))).toEqual([
      created,
      { type: 'error', code: 'c', message: 'm' },
    ]);
    expect(await play(incomplete({ reason: 'r' }))).toEqual([
      created,
      {
        type: 'response.incomplete',
        response: { id: 'resp_1', status: 'incomplete', incomplete_details: { reason: 'r' } },
      },
    ]);
  });

  test('a cut after so many bytes', async () => {
    const of = answer({ items: [say('Hello you')] });
    const model = await start([cutAfter({ bytes: 50, of }), cutAfter({ bytes: 0, of })]);
    const reader = (await post(model)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).length).toBe(50);
    await expect(reader?.read()).rejects.toThrow('terminated');
    await expect(post(model)).rejects.toThrow('fetch failed');
    expect(await Promise.all(model.requests.map((request) => request.ended))).toEqual(['cut', 'cut']);
  });

  test('a hang after so many bytes', async () => {
    const model = await start([hang({ afterBytes: 50, of: answer({ items: [] }) })]);
    const abort = new AbortController();
    const reader = (await post(model, { signal: abort.signal })).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).length).toBe(50);
    abort.abort();
    expect(await model.requests[0]?.ended).toBe('client-left');
  });
});

describe('the script', () => {
  test('may be a function, or hold functions of the request', async () => {
    const echo = ({ body, index }: { body: object; index: number }): ScriptStep =>
      httpError({ status: 418, body: `${index} ${JSON.stringify(body)}` });
    for (const script of [echo, [echo]]) {
      const model = await start(script);
      expect(await (await post(model)).text()).toBe('0 {"model":"m"}');
    }
  });

  test('can grow, and says so when it is over', async () => {
    const model = await start([httpError({ status: 401 })]);
    model.push(httpError({ status: 402 }));
    expect([(await post(model)).status, (await post(model)).status]).toEqual([401, 402]);
    const over = await post(model);
    expect([over.status, await over.text()]).toEqual([
      500,
      '{"error":{"message":"The script of this scripted model has 2 steps, and this is request 3.","code":"script_exhausted"}}',
    ]);
  });

  test('that throws is reported to the client', async () => {
    const model = await start(() => {
      throw new Error('no idea');
    });
    const response = await post(model);
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('no idea')]);
  });
});

describe('requests', () => {
  test('are recorded as they arrive', async () => {
    const model = await start(() => answer({ items: [] }));
    const waiting = model.request(1);
    await (await post(model)).text();
    await (
      await fetch(`${model.url}/responses?a=b`, { method: 'POST', body: '{"n":2}', headers: { 'x-a': '1' } })
    ).text();
    const second = await waiting;
    expect(second).toBe(model.requests[1]);
    expect(await model.request(0)).toBe(model.requests[0]);
    expect(second).toMatchObject({
      index: 1,
      method: 'POST',
      path: expect.stringMatching(/^\/\w+\/v1\/responses\?a=b$/),
      body: { n: 2 },
    });
    expect([second.bytes.toString(), second.headers['x-a'], await second.ended]).toEqual(['{"n":2}', '1', 'answered']);
  });

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ])('are decoded from %s', async (encoding, compress) => {
    const model = await start(() => answer({ items: [] }));
    const raw = compress(Buffer.from('{"model":"ä"}'));
    await (await post(model, { body: new Uint8Array(raw), headers: { 'content-encoding': encoding } })).text();
    const [request] = model.requests;
    expect(request?.body).toEqual({ model: 'ä' });
    expect([request?.bytes.equals(raw), request?.decodedBytes.toString()]).toEqual([true, '{"model":"ä"}']);
  });

  test('for anything else are refused and not counted', async () => {
    const model = await start([]);
    expect((await fetch(`${model.url}/models?client_version=1`)).status).toBe(404);
    expect((await post(model, { body: 'no json' })).status).toBe(400);
    expect((await post(model, { body: '[]' })).status).toBe(400);
    expect(model.requests).toEqual([]);
  });

  test('that never come are reported when the server closes', async () => {
    const model = await start([]);
    const waiting = model.request(0);
    await Promise.all([expect(waiting).rejects.toThrow('closed after 0 requests, before request 0'), model.close()]);
    await expect(model.request(0)).rejects.toThrow('closed');
    await model.close();
  });
});

describe('Chat Completions', () => {
  const postChat = (model: ScriptedModel): Promise<Response> =>
    fetch(`${model.url}/chat/completions`, { method: 'POST', body: '{"model":"m"}' });
  const named = { id: 'chatcmpl_1', object: 'chat.completion.chunk' };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...named,
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  const opening = chunk({ role: 'assistant', content: '' });
  const counts = {
    ...named,
    choices: [],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  };

  test('has the same scripts: the path chooses the format', async () => {
    const items = [reason('Hm'), say('Hello you'), callTool('look', { at: 1 })];
    const model = await start([answer({ items, deltas: true }), answer({ items: [say('Hello you')] })]);
    expect(await eventsOf(await postChat(model))).toEqual([
      opening,
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'Hello' }),
      chunk({ content: ' you' }),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"at":1}' } }] }),
      chunk({}, 'tool_calls'),
      counts,
      '[DONE]',
    ]);
    expect((await eventsOf(await post(model))).at(0)).toMatchObject({ type: 'response.created' });
    expect(model.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['completions', 'responses']);
  });

  test.each<[ScriptStep, readonly unknown[]]>([
    [answer({ items: [], usage: 'none' }), [opening, chunk({}, 'stop'), '[DONE]']],
    [
      answer({ items: [], usage: 'null' }),
      [opening, chunk({}, 'stop'), { ...named, choices: [], usage: null }, '[DONE]'],
    ],
    [failed({ code: 'odd', message: 'No.' }), [opening, { error: { code: 'odd', message: 'No.' } }]],
    [incomplete({ reason: 'max_output_tokens' }), [opening, chunk({}, 'length'), counts, '[DONE]']],
    [incomplete({ reason: 'content_filter' }), [opening, chunk({}, 'content_filter'), counts, '[DONE]']],
  ])('plays %j', async (step, expected) => {
    expect(await eventsOf(await postChat(await start([step])))).toEqual(expected);
  });

  test('has no endpoint that makes checkpoints: a script that expects one gets an error that says so', async () => {
    const answered = await postChat(await start([compacted({ output: [] })]));
    expect([answered.status, await answered.json()]).toEqual([
      500,
      { error: expect.objectContaining({ code: 'script_unfit' }) },
    ]);
  });
});
