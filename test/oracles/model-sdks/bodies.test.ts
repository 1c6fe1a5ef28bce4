import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../../src/protocol/json.ts';
import { answer, callTool, type ItemDraft, reason } from '../../../src/testing/index.ts';
import { FormatThread } from '../../formats/format-thread.ts';
import { type Format, formats } from '../../formats/formats.ts';
import { requireOracles } from '../require-oracles.ts';
import { typeMistakes } from '../type-check.ts';

/** The type that the SDK of a format has for a request, by wire_api. */
const types: Readonly<Record<string, { readonly from: string; readonly name: string }>> = {
  responses: { from: "import type OpenAI from 'openai';", name: 'OpenAI.Responses.ResponseCreateParamsStreaming' },
  chat: {
    from: "import type OpenAI from 'openai';",
    name: 'OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming',
  },
  anthropic: {
    from: "import type Anthropic from '@anthropic-ai/sdk';",
    name: 'Anthropic.Messages.MessageCreateParamsStreaming',
  },
};

/** A member that Capstan sends beyond the types of the SDK, on purpose. */
function isBeyond(key: string, holder: JsonObject, { wire, returnsThoughts }: Format): boolean {
  // Codex sends both, too: labels for the provider's logs, and names of messages.
  if (wire === 'responses') return key === 'client_metadata' || (key === 'id' && isOwnMessage(holder));
  // Servers that want thoughts back have named it so.
  return wire === 'chat' && returnsThoughts === true && key === 'reasoning_content';
}

/** True for a message of the user or of Capstan. Those of the model have an id that the provider gave. */
function isOwnMessage({ type, role }: JsonObject): boolean {
  return type === 'message' && role !== 'assistant';
}

function withinTypes(value: Json, format: Format): Json {
  if (Array.isArray(value)) return value.map((member: Json) => withinTypes(member, format));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !isBeyond(key, value, format));
  return Object.fromEntries(kept.map(([key, member]) => [key, withinTypes(member!, format)]));
}

/** As a server gives it: with a status, and a list of what it cites. */
const said = (text: string): ItemDraft => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.each(formats)(
  '$title: every request fits the types of the SDK',
  async (format) => {
    await requireOracles();
    const thread = await FormatThread.in(format, [
      answer({
        items: [
          reason('Think.'),
          said('I plan.'),
          callTool('update_plan', { plan: [{ step: 'one', status: 'pending' }] }),
        ],
      }),
      answer({ items: [callTool('exec_command', { cmd: 'echo hi' }), callTool('exec_command', { cmd: 'exit 3' })] }),
      answer({ items: [callTool('no_such_tool', {})] }),
      answer({ items: [said('{"done":true}')] }),
      answer({ items: [said('Bye.')] }),
    ]);
    await thread.open();
    const schema = {
      type: 'object',
      properties: { done: { type: 'boolean' } },
      required: ['done'],
      additionalProperties: false,
    };
    const { signal } = new AbortController();
    const images = [{ path: 'a.png', dataUrl: png }];
    const first = { input: { author: 'user' as const, text: 'Look.', images }, outputSchema: schema, signal };
    expect((await thread.live.thread.run(first)).kind).toBe('completed');
    expect((await thread.live.turn('And now?')).kind).toBe('completed');
    const bodies = thread.live.model.requests.map(({ body }) => body);
    expect(bodies.length).toBeGreaterThan(4);
    expect(
      await mistakes(
        format.wire,
        bodies.map((body) => withinTypes(body, format) as JsonObject),
      ),
    ).toEqual([]);
  },
  300_000,
);

test('a request that does not fit is found', async () => {
  await requireOracles();
  const fit = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  expect(await mistakes('chat', [fit])).toEqual([]);
  expect((await mistakes('chat', [{ ...fit, odd: true }])).join()).toContain('odd');
  expect((await mistakes('chat', [{ ...fit, messages: [{ role: 'other', content: 'hi' }] }])).join()).toContain(
    'other',
  );
}, 120_000);

/** The compiler's errors about bodies as literals: unknown members are errors, too. */
async function mistakes(wire: string, bodies: readonly object[]): Promise<readonly string[]> {
  const { from, name } = types[wire]!;
  const folder = mkdtempSync(join(import.meta.dirname, 'generated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = bodies.map((body, at) => `export const body${at}: ${name} = ${JSON.stringify(body, undefined, 1)};`);
  writeFileSync(join(folder, 'bodies.ts'), `${from}\n${lines.join('\n')}\n`);
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--types',
    '',
  ];
  return typeMistakes(folder, ...options, 'bodies.ts');
}
