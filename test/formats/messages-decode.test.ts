import { describe, expect, test } from 'vitest';
import { checkJunk, decodeMessages, renderStep } from './messages-decoder-law.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';

const stream = (...events: readonly (JsonObject | string)[]): Buffer =>
  Buffer.from(
    events
      .map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  );
const decode = (...events: readonly (JsonObject | string)[]): ReturnType<typeof decodeMessages> =>
  decodeMessages([stream(...events)]);

const start = {
  type: 'message_start',
  message: {
    id: 'msg_01',
    usage: { input_tokens: 20, cache_read_input_tokens: 900, cache_creation_input_tokens: 80, output_tokens: 1 },
  },
};
const begin = (index: number, block: JsonObject): JsonObject => ({
  type: 'content_block_start',
  index,
  content_block: block,
});
const delta = (index: number, piece: JsonObject): JsonObject => ({ type: 'content_block_delta', index, delta: piece });
const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index });
const ends = (reason: string): readonly JsonObject[] => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 55 } },
  { type: 'message_stop' },
];
const created = { kind: 'created', responseId: 'msg_01' } as const;
const usage = {
  input: 1000,
  cachedInput: 900,
  cacheWriteInput: 80,
  output: 55,
  reasoningOutput: 0,
  total: 1055,
};
const completed = { kind: 'completed', responseId: 'msg_01', usage } as const;
const text = (index: number, words: string): readonly JsonObject[] => [
  begin(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text: words }),
  stop(index),
];
const use = (index: number, json: string, id = 'toolu_1'): readonly JsonObject[] => [
  begin(index, { type: 'tool_use', id, name: 'read', input: {} }),
  delta(index, { type: 'input_json_delta', partial_json: json }),
  stop(index),
];
const thought = (index: number): readonly JsonObject[] => [
  begin(index, { type: 'thinking', thinking: '', signature: '' }),
  delta(index, { type: 'thinking_delta', thinking: 'Look first.' }),
  delta(index, { type: 'signature_delta', signature: 'EqQB' }),
  stop(index),
];
const message = (id: string, words: string): JsonObject => ({
  type: 'message',
  id,
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
});
const call = (id: string, json: string, callId = 'toolu_1'): JsonObject => ({
  type: 'function_call',
  id,
  name: 'read',
  arguments: json,
  call_id: callId,
});
const reasoning = (id: string): JsonObject => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text: 'Look first.' }],
  encrypted_content: 'anthropic/thinking:EqQB',
});
const items = (events: ReturnType<typeof decode>): readonly JsonObject[] =>
  events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));

