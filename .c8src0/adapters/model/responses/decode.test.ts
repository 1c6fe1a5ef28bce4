import { defaultAnswerLimits } from '../../../core/config/defaults.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../../ports/model.ts';
import { answerDecoder } from '../http/answer-decoder.ts';
import { responsesReader } from './decode.ts';
import { modelFailure } from '../http/failures/model-failure.ts';

const cause = modelFailure({ cause: 'cut', message: 'cut' });
const message = {
  type: 'message',
  id: 'msg_9',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Zwei 🧪.' }],
};
const call = { type: 'function_call', id: 'fc_2', name: 'look', arguments: '{"path":"ä"}', call_id: 'call_2' };

const conversation = [
  { type: 'response.created', response: { id: 'resp_1' } },
  { type: 'response.in_progress', response: { id: 'resp_1' } },
  { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_9', delta: 'Zwei ' },
  { type: 'response.output_text.delta', item_id: 'msg_9', delta: '🧪.' },
  { type: 'response.refusal.delta', item_id: 'msg_9', content_index: 1, delta: 'No.' },
  { type: 'response.output_item.done', output_index: 0, item: message },
  { type: 'response.function_call_arguments.delta', item_id: 'fc_2', delta: '{"path"' },
  { type: 'response.output_item.done', output_index: 1, item: call },
  {
    type: 'response.completed',
    response: {
      id: 'resp_1',
      end_turn: false,
      usage: {
        input_tokens: 1200,
        input_tokens_details: { cached_tokens: 1024, cache_write_tokens: 5 },
        output_tokens: 40,
        output_tokens_details: { reasoning_tokens: 12 },
        total_tokens: 1240,
      },
    },
  },
];
const conversationEvents: readonly ModelEvent[] = [
  { kind: 'created', responseId: 'resp_1' },
  { kind: 'text-delta', itemId: 'msg_9', delta: 'Zwei ' },
  { kind: 'text-delta', itemId: 'msg_9', delta: '🧪.' },
  { kind: 'text-delta', itemId: 'msg_9', delta: 'No.' },
  { kind: 'item', item: message },
  { kind: 'item', item: call },
  {
    kind: 'completed',
    responseId: 'resp_1',
    endTurn: false,
    usage: { input: 1200, cachedInput: 1024, cacheWriteInput: 5, output: 40, reasoningOutput: 12, total: 1240 },
  },
];

describe('a stream', () => {
  test('gives the same events in any chunks', () => {
    const bytes = wire(conversation);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const borders = [...cuts, bytes.length].toSorted((a, b) => a - b);
        const chunks = borders.map((border, index) => bytes.subarray(borders[index - 1] ?? 0, border));
        expect(decoded(chunks)).toEqual(conversationEvents);
      }),
    );
  });

  test('says nothing after its end', () => {
    const again = Buffer.concat([wire(conversation), wire(conversation)]);
    expect(decoded([again, again])).toEqual(conversationEvents);
  });

  test('fails with the given cause when it ends too early', () => {
    expect(decoded([wire(conversation.slice(0, 1))])).toEqual([
      { kind: 'created', responseId: 'resp_1' },
      { kind: 'failed', failure: cause },
    ]);
  });

  test('separates an answer without any event that can be read from one that was cut', () => {
    const asked: boolean[] = [];
    for (const bytes of [
      Buffer.from('no events\n\n'),
      Buffer.from('data: {not json\n\n'),
      wire(conversation.slice(0, 1)),
    ]) {
      const decoder = answerDecoder(defaultAnswerLimits, responsesReader(defaultAnswerLimits));
      decoder.push(bytes);
      decoder.end((sawEvent) => {
        asked.push(sawEvent);
        return cause;
      });
    }
    expect(asked).toEqual([false, false, true]);
  });

  test('counts a last event without its empty line', () => {
    const bytes = wire(conversation);
    expect(decoded([bytes.subarray(0, bytes.length - 2)])).toEqual(conversationEvents);
  });

  test('reads events whatever the order and spacing of their keys', () => {
    const odd = '{ "response": {"id": "resp_1"},\ndata: "type": "response\\u002ecreated" }';
    expect(decoded([Buffer.from(`data: ${odd}\n\n`)])[0]).toEqual({ kind: 'created', responseId: 'resp_1' });
  });

  test('skips what it does not know or cannot read', () => {
    const junk = [
      'data: {"type":"response.output_text.delta","delta":"half\n\n',
      'data: [DONE]\n\n',
      'data: 7\n\n',
      'data: {"type":"response.brand_new","response":{"id":"x"}}\n\n',
      'data: {"type":"response.brand_new.delta","delta":"not even JSON\n\n',
      'data: {"response":{}}\n\n',
      'data: {"type":"response.output_text.delta"}\n\n',
      'data: {"type":"response.created"}\n\n',
    ];
    expect(decoded([Buffer.from(junk.join('')), wire(conversation)])).toEqual(conversationEvents);
  });

  test('does not hide a finished item or an end that cannot be read', () => {
    const broken = [
      '{"type":"response.output_item.done","item":{"type":"function_call"',
      '{"type":"response.output_item.done"}',
      '{"type":"response.completed","response":{"id"',
      '{"type":"response.failed","response":{"error":',
      '{"type":"response.incomplete","resp',
    ];
    for (const data of broken) {
      expect(decoded([Buffer.from(`data: ${data}\n\n`)])).toEqual([
        {
          kind: 'failed',
          failure: expect.objectContaining({ code: 'server-error', retry: {} }) as unknown,
        },
      ]);
    }
  });
});

