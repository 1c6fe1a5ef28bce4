import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelPrompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { commonCapabilities } from '../../../core/config/providers/server-capabilities.ts';
import { chatDialect, commonDialect, everyDialect, openaiDialect, thinkingDialect } from './dialect.ts';
import { chatEncoder } from './client.ts';

const options: RequestOptions = { model: 'm', parallelToolCalls: true, cacheKey: 'k', labels: { turn_id: 't' } };
const tools: readonly ToolSpec[] = [
  { type: 'function', name: 'read', description: 'Reads.', strict: false, parameters: { type: 'object' } },
];
const user = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const said = (text: string): Item => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const developer = (text: string): Item => ({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text }],
});
const call = (id: string, given = '{}'): Item => ({
  type: 'function_call',
  name: 'read',
  arguments: given,
  call_id: id,
});
const output = (id: string, text = `of ${id}`): Item => ({ type: 'function_call_output', call_id: id, output: text });
const thought = (text: string): Item => ({
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text }],
});

const encoded = (given: Partial<ModelPrompt>, dialect = commonDialect): string =>
  Buffer.concat(chatEncoder(dialect).body({ options, instructions: 'Be.', tools, input: [], ...given })).toString(
    'utf8',
  );

describe('a body', () => {
  test('in whole, as most servers take it', () => {
    const more = { effort: 'low', summary: 'auto', serviceTier: 'flex', verbosity: 'low' };
    const input = [
      developer('Rules.'),
      user('Read!'),
      thought('Hm.'),
      said('I read.'),
      call('a', '{"p":1}'),
      call('b'),
      output('b'),
      output('a'),
      said('Done.'),
    ];
    expect(encoded({ input, options: { ...options, ...more, outputSchema: { type: 'object' } } })).toBe(
      '{"model":"m","parallel_tool_calls":true,"reasoning_effort":"low"' +
        ',"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}}}]' +
        ',"messages":[{"role":"system","content":"Be.\\n\\nRules."}' +
        ',{"role":"user","content":"Read!"}' +
        ',{"role":"assistant","content":"I read.","tool_calls":[' +
        '{"id":"a","type":"function","function":{"name":"read","arguments":"{\\"p\\":1}"}},' +
        '{"id":"b","type":"function","function":{"name":"read","arguments":"{}"}}]}' +
        ',{"role":"tool","tool_call_id":"a","content":"of a"}' +
        ',{"role":"tool","tool_call_id":"b","content":"of b"}' +
        ',{"role":"assistant","content":"Done."},{"role":"user","content":"Continue."}' +
        '],"stream":true,"stream_options":{"include_usage":true},"tool_choice":"auto"' +
        ',"response_format":{"type":"json_schema","json_schema":{"name":"codex_output_schema","schema":{"type":"object"},"strict":true}}}',
    );
  });

  test('in whole, as OpenAI takes it', () => {
    const more = { effort: 'low', serviceTier: 'flex', verbosity: 'low', toolChoice: 'none' as const };
    expect(encoded({ input: [user('Read!'), thought('Hm.')], options: { ...options, ...more } }, openaiDialect)).toBe(
      '{"model":"m","parallel_tool_calls":true,"reasoning_effort":"low","service_tier":"flex","prompt_cache_key":"k"' +
        ',"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object"}}}]' +
        ',"messages":[{"role":"developer","content":"Be."},{"role":"user","content":"Read!"}' +
        '],"stream":true,"stream_options":{"include_usage":true},"tool_choice":"none","verbosity":"low"}',
    );
  });

  test('of a server that takes neither a schema nor a wish for counts has none', () => {
    const bare = chatDialect({ ...commonCapabilities, outputSchema: false, streamUsage: false });
    const given = { input: [user('Hi')], tools: [], options: { ...options, outputSchema: { type: 'object' } } };
    expect(encoded(given, bare)).toBe(
      '{"model":"m","messages":[{"role":"system","content":"Be."},{"role":"user","content":"Hi"}],"stream":true}',
    );
  });

  test('without tools and instructions has nothing about them', () => {
    const hosted: readonly ToolSpec[] = [{ type: 'web_search', external_web_access: true }];
    for (const none of [[], hosted]) {
      expect(encoded({ tools: none, instructions: '', input: [user('Hi')] })).toBe(
        '{"model":"m","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
      );
    }
  });

  test('of a server that takes thoughts has them, and an empty one before a call that had none', () => {
    const input = [user('?'), thought('Hm.'), said('Yes.'), user('?'), call('a'), output('a')];
    expect((JSON.parse(encoded({ input }, thinkingDialect)) as JsonObject)['messages']).toEqual([
      { role: 'system', content: 'Be.' },
      { role: 'user', content: '?' },
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
      { role: 'user', content: '?' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: '',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'of a' },
    ]);
  });

  test('offers a freeform tool as a function of one text', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const custom: readonly ToolSpec[] = [{ type: 'custom', name: 'patch', description: 'Patches.', format }];
    expect((JSON.parse(encoded({ tools: custom })) as JsonObject)['tools']).toEqual([
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Patches.\n\nThe input follows this lark grammar:\n\nstart: "a"',
          parameters: {
            type: 'object',
            properties: { input: { type: 'string', description: 'The whole input of the tool, as it is.' } },
            required: ['input'],
            additionalProperties: false,
          },
        },
      },
    ]);
  });
});

