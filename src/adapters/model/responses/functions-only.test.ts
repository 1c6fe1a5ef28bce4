import { describe, expect, test } from 'vitest';
import { providerDefaults } from '../../../core/config/providers/provider-config.ts';
import type { ModelPrompt } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { functionsOnlyFormat, itemForFunctions } from './functions-only.ts';

const text = (words: string) => ({ type: 'input_text', text: words });
const called = (name: string, given: string) => ({ type: 'function_call', name, arguments: given, call_id: 'a' });
const saying = (role: string, ...content: readonly JsonObject[]): Item => ({ type: 'message', role, content });

describe('an item becomes', () => {
  test.each<[string, Item, Item | undefined]>([
    [
      'a function call, of a call with free text',
      { type: 'custom_tool_call', id: 'ctc_1', status: 'completed', name: 'apply_patch', input: '***', call_id: 'a' },
      called('apply_patch', '{"input":"***"}'),
    ],
    [
      'an output of a function, of an output of such a call',
      { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'a', output: 'ok' },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
    ],
    [
      'a call that can be read, whatever the model wrote',
      { ...called('read', '{broken'), id: 'fc_1' },
      called('read', '{"unreadable_arguments":"{broken"}'),
    ],
    ['a call with arguments, of one without', called('read', ''), called('read', '{}')],
    [
      'a call under one name, of one in a namespace',
      { ...called('read', '{}'), namespace: 'mcp__files' },
      called('mcp__files__read', '{}'),
    ],
    [
      'a function call, of a call of a shell',
      { type: 'local_shell_call', call_id: 'a', status: 'completed', action: { type: 'exec', command: ['ls'] } },
      called('local_shell', '{"type":"exec","command":["ls"]}'),
    ],
    [
      'a function call, of a search for tools',
      { type: 'tool_search_call', call_id: 'a', execution: 'client', arguments: { query: 'x' } },
      called('tool_search', '{"query":"x"}'),
    ],
    [
      'an output of a function, of tools that were found',
      { type: 'tool_search_output', call_id: 'a', execution: 'client', tools: [{ type: 'function', name: 't' }] },
      { type: 'function_call_output', call_id: 'a', output: '[{"type":"function","name":"t"}]' },
    ],
    [
      'nothing, of a search that a server ran',
      { type: 'tool_search_call', call_id: 'a', execution: 'server' },
      undefined,
    ],
    ['nothing, of a type that is not known', { type: 'odd', call_id: 'a' }, undefined],
    [
      'words, of a search of the web',
      { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'winch' } },
      saying('assistant', { type: 'output_text', text: '[Searched the web: winch]' }),
    ],
    [
      'words, of a picture that a server made',
      { type: 'image_generation_call', result: 'AAAA' },
      saying('assistant', { type: 'output_text', text: '[Generated a picture.]' }),
    ],
    [
      'a message of the user, of words of an agent',
      { type: 'agent_message', author: 'scout', recipient: 'main', content: [text('Found.')] },
      saying('user', text('[Message from scout to main]'), text('Found.')),
    ],
    [
      'a message of the user, of an event from outside',
      { type: 'function_call_output', output: 'Up.' },
      saying('user', text('Up.')),
    ],
    [
      'a message with texts, where parts are not known',
      saying('assistant', { type: 'refusal', refusal: 'No.' }),
      saying('assistant', { type: 'output_text', text: 'No.' }),
    ],
  ])('%s', (_, item, expected) => {
    expect(itemForFunctions(item)).toEqual(expected);
    // The prefix holds by identity.
    expect(itemForFunctions(item)).toBe(itemForFunctions(item));
  });

  test('itself, where the server takes it', () => {
    const items: readonly Item[] = [
      saying('developer', text('Be.')),
      saying('user', text('Look:'), { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }),
      { type: 'reasoning', summary: [], encrypted_content: 'x' },
      { ...called('read', '{"p":1}'), id: 'fc_1' },
      { type: 'function_call_output', call_id: 'a', output: [text('ok')] },
      { type: 'compaction', encrypted_content: 'x' },
    ];
    for (const item of items) expect(itemForFunctions(item)).toBe(item);
  });
});

describe('a request', () => {
  const encoder = functionsOnlyFormat.encoder(providerDefaults as never);
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
  const prompt: ModelPrompt = {
    options: { model: 'm', parallelToolCalls: true, cacheKey: 'k', labels: {} },
    instructions: '',
    tools: [{ type: 'custom', name: 'patch', description: 'Patches.', format: grammar }],
    input: [
      saying('user', text('Hi')),
      { type: 'odd' },
      { type: 'custom_tool_call', name: 'patch', input: 'a', call_id: 'a' },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
    ],
  };
  const read = (pieces: readonly Uint8Array[]) => JSON.parse(Buffer.concat(pieces).toString('utf8')) as JsonObject;
  const items = [
    saying('user', text('Hi')),
    called('patch', '{"input":"a"}'),
    { type: 'function_call_output', call_id: 'a', output: 'ok' },
  ];

  test('offers a tool with free text as a function', () => {
    expect(read(encoder.body(prompt))).toMatchObject({
      input: items,
      tools: [
        {
          type: 'function',
          name: 'patch',
          strict: false,
          description: 'Patches.\n\nThe input follows this lark grammar:\n\nstart: "a"',
          parameters: { required: ['input'] },
        },
      ],
    });
  });

  test('is the same over a WebSocket, where the link counts the items of history', () => {
    expect(read(encoder.frame!(prompt, undefined))).toEqual({
      type: 'response.create',
      ...read(encoder.body(prompt)),
    });
    expect(read(encoder.frame!(prompt, { previous: 'r', from: 3 }))).toMatchObject({
      type: 'response.create',
      previous_response_id: 'r',
      input: items.slice(2),
    });
  });

  test('names its items as they stand in it', () => {
    expect(prompt.input.map((item) => Buffer.from(encoder.item(item)).toString('utf8'))).toEqual(
      [items[0], undefined, items[1], items[2]].map((item) => (item === undefined ? '' : JSON.stringify(item))),
    );
  });
});