describe('items', () => {
  const added = (item: object, more: object = {}): object => ({ type: 'response.output_item.added', item, ...more });
  const done = (item: object, more: object = {}): object => ({ type: 'response.output_item.done', item, ...more });
  const itemsOf = (events: readonly object[]): readonly unknown[] =>
    decoded([wire(events)]).flatMap((event) => (event.kind === 'item' ? [event.item] : []));

  test('without an id get the one under which they were announced', () => {
    const events = [
      added({ type: 'reasoning', id: 'rs_1' }, { output_index: 0 }),
      added({ type: 'message', id: 'msg_1' }, { output_index: 1 }),
      added({ type: 'message', id: 'msg_2' }, { output_index: 2 }),
      done({ type: 'message', role: 'assistant', id: '' }, { output_index: 2 }),
      done({ type: 'message', role: 'assistant' }, { output_index: 1 }),
      done({ type: 'reasoning', id: null }),
      done({ type: 'message', role: 'assistant' }),
    ];
    expect(itemsOf(events)).toEqual([
      { type: 'message', id: 'msg_2', role: 'assistant' },
      { type: 'message', id: 'msg_1', role: 'assistant' },
      { type: 'reasoning', id: 'rs_1' },
      { type: 'message', role: 'assistant' },
    ]);
  });

  test('keep their own id', () => {
    const events = [added({ type: 'message', id: 'msg_1' }), done({ type: 'message', id: 'msg_2', odd: [null] })];
    expect(itemsOf(events)).toEqual([{ type: 'message', id: 'msg_2', odd: [null] }]);
  });

  test('lend their id to deltas that name none', () => {
    const delta = { type: 'response.output_text.delta', delta: 'a' };
    const events = decoded([wire([delta, added({ type: 'message', id: 'msg_1' }), delta])]);
    expect(events.slice(0, 2)).toEqual([
      { kind: 'text-delta', itemId: '', delta: 'a' },
      { kind: 'text-delta', itemId: 'msg_1', delta: 'a' },
    ]);
  });
});

describe('completion', () => {
  const completion = (response: object | undefined): ModelEvent | undefined =>
    decoded([
      wire([
        { type: 'response.created', response: { id: 'resp_1' } },
        { type: 'response.completed', response },
      ]),
    ])[1];

  test.each([
    ['nothing at all', undefined, { kind: 'completed', responseId: 'resp_1' }],
    ['usage of null', { id: 'resp_2', usage: null }, { kind: 'completed', responseId: 'resp_2' }],
    ['usage without counts', { id: 'resp_2', usage: { cost: 1 } }, { kind: 'completed', responseId: 'resp_2' }],
    [
      'usage without details and total',
      { id: 'resp_2', usage: { input_tokens: 3, output_tokens: 4, input_tokens_details: null } },
      {
        kind: 'completed',
        responseId: 'resp_2',
        usage: { input: 3, cachedInput: 0, cacheWriteInput: 0, output: 4, reasoningOutput: 0, total: 7 },
      },
    ],
  ])('is never lost over accounting: %s', (_name, response, expected) => {
    expect(completion(response)).toEqual(expected);
  });
});

