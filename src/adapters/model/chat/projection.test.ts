import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { capabilitiesAt, commonCapabilities } from '../../../core/config/providers/server-capabilities.ts';
import { chatDialect, commonDialect, everyDialect, openaiDialect, thinkingDialect } from './dialect.ts';
import { messageMaker, projectedTypes } from './messages.ts';

const freeDialect = chatDialect({ ...commonCapabilities, anyRoleOrder: true });
/** Each for itself, without what stands in for the turn of another. */
const messages = (...items: readonly Item[]): readonly JsonObject[] => messageMaker(freeDialect)(items).messages;
const toolCall = (id: string, name: string, given: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: given } }],
});
const answered = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const noOutput = 'No output of this call was recorded: whether it had an effect is not known.';

const message = (role: string, ...texts: readonly string[]): Item => ({
  type: 'message',
  role,
  content: texts.map((text) => ({ type: 'input_text', text })),
});

const before = everyDialect().find(({ version }) => version === 'chat/2')!;

describe('words of the engine', () => {
  const words = [
    message('developer', '<rules>\nBe.\n</rules>', 'And be brief.'),
    message('system', 'You are.'),
    message('user', 'Hi'),
    message('developer', '<note>\nLater.\n</note>', 'No tag.', ''),
  ];
  const picture: Item = {
    type: 'message',
    role: 'developer',
    content: [
      { type: 'input_text', text: 'See:' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ],
  };

  test("are one system message at the beginning, and stand in the user's turn later", () => {
    expect(messageMaker(commonDialect)(words)).toMatchObject({
      system: ['<rules>\nBe.\n</rules>\n\nAnd be brief.', 'You are.'],
      messages: [{ role: 'user', content: 'Hi\n\n<note>\nLater.\n</note>\n\n<developer>\nNo tag.\n</developer>' }],
    });
    expect(messages(...words)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: '<note>\nLater.\n</note>\n\n<developer>\nNo tag.\n</developer>' },
    ]);
  });

  test('stand so wherever roles alternate, also if the server knows their role', () => {
    const dialect = chatDialect({ ...commonCapabilities, developerRole: true });
    const { system, messages: made } = messageMaker(commonDialect)(words);
    expect(messageMaker(dialect)(words)).toMatchObject({ system, messages: made });
  });

  test("with a picture stand in the user's turn wherever they come", () => {
    expect(messageMaker(commonDialect)([picture])).toMatchObject({
      system: [],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '<developer>\nSee:' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'text', text: '</developer>' },
          ],
        },
      ],
    });
  });

  test('have their role and place where a server takes them so, and in requests of earlier versions', () => {
    for (const [dialect, role] of [
      [openaiDialect, 'developer'],
      [before, 'system'],
    ] as const) {
      expect(messageMaker(dialect)(words)).toMatchObject({
        system: [],
        messages: [
          { role, content: '<rules>\nBe.\n</rules>\n\nAnd be brief.' },
          { role, content: 'You are.' },
          { role: 'user', content: 'Hi' },
          { role, content: '<note>\nLater.\n</note>\n\nNo tag.' },
        ],
      });
    }
  });
});