describe('an answer', () => {
  test('thinks, speaks and calls', () => {
    const events = decode(
      start,
      { type: 'ping' },
      ...thought(0),
      begin(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'I ' }),
      delta(1, { type: 'text_delta', text: 'look.' }),
      stop(1),
      begin(2, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{"p": "x' }),
      delta(2, { type: 'input_json_delta', partial_json: '"}' }),
      stop(2),
      ...ends('tool_use'),
    );
    expect(events).toEqual([
      created,
      { kind: 'reasoning-delta', itemId: 'rs_01-0', part: 0, delta: 'Look first.' },
      { kind: 'text-delta', itemId: 'msg_01-1', delta: 'I ' },
      { kind: 'text-delta', itemId: 'msg_01-1', delta: 'look.' },
      { kind: 'item', item: reasoning('rs_01-0') },
      { kind: 'item', item: message('msg_01-1', 'I look.') },
      { kind: 'item', item: call('fc_01-2', '{"p": "x"}') },
      completed,
    ]);
  });

  test('redacted thinking, thinking without words, and thinking that nothing signs', () => {
    const events = decode(
      start,
      begin(0, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
      stop(0),
      begin(1, { type: 'thinking', thinking: '', signature: '' }),
      delta(1, { type: 'signature_delta', signature: 'c2ln' }),
      stop(1),
      begin(2, { type: 'thinking', thinking: 'Hm.' }),
      stop(2),
      ...text(3, 'Done.'),
      ...ends('end_turn'),
    );
    expect(items(events)).toEqual([
      { type: 'reasoning', id: 'rs_01-0', summary: [], encrypted_content: 'anthropic/redacted_thinking:ZGF0YQ==' },
      { type: 'reasoning', id: 'rs_01-1', summary: [], encrypted_content: 'anthropic/thinking:c2ln' },
      { type: 'reasoning', id: 'rs_01-2', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      message('msg_01-3', 'Done.'),
    ]);
  });

  test('arguments: none, broken ones, and those of a server that gives them at once', () => {
    const events = decode(
      start,
      ...use(0, ''),
      ...use(1, '{"p": '),
      begin(2, { type: 'tool_use', id: 'toolu_2', name: 'read', input: { p: 1 } }),
      stop(2),
      ...ends('tool_use'),
    );
    expect(items(events).map(({ arguments: given }) => given)).toEqual(['{}', '{"p": ', '{"p":1}']);
  });

  test('blocks, events and pieces that are not known change nothing', () => {
    const known = [start, ...text(0, 'Hello.'), ...ends('end_turn')];
    const odd = [
      { type: 'something_new', index: 0 },
      begin(7, { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }),
      delta(7, { type: 'input_json_delta', partial_json: '{}' }),
      delta(9, { type: 'text_delta', text: 'lost' }),
      stop(7),
      stop(9),
    ];
    expect(decode(start, ...odd, ...known.slice(1))).toEqual(decode(...known));
    expect(
      decode(
        start,
        begin(0, { type: 'text', text: 'Hello.' }),
        delta(0, { type: 'citations_delta' }),
        stop(0),
        ...ends('x'),
      ),
    ).toEqual(decode(start, ...text(0, 'Hello.'), ...ends('x')));
  });

  test('without names, ends or counts it is still one', () => {
    const events = decode({ type: 'message_start' }, ...text(0, 'Hello.'), '[DONE]', { type: 'message_stop' });
    expect(events).toEqual([
      { kind: 'text-delta', itemId: '', delta: 'Hello.' },
      {
        kind: 'item',
        item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
      },
      { kind: 'completed', responseId: '' },
    ]);
    expect(decode(start, ...text(0, 'Hello.'), ends('end_turn')[0]!).at(-1)).toEqual(completed);
  });

  test('counts of the end replace those of the beginning, where it has some', () => {
    const last = { input_tokens: 30, cache_read_input_tokens: null, output_tokens: 7 };
    const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: last }, { type: 'message_stop' }];
    expect(decode(start, ...text(0, 'Hi.'), ...end).at(-1)).toMatchObject({
      usage: { input: 1010, cachedInput: 900, cacheWriteInput: 80, output: 7, total: 1017 },
    });
    const wrong = { ...start, message: { id: 'msg_01', usage: { input_tokens: -4, output_tokens: 'x' } } };
    expect(decode(wrong, ...text(0, 'Hi.'), { type: 'message_stop' }).at(-1)).toEqual({
      kind: 'completed',
      responseId: 'msg_01',
    });
  });
});

describe('the reason why it stops', () => {
  test.each(['end_turn', 'stop_sequence', 'tool_use', 'something_new'])('%s: it is complete', (reason) => {
    expect(decode(start, ...text(0, 'Hi.'), ...ends(reason)).at(-1)).toEqual(completed);
  });

  test('pause_turn: the model wants another step', () => {
    expect(decode(start, ...text(0, 'Hi.'), ...ends('pause_turn')).at(-1)).toEqual({ ...completed, endTurn: false });
  });

  test('max_tokens: the text is kept, and the call that was cut short is not run', () => {
    const events = decode(
      start,
      ...text(0, 'Hi.'),
      ...use(1, '{}', 'toolu_1'),
      ...use(2, '{"p"', 'toolu_2'),
      ...ends('max_tokens'),
    );
    expect(items(events)).toEqual([message('msg_01-0', 'Hi.'), call('fc_01-1', '{}')]);
    expect(events.at(-1)).toMatchObject({ kind: 'failed', failure: { code: 'incomplete', retry: 'never' } });
  });

  test.each([
    ['refusal', 'policy'],
    ['model_context_window_exceeded', 'context-window-exceeded'],
  ])('%s: %s', (reason, code) => {
    const events = decode(start, ...text(0, 'Hi.'), ...use(1, '{}'), ...ends(reason));
    expect(items(events)).toEqual([message('msg_01-0', 'Hi.')]);
    expect(events.at(-1)).toMatchObject({ kind: 'failed', failure: { code, retry: 'never' } });
  });
});

describe('an answer that fails', () => {
  const fails = (type: string, words = 'Words.'): unknown =>
    decode(start, { type: 'error', error: { type, message: words } }).at(-1);

  test.each([
    ['overloaded_error', 'overloaded', {}],
    ['rate_limit_error', 'rate-limited', {}],
    ['api_error', 'server-error', {}],
    ['timeout_error', 'server-error', {}],
    ['something_new', 'server-error', {}],
    ['invalid_request_error', 'invalid-request', 'never'],
    ['not_found_error', 'invalid-request', 'never'],
    ['authentication_error', 'unauthorized', 'never'],
    ['permission_error', 'unauthorized', 'never'],
    ['billing_error', 'usage-limit', 'never'],
    ['request_too_large', 'context-window-exceeded', 'never'],
  ])('%s: %s', (type, code, retry) => {
    expect(fails(type)).toMatchObject({ kind: 'failed', failure: { code, retry } });
  });

  test('in words: a request that is too long names the window', () => {
    const words = 'prompt is too long: 210000 tokens > 200000 maximum';
    expect(fails('invalid_request_error', words)).toMatchObject({
      failure: { code: 'context-window-exceeded', window: 200_000 },
    });
  });

  test('without an error in the event', () => {
    expect(decode(start, { type: 'error' })).toEqual([
      created,
      {
        kind: 'failed',
        failure: expect.objectContaining({ message: 'The provider reported an error.' }),
        usage: expect.objectContaining({ input: 1000, output: 1 }),
      },
    ]);
  });

  test('one that cannot be read fails it: a call must not lack a piece', () => {
    const [opened, , closed] = use(0, '');
    expect(decode(start, opened!, '{"type":"content_block_delta","in', closed!, ...ends('tool_use'))).toEqual([
      created,
      { kind: 'failed', failure: expect.objectContaining({ code: 'server-error', retry: {} }) },
    ]);
  });

  test('a call without a name or an id cannot be answered', () => {
    for (const block of [
      { type: 'tool_use', id: 'toolu_1' },
      { type: 'tool_use', name: 'read' },
    ]) {
      expect(decode(start, begin(0, block), stop(0), ...ends('tool_use'))).toEqual([
        created,
        {
          kind: 'failed',
          failure: expect.objectContaining({ message: 'The provider sent an item that Capstan cannot read.' }),
        },
      ]);
    }
  });

  test('a stream that ends early gives whole items alone, and no thinking without what it led to', () => {
    const bytes = renderStep(
      answer({
        deltas: true,
        items: [
          {
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'Hm.' }],
            encrypted_content: 'anthropic/thinking:s',
          },
          say('First.'),
          {
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'So.' }],
            encrypted_content: 'anthropic/thinking:t',
          },
          callTool('read', { p: 1 }, 'toolu_1'),
          callTool('read', { p: 2 }, 'toolu_2'),
        ],
      }),
    );
    const whole = items(decodeMessages([bytes]));
    expect(whole).toHaveLength(5);
    const counts = new Set<number>();
    for (let end = 0; end < bytes.length; end++) {
      const events = decodeMessages([bytes.subarray(0, end)]);
      const last = events.at(-1);
      // Everything is there once the reason is.
      if (last?.kind === 'completed') continue;
      expect(last).toMatchObject({ kind: 'failed', failure: { code: 'stream-cut', retry: {} } });
      expect(items(events)).toEqual(whole.slice(0, items(events).length));
      counts.add(items(events).length);
    }
    expect([...counts]).toEqual([0, 2, 4]);
  });
});

test('whatever events come, the answer ends once and with a name', () => {
  expect(checkJunk(2000)).toBe(2000);
});