describe('failures', () => {
  const failure = (event: object): unknown => {
    const last = decoded([wire([event]), wire(conversation)])[0];
    return last?.kind === 'failed' ? [last.failure.code, last.failure.retry, last.failure.message] : last;
  };
  const failedBy = (code: string, text: string): object => ({
    type: 'response.failed',
    response: { error: { code, message: text } },
  });

  test.each([
    ['context_length_exceeded', 'too long', 'context-window-exceeded', 'never'],
    ['insufficient_quota', 'no money', 'usage-limit', 'never'],
    ['usage_not_included', 'no plan', 'usage-limit', 'never'],
    ['cyber_policy', 'no', 'policy', 'never'],
    ['misalignment_policy_violation', 'no', 'policy', 'never'],
    ['invalid_prompt', 'no', 'invalid-request', 'never'],
    ['bio_policy', 'no', 'invalid-request', 'never'],
    ['server_is_overloaded', 'busy', 'overloaded', {}],
    ['slow_down', 'busy', 'overloaded', {}],
    ['rate_limit_exceeded', 'Try again in 11.054s. Really.', 'rate-limited', { afterMs: 11_054 }],
    ['rate_limit_exceeded', 'please TRY AGAIN IN 28ms', 'rate-limited', { afterMs: 28 }],
    ['rate_limit_exceeded', 'try again in 35 seconds', 'rate-limited', { afterMs: 35_000 }],
    ['rate_limit_exceeded', 'try again later', 'rate-limited', {}],
  ])('%s: %s', (code, text, expectedCode, retry) => {
    expect(failure(failedBy(code, text))).toEqual([expectedCode, retry, text]);
  });

  test('have words of their own where the server has none', () => {
    expect(failure(failedBy('cyber_policy', ' '))).toEqual([
      'policy',
      'never',
      'The provider refused the request under its policy on cyber security.',
    ]);
    expect(failure({ type: 'response.failed' })).toEqual(['server-error', {}, 'The provider reported an error.']);
    expect(failure(failedBy('toString', 'odd; try again in 3s'))).toEqual([
      'server-error',
      {},
      'The provider reported the error toString: odd; try again in 3s',
    ]);
  });

  test('say what the answer cost, where the provider counted it', () => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const ends = ['response.incomplete', 'response.failed'].map(
      (type) => decoded([wire([{ type, response: { usage } }])])[0],
    );
    const counted = { input: 3, cachedInput: 0, cacheWriteInput: 0, output: 4, reasoningOutput: 0, total: 7 };
    expect(ends).toMatchObject([
      { kind: 'failed', usage: counted },
      { kind: 'failed', usage: counted },
    ]);
  });

  test('of an answer that was ended early are permanent and name the reason', () => {
    const incomplete = (details: object | undefined): object => ({
      type: 'response.incomplete',
      response: { incomplete_details: details },
    });
    expect(failure(incomplete({ reason: 'content_filter' }))).toEqual([
      'incomplete',
      'never',
      'The provider ended the answer before it was complete. Reason: content_filter.',
    ]);
    expect(failure(incomplete(undefined))).toEqual([
      'incomplete',
      'never',
      'The provider ended the answer before it was complete. Reason: unknown.',
    ]);
  });

  test('are explained by an error event that came before', () => {
    const error = wire([{ type: 'error', code: 'server_is_overloaded', message: 'busy' }]);
    expect(decoded([error])).toEqual([
      { kind: 'failed', failure: expect.objectContaining({ code: 'overloaded', message: 'busy' }) as unknown },
    ]);
    expect(decoded([error, wire(conversation)])).toEqual(conversationEvents);
  });

  test('are expected soon after an error event, until the answer goes on', () => {
    const reader = responsesReader(defaultAnswerLimits);
    const events = [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'error', code: 'server_is_overloaded', message: 'busy' },
      { type: 'codex.rate_limits' },
      { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'a' },
    ];
    const expected = events.map((event) => {
      reader.event(Buffer.from(JSON.stringify(event)));
      return reader.hasError;
    });
    expect(expected).toEqual([false, true, true, false]);
  });

  test('show at most 1000 bytes of the words of the server', () => {
    const [, , shown] = failure(failedBy('invalid_prompt', `${'ä'.repeat(499)}xyz€€`)) as [string, unknown, string];
    expect(shown).toBe(`${'ä'.repeat(499)}xy…`);
  });
});

function wire(events: readonly object[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

function decoded(chunks: readonly Uint8Array[]): readonly ModelEvent[] {
  const decoder = answerDecoder(defaultAnswerLimits, responsesReader(defaultAnswerLimits));
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end(() => cause)];
}