describe('an item becomes', () => {
  const png = 'data:image/png;base64,AAAA';

  test.each<[string, readonly Item[], readonly unknown[]]>([
    [
      'one text, of several parts of text',
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_text', text: 'b' },
          ],
        },
      ],
      [{ role: 'user', content: 'a\n\nb' }],
    ],
    [
      'parts, where there are pictures',
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'a' },
            { type: 'input_image', image_url: png, detail: 'original' },
            { type: 'input_image', image_url: png },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: png, detail: 'high' } },
            { type: 'image_url', image_url: { url: png } },
          ],
        },
      ],
    ],
    [
      'parts, where there are recordings that can be sent',
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_audio', audio_url: 'data:audio/wav;base64,AA' },
            { type: 'input_audio', audio_url: 'https://x/y.ogg' },
          ],
        },
      ],
      [
        {
          role: 'user',
          content: [
            { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
            { type: 'text', text: '[A recording stands here that this wire format cannot carry.]' },
          ],
        },
      ],
    ],
    [
      'nothing, without words',
      [
        { type: 'message', role: 'assistant', content: [] },
        { type: 'message', role: 'user', content: [] },
      ],
      [],
    ],
    [
      'nothing, of another provider',
      [
        { type: 'compaction', encrypted_content: 'x' },
        { type: 'reasoning', summary: [], encrypted_content: 'x' },
      ],
      [],
    ],
    [
      'words, of a refusal',
      [
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'Hm.' },
            { type: 'refusal', refusal: 'I cannot.' },
          ],
        },
      ],
      [{ role: 'assistant', content: 'Hm.\n\nI cannot.' }],
    ],
    [
      'a call with the namespace of its tool',
      [{ type: 'function_call', name: 'read', namespace: 'mcp__docs', arguments: '{}', call_id: 'a' }],
      [toolCall('a', 'mcp__docs__read', '{}'), answered('a', noOutput)],
    ],
    [
      'a message of an agent',
      [{ type: 'agent_message', author: 'a', recipient: 'b', content: [{ type: 'input_text', text: 'Hi' }] }],
      [{ role: 'user', content: '[Message from a to b]\n\nHi' }],
    ],
    [
      'a call of a freeform tool',
      [
        { type: 'custom_tool_call', name: 'patch', input: 'x"y', call_id: 'a' },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      ],
      [toolCall('a', 'patch', '{"input":"x\\"y"}'), answered('a', 'ok')],
    ],
    [
      'a call of a shell',
      [
        { type: 'local_shell_call', call_id: 'a', status: 'completed', action: { type: 'exec', command: ['ls'] } },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
      ],
      [toolCall('a', 'local_shell', '{"type":"exec","command":["ls"]}'), answered('a', 'ok')],
    ],
    [
      'a search for tools',
      [
        { type: 'tool_search_call', call_id: 'a', execution: 'client', arguments: { query: 'x' } },
        {
          type: 'tool_search_output',
          call_id: 'a',
          status: 'completed',
          execution: 'client',
          tools: [{ type: 'function', name: 't' }],
        },
      ],
      [toolCall('a', 'tool_search', '{"query":"x"}'), answered('a', '[{"type":"function","name":"t"}]')],
    ],
    [
      'a call whose output is nowhere',
      [{ type: 'function_call', name: 'x', arguments: '', call_id: 'a' }],
      [toolCall('a', 'x', '{}'), answered('a', noOutput)],
    ],
    [
      'a call that can be read, whatever the model wrote',
      [{ type: 'function_call', name: 'x', arguments: '{"p', call_id: 'a' }],
      [toolCall('a', 'x', '{"unreadable_arguments":"{\\"p"}'), answered('a', noOutput)],
    ],
    [
      'words about what the provider did itself',
      [
        { type: 'web_search_call', action: { type: 'search', query: 'winch' } },
        { type: 'image_generation_call', revised_prompt: 'a winch', result: 'AAAA' },
      ],
      [{ role: 'assistant', content: '[Searched the web: winch]\n\n[Generated a picture: a winch]' }],
    ],
    [
      'an output without a call',
      [{ type: 'function_call_output', call_id: 'z', output: 'ok' }],
      [{ role: 'user', content: '[Output of a call that is not shown here:]\n\nok' }],
    ],
  ])('%s', (_, items, expected) => {
    expect(messages(...items)).toEqual(expected);
  });

  test('what it became in requests of earlier versions', () => {
    const items: readonly Item[] = [
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] },
      { type: 'function_call', name: 'read', namespace: 'mcp__docs', arguments: '{}', call_id: 'a' },
    ];
    expect(messageMaker(before)(items).messages).toEqual([toolCall('a', 'read', '{}'), answered('a', noOutput)]);
  });

  test('pictures of outputs, behind all outputs of the step', () => {
    const call = (id: string): Item => ({ type: 'function_call', name: 'look', arguments: '{}', call_id: id });
    const output = (id: string): Item => ({
      type: 'function_call_output',
      call_id: id,
      output: [
        { type: 'input_text', text: `This is ${id}:` },
        { type: 'input_image', image_url: `${png}${id}` },
      ],
    });
    expect(messages(call('a'), call('b'), output('a'), output('b')).slice(1)).toEqual([
      answered('a', 'This is a:\n\n[A picture: it follows in the next message.]'),
      answered('b', 'This is b:\n\n[A picture: it follows in the next message.]'),
      {
        role: 'user',
        content: [
          { type: 'text', text: '[What the tools returned beside text, in order:]' },
          { type: 'image_url', image_url: { url: `${png}a` } },
          { type: 'image_url', image_url: { url: `${png}b` } },
        ],
      },
    ]);
  });
});

test('the page about providers has every rule', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/providers.md'), 'utf8');
  expect(projectedTypes.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
});

test.each([
  ['https://api.openai.com/v1', openaiDialect],
  ['https://x.openai.azure.com/openai/v1', openaiDialect],
  ['https://notopenai.com/v1', commonDialect],
  ['https://openai.com.evil.example/v1', commonDialect],
  ['https://api.deepseek.com', thinkingDialect],
  ['https://api.z.ai/api/paas/v4', thinkingDialect],
  ['http://localhost:8000/v1', commonDialect],
  ['no address', commonDialect],
])('a server at %s', (baseUrl, expected) => {
  expect(chatDialect({ ...commonCapabilities, ...capabilitiesAt(baseUrl) })).toEqual(expected);
});

test('every dialect has a version of its own, and each that a server may have is among them', () => {
  const versions = everyDialect().map(({ version }) => version);
  expect(new Set(versions).size).toBe(versions.length);
  expect(versions).toEqual(
    expect.arrayContaining([
      freeDialect.version,
      'chat/3+alternating',
      'chat/2',
      'chat/2+thoughts',
      'chat/1',
      'chat-openai/1',
      'chat-thinking/1',
    ]),
  );
  // As it was before roles alternated: threads of that time are replayed by it.
  expect(freeDialect.version).toBe('chat/3');
  const flag = fc.boolean();
  const flags = {
    developerRole: flag,
    anyRoleOrder: flag,
    anyCallIds: flag,
    returnedThoughts: flag,
    openaiFields: flag,
    streamUsage: flag,
    outputSchema: flag,
  };
  const field = fc.constantFrom('max_completion_tokens' as const, 'max_tokens' as const, 'none' as const);
  fc.assert(
    fc.property(fc.record({ ...flags, maxTokensField: field }), (capabilities) => {
      const found = chatDialect({ ...commonCapabilities, ...capabilities });
      expect(everyDialect().find(({ version }) => version === found.version)).toEqual(found);
    }),
  );
});
