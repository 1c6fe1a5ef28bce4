import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import {
  answer,
  callTool,
  failed,
  httpError,
  incomplete,
  reason,
  say,
  type ScriptStep,
} from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';

// The scripted model is the server of nearly all tests. The clients that its formats were made for must understand it.

const both = answer({
  deltas: true,
  items: [
    reason('Look first.'),
    say('I look.'),
    callTool('exec_command', { cmd: 'ls' }),
    callTool('view', { path: 'a' }),
  ],
});
const usage = { input: 100, cached: 20, output: 10 };

async function serve(...script: readonly ScriptStep[]) {
  const { model } = await scene(script);
  const options = { apiKey: 'sk-test', maxRetries: 0 };
  return {
    model,
    openai: new OpenAI({ ...options, baseURL: model.url }),
    // It adds the version of the API itself.
    anthropic: new Anthropic({ ...options, baseURL: model.url.replace(/\/v1$/, '') }),
  };
}

const asked = { model: 'm', messages: [{ role: 'user', content: 'hi' }] } as const;

describe('the SDK of OpenAI, Responses', () => {
  test('reads words, thoughts, calls and counts, streamed and as a whole', async () => {
    const { openai } = await serve(both);
    const stream = openai.responses.stream({ model: 'm', input: 'hi' });
    const kinds = new Set<string>();
    let text = '';
    stream.on('event', (event) => void kinds.add(event.type));
    stream.on('response.output_text.delta', ({ delta }) => (text += delta));
    const response = await stream.finalResponse();
    expect([text, response.output_text, response.status]).toEqual(['I look.', 'I look.', 'completed']);
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
    expect(
      response.output.flatMap((item) => (item.type === 'function_call' ? [[item.name, item.arguments]] : [])),
    ).toEqual([
      ['exec_command', '{"cmd":"ls"}'],
      ['view', '{"path":"a"}'],
    ]);
    expect(response.usage).toMatchObject({
      input_tokens: usage.input,
      output_tokens: usage.output,
      input_tokens_details: { cached_tokens: usage.cached },
    });
    expect([...kinds]).toEqual(
      expect.arrayContaining(['response.created', 'response.output_item.done', 'response.completed']),
    );
  });

  test('reads failures in the stream, answers that end early, and errors of HTTP', async () => {
    const { openai } = await serve(
      failed({ code: 'server_is_overloaded', message: 'Too many.' }),
      incomplete({ items: [say('Half')], reason: 'max_output_tokens' }),
      httpError({
        status: 429,
        body: { error: { message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' } },
      }),
    );
    const ends: unknown[] = [];
    for (let count = 0; count < 2; count++) {
      const stream = await openai.responses.create({ model: 'm', input: 'hi', stream: true });
      for await (const event of stream) {
        if (event.type === 'response.failed') ends.push([event.type, event.response.error?.message]);
        if (event.type === 'response.incomplete') ends.push([event.type, event.response.incomplete_details?.reason]);
      }
    }
    expect(ends).toEqual([
      ['response.failed', 'Too many.'],
      ['response.incomplete', 'max_output_tokens'],
    ]);
    const refused = openai.responses.create({ model: 'm', input: 'hi', stream: true });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(refused).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  });
});

describe('the SDK of OpenAI, Chat Completions', () => {
  test('reads words, calls and counts', async () => {
    const { openai } = await serve(both);
    const stream = openai.chat.completions.stream({
      ...asked,
      messages: [...asked.messages],
      stream_options: { include_usage: true },
    });
    let text = '';
    stream.on('content', (delta) => (text += delta));
    const completion = await stream.finalChatCompletion();
    const [choice] = completion.choices;
    expect([text, choice!.message.content, choice!.finish_reason]).toEqual(['I look.', 'I look.', 'tool_calls']);
    const calls = choice!.message.tool_calls?.map(
      (call) => call.type === 'function' && [call.function.name, call.function.arguments],
    );
    expect(calls).toEqual([
      ['exec_command', '{"cmd":"ls"}'],
      ['view', '{"path":"a"}'],
    ]);
    expect(completion.usage).toMatchObject({
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      prompt_tokens_details: { cached_tokens: usage.cached },
    });
  });

  test('reads an answer that ends early, and errors of HTTP', async () => {
    const { openai } = await serve(
      incomplete({ items: [say('Half')], reason: 'max_output_tokens' }),
      httpError({ status: 401, body: { error: { message: 'No.', code: 'invalid_api_key' } } }),
    );
    const stream = await openai.chat.completions.create({ ...asked, messages: [...asked.messages], stream: true });
    const reasons: unknown[] = [];
    for await (const { choices } of stream) reasons.push(...choices.flatMap(({ finish_reason: why }) => why ?? []));
    expect(reasons).toEqual(['length']);
    const refused = openai.chat.completions.create({ ...asked, messages: [...asked.messages], stream: true });
    await expect(refused).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('the SDK of Anthropic', () => {
  test('reads words, thoughts, calls and counts', async () => {
    const { anthropic } = await serve(both);
    const stream = anthropic.messages.stream({ ...asked, messages: [...asked.messages], max_tokens: 100 });
    let text = '';
    stream.on('text', (delta) => (text += delta));
    const message = await stream.finalMessage();
    expect([text, message.stop_reason]).toEqual(['I look.', 'tool_use']);
    expect(message.content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input]] : []))).toEqual([
      ['exec_command', { cmd: 'ls' }],
      ['view', { path: 'a' }],
    ]);
    expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
    const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = message.usage;
    expect([input + (cached ?? 0), cached, output]).toEqual([usage.input, usage.cached, usage.output]);
  });

  test('reads failures in the stream, answers that end early, and errors of HTTP', async () => {
    const { anthropic } = await serve(
      failed({ code: 'overloaded_error', message: 'Too many.' }),
      incomplete({ items: [say('Half')], reason: 'max_output_tokens' }),
      httpError({ status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Later.' } } }),
    );
    const ask = () =>
      anthropic.messages.stream({ ...asked, messages: [...asked.messages], max_tokens: 100 }).finalMessage();
    await expect(ask()).rejects.toThrow('Too many.');
    expect(await ask()).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'text', text: 'Half' }] });
    await expect(ask()).rejects.toMatchObject({ status: 529 });
  });
});