/** The items that one answer of a model adds to a history: its own, then the outputs of its calls in some order. */
const step = fc
  .record({
    made: fc.array(fc.constantFrom('said', 'thought', 'call', 'call'), { minLength: 1, maxLength: 4 }),
    isReversed: fc.boolean(),
    hasPicture: fc.boolean(),
    isTold: fc.boolean(),
    user: fc.option(fc.string({ minLength: 1, maxLength: 5 }), { nil: undefined }),
  })
  .map(({ user: words, ...rest }) => ({ ...rest, words }));

let calls = 0;
function itemsOf({
  made,
  isReversed,
  hasPicture,
  isTold,
  words,
}: typeof step extends fc.Arbitrary<infer T> ? T : never): readonly Item[] {
  const answered: Item[] = [];
  const items = made.map((kind): Item => {
    if (kind !== 'call') return kind === 'said' ? said('So.') : thought('Hm.');
    const id = `call_${calls++}`;
    const picture = [{ type: 'input_image', image_url: `data:image/png;base64,${id}` }];
    answered.push(hasPicture ? { ...output(id), output: picture } : output(id));
    return call(id);
  });
  // A request is made when there is something to answer: outputs, or words.
  const asks = answered.length === 0 ? [user(words ?? 'Go on.')] : words === undefined ? [] : [user(words)];
  const told = isTold ? [developer('By the way.')] : [];
  return [...items, ...(isReversed ? answered.toReversed() : answered), ...told, ...asks];
}

/** Nothing but what tools returned beside text. */
function isOfToolsAlone({ content }: JsonObject): boolean {
  const [first] = Array.isArray(content) ? (content as readonly JsonObject[]) : [];
  return first?.['text'] === '[What the tools returned beside text, in order:]';
}

describe('messages', () => {
  test('of a request begin with those of the request before, and do not depend on what was encoded before', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...everyDialect()),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        (dialect, steps) => {
          const encoder = chatEncoder(dialect);
          let input: readonly Item[] = [developer('Rules.'), developer('More rules.'), user('First.')];
          let before = '';
          for (const each of steps) {
            input = [...input, ...itemsOf(each)];
            const body = Buffer.concat(encoder.body({ options, instructions: 'Be.', tools, input })).toString('utf8');
            expect(body).toBe(encoded({ input }, dialect));
            const { messages } = JSON.parse(body) as { messages: readonly JsonObject[] };
            const systems = messages.flatMap(({ role }, index) => (role === 'system' ? [index] : []));
            const isSystem = dialect.developer === 'system';
            // Requests of earlier versions have more.
            expect(isSystem ? systems.slice(0, dialect.revision === 2 ? 1 : undefined) : systems).toEqual(
              isSystem ? [0] : [],
            );
            const kept = body.slice(0, body.lastIndexOf('],"stream":true'));
            expect(kept.startsWith(before)).toBe(true);
            // More may come in the last message of the user.
            const isOpen = dialect.roles === 'alternating' && messages.at(-1)?.['role'] === 'user';
            before = isOpen ? kept.replace(/"\}(?:\]\})?$|\]\}$/, '') : kept;
            // It gets borders once the user joins it, and everything before it stays.
            if (isOpen && isOfToolsAlone(messages.at(-1)!)) before = kept.slice(0, kept.lastIndexOf('{"role":"user"'));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  const anyItem = fc.oneof(
    fc.constantFrom(
      user('u'),
      said('s'),
      thought('t'),
      { type: 'compaction', encrypted_content: 'x' },
      { type: 'odd' },
    ),
    fc.constantFrom('a', 'b', 'c').chain((id) => fc.constantFrom(call(id), output(id), { ...call(id), name: 'other' })),
  );

  test('are such that a server takes them, whatever the items: each call is answered at once, under an id of its own', () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 12 }), (items) => {
        // The encoder goes by identity.
        const input = items.map((item) => ({ ...item }));
        const body = JSON.parse(encoded({ input, instructions: '' })) as { messages: JsonObject[] };
        const seen: unknown[] = [];
        let open: readonly unknown[] = [];
        for (const { role, content, tool_calls: called = [], tool_call_id: id } of body.messages) {
          const expected = role === 'tool' ? open[0] : undefined;
          const isHeld = role === 'tool' ? id === expected : open.length === 0;
          const next = (called as readonly JsonObject[]).map((each) => each['id']);
          expect([isHeld, content !== null || next.length > 0]).toEqual([true, true]);
          open = role === 'tool' ? open.slice(1) : next;
          seen.push(...next);
        }
        expect([open.length, new Set(seen).size]).toEqual([0, seen.length]);
      }),
      { numRuns: 1000 },
    );
  });

  test('are encoded anew when a history goes another way', () => {
    const encoder = chatEncoder(commonDialect);
    const first = user('First.');
    const body = (...input: readonly Item[]): string =>
      Buffer.concat(encoder.body({ options, instructions: '', tools: [], input })).toString('utf8');
    const [a, called, answered, words] = [said('a'), call('x'), output('x'), user('And?')];
    const ways = [
      [first, a, user('b')],
      [first],
      // The model goes on where it ended, and a call gets its answer later.
      [first, a],
      [first, a, called],
      [first, a, called, answered],
      [first, called, words],
      [first, called, words, answered],
      [first, said('c'), call('x'), output('x')],
    ];
    for (const input of [...ways, ...ways])
      expect(body(...input)).toBe(encoded({ input, instructions: '', tools: [] }));
  });
});
