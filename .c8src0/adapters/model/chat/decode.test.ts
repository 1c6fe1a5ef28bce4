import { describe, expect, test } from 'vitest';
import { defaultAnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelEvent } from '../../../ports/model.ts';
import { answerDecoder, joinedDeltas } from '../http/answer-decoder.ts';
import { cutFailure } from '../http/failures/answer-failure.ts';
import { chatReader } from './decode.ts';
import { commonDialect, thinkingDialect } from './dialect.ts';

/** The model events read from events with this data; the stream ends behind them. */
function read(events: readonly unknown[], { dialect = commonDialect, maxItems = 100 } = {}): readonly ModelEvent[] {
  const decoder = answerDecoder(defaultAnswerLimits, chatReader({ maxItems }, dialect));
  const lines = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  return joinedDeltas([
    ...decoder.push(Buffer.from(lines.join(''))),
    ...decoder.end(() => cutFailure('end of stream')),
  ]);
}

const chunk = (delta: unknown, finish_reason: string | null = null, more = {}) => ({
  id: 'c1',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
});
const call = (piece: unknown) => chunk({ tool_calls: [piece] });
const done = '[DONE]';
const stop = chunk({}, 'stop');

const created = { kind: 'created', responseId: 'c1' };
const completed = { kind: 'completed', responseId: 'c1' };
const textDelta = (delta: string) => ({ kind: 'text-delta', itemId: '', delta });
const message = (text: string) => ({
  kind: 'item',
  item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
});
const calledItem = (call_id: string, name: string, given: string) => ({
  kind: 'item',
  item: { type: 'function_call', name, arguments: given, call_id },
});

describe('words', () => {
  const hello = [created, textDelta('Hello you'), message('Hello you'), completed];

  test.each<[string, readonly unknown[]]>([
    [
      'in pieces',
      [
        chunk({ role: 'assistant', content: null }),
        chunk({ content: 'Hello ' }),
        chunk({ content: 'you' }),
        stop,
        done,
      ],
    ],
    ['in one piece with the reason', [chunk({ content: 'Hello you' }, 'stop'), done]],
    [
      'in a whole message',
      [{ id: 'c1', choices: [{ message: { content: 'Hello you' }, finish_reason: 'stop' }] }, done],
    ],
    [
      'in parts',
      [
        chunk({
          content: [
            { type: 'text', text: 'Hello ' },
            { type: 'text', text: 'you' },
          ],
        }),
        stop,
        done,
      ],
    ],
    ['without an end mark', [chunk({ content: 'Hello you' }), stop]],
    ['without a reason', [chunk({ content: 'Hello you' }), done]],
    ['with a reason that is not known', [chunk({ content: 'Hello you' }, 'eos'), done]],
    [
      'of the first of several choices',
      [
        {
          id: 'c1',
          choices: [
            { index: 1, delta: { content: 'No' } },
            { index: 0, delta: { content: 'Hello you' } },
          ],
        },
        { id: 'c1', choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
        stop,
        done,
      ],
    ],
    [
      'whose reason is an empty text until the end',
      [chunk({ content: 'Hello ' }, ''), chunk({ content: 'you' }, ''), stop, done],
    ],
    [
      'between odd chunks',
      [
        chunk({ content: 'Hello ' }),
        { id: 'c1', choices: null },
        { x: 1 },
        '',
        chunk({ content: 'you', x: [] }),
        stop,
        done,
      ],
    ],
  ])('%s', (_, events) => {
    expect(read(events)).toEqual(hello);
  });

  test('of a refusal are words', () => {
    expect(read([chunk({ refusal: 'I will not.' }), stop, done])).toEqual([
      created,
      textDelta('I will not.'),
      message('I will not.'),
      completed,
    ]);
  });

  test('without an id', () => {
    expect(read([{ choices: [{ delta: { content: 'Hi' } }] }, done])).toEqual([
      textDelta('Hi'),
      message('Hi'),
      { kind: 'completed', responseId: '' },
    ]);
  });
});

describe('thoughts', () => {
  const delta = { kind: 'reasoning-delta', itemId: '', part: 0, delta: 'Hm.' };
  const summary = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] };
  const content = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };

  test.each<[string, unknown]>([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.' }],
    ['both', { reasoning_content: 'Hm.', reasoning: 'Hm.' }],
    ['parts', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }],
  ])('as %s', (_, given) => {
    const events = [chunk(given), chunk({ content: 'Yes.' }), stop, done];
    expect(read(events)).toEqual([
      created,
      delta,
      textDelta('Yes.'),
      { kind: 'item', item: summary },
      message('Yes.'),
      completed,
    ]);
    expect(read(events, { dialect: thinkingDialect })[3]).toEqual({ kind: 'item', item: content });
  });
});

describe('calls', () => {
  const pieces = [
    call({ index: 0, id: 'a', type: 'function', function: { name: 'read', arguments: '' } }),
    call({ index: 1, id: 'b', function: { name: 'read', arguments: '{"p":' } }),
    chunk({
      tool_calls: [
        { index: 0, function: { arguments: '{"p":1}' } },
        { index: 1, function: { arguments: '2}' } },
      ],
    }),
  ];

  // Servers call the same end by several names.
  test.each(['tool_calls', 'stop', 'function_call'])('side by side, ended as %s', (reason) => {
    expect(read([...pieces, chunk({}, reason), done])).toEqual([
      created,
      calledItem('a', 'read', '{"p":1}'),
      calledItem('b', 'read', '{"p":2}'),
      completed,
    ]);
  });

  test('of the old form', () => {
    const old = [
      chunk({ function_call: { name: 'read', arguments: '{' } }),
      chunk({ function_call: { arguments: '}' } }),
    ];
    expect(read([...old, chunk({}, 'function_call'), done])).toEqual([
      created,
      calledItem('call_c1_0', 'read', '{}'),
      completed,
    ]);
  });

  test('without a name are no calls: the answer failed', () => {
    expect(read([call({ index: 0, id: 'a', function: { arguments: '{}' } }), chunk({}, 'tool_calls'), done])).toEqual([
      created,
      { kind: 'failed', failure: expect.objectContaining({ code: 'server-error', retry: {} }) },
    ]);
  });

  test('without end are too many', () => {
    const many = Array.from({ length: 4 }, (_, index) => call({ index, id: `${index}`, function: { name: 'x' } }));
    expect(read(many, { maxItems: 3 }).at(-1)).toMatchObject({ failure: { code: 'answer-too-large' } });
  });
});

describe('counts', () => {
  const counted = { input: 900, cachedInput: 512, cacheWriteInput: 0, output: 30, reasoningOutput: 5, total: 930 };
  const plain = { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 };
  const details = { prompt_tokens_details: { cached_tokens: 512 }, completion_tokens_details: { reasoning_tokens: 5 } };
  const usage = { ...plain, ...details };
  const bare = { ...counted, cachedInput: 0, reasoningOutput: 0 };

  test.each<[string, readonly unknown[], unknown]>([
    ['behind the reason', [stop, { id: 'c1', choices: [], usage }, done], counted],
    ['without choices at all', [stop, { id: 'c1', usage }, done], counted],
    ['beside the reason', [chunk({}, 'stop', { usage }), done], counted],
    [
      'beside every chunk',
      [chunk({ content: '' }, null, { usage: { ...usage, prompt_tokens: 1 } }), chunk({}, 'stop', { usage }), done],
      counted,
    ],
    ['in the choice', [{ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }, done], counted],
    ['under a name of its own', [chunk({}, 'stop', { x_groq: { usage } }), done], counted],
    [
      'with other names for the cache',
      [stop, { choices: [], usage: { ...plain, prompt_cache_hit_tokens: 512 } }, done],
      { ...bare, cachedInput: 512 },
    ],
    ['without details', [stop, { choices: [], usage: { ...plain, prompt_tokens_details: null } }, done], bare],
    ['as null', [chunk({}, 'stop', { usage: null }), { choices: [], usage: null }, done], undefined],
    [
      'as zero',
      [stop, { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }, done],
      undefined,
    ],
    ['not at all', [stop, done], undefined],
  ])('%s', (_, events, expected) => {
    const all = read([chunk({ role: 'assistant' }), ...events]);
    expect(all).toEqual([created, { ...completed, ...(expected === undefined ? {} : { usage: expected }) }]);
  });

  test('end the answer: nothing more is waited for', () => {
    const decoder = answerDecoder(defaultAnswerLimits, chatReader({ maxItems: 9 }, commonDialect));
    const events = decoder.push(Buffer.from(`data: ${JSON.stringify(chunk({}, 'stop', { usage }))}\n\n`));
    expect(events.at(-1)).toMatchObject({ kind: 'completed', usage: counted });
  });
});

describe('ends', () => {
  const failedWith = (events: readonly ModelEvent[]) =>
    events.map((event) => (event.kind === 'failed' ? [event.failure.code, event.failure.retry] : event.kind));

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    [
      'length: the words stand, the calls do not',
      [
        chunk({ content: 'So' }),
        call({ index: 0, id: 'a', function: { name: 'x', arguments: '{"p' } }),
        chunk({}, 'length'),
        done,
      ],
      ['created', 'text-delta', 'item', ['incomplete', 'never']],
    ],
    [
      'content_filter',
      [chunk({ content: 'So' }), chunk({}, 'content_filter'), done],
      ['created', 'text-delta', ['incomplete', 'never']],
    ],
    [
      'a full window',
      [chunk({}, 'model_context_window_exceeded'), done],
      ['created', ['context-window-exceeded', 'never']],
    ],
    [
      'a fault of the server',
      [chunk({ content: 'So' }), chunk({}, 'error'), done],
      ['created', 'text-delta', ['server-error', {}]],
    ],
    [
      'a cut',
      [chunk({ content: 'So' }), call({ index: 0, id: 'a', function: { name: 'x', arguments: '{}' } })],
      ['created', 'text-delta', ['stream-cut', {}]],
    ],
    [
      'a cut before a reason that says nothing',
      [chunk({ content: 'So' }, '')],
      ['created', 'text-delta', ['stream-cut', {}]],
    ],
    ['no event at all', [], [['stream-cut', {}]]],
    ['the end mark alone', [done], [['server-error', {}]]],
    [
      'an event that is no JSON',
      [chunk({ content: 'So' }), '{"id":', stop, done],
      ['created', 'text-delta', ['server-error', {}]],
    ],
    [
      'an event that is no object',
      [chunk({ content: 'So' }), '[]', stop, done],
      ['created', 'text-delta', ['server-error', {}]],
    ],
  ])('%s', (_, events, expected) => {
    expect(failedWith(read(events))).toEqual(expected);
  });

  test('an error in the stream ends it', () => {
    const error = { error: { code: 429, message: 'Slow down.' } };
    expect(failedWith(read([chunk({ content: 'So' }), error, stop, done]))).toEqual([
      'created',
      'text-delta',
      ['rate-limited', {}],
    ]);
  });
});
