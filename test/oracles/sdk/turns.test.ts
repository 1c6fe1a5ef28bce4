import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandExecutionItem, ThreadEvent } from '@openai/codex-sdk';
import { expect, it } from 'vitest';
import { answer, callTool, reason, say } from '../../../src/testing/index.ts';
import { inputOf, textsOf } from '../items.ts';
import { programs, stage } from './stage.ts';
import { usageOf } from './usage-of.ts';

const hello = answer({ items: [say('Hello.')] });

it.each(programs)('%s: run gives the items, the last message as the response, and the usage', async (program) => {
  const { model, start } = await stage(program, [
    answer({ items: [reason('Think.'), say('I look.'), callTool('no_such_tool', {})] }),
    hello,
  ]);
  const thread = start();
  expect(thread.id).toBeNull();
  expect(await thread.run('Good day.')).toEqual({
    items: [
      { id: 'item_0', type: 'reasoning', text: 'Think.' },
      { id: 'item_1', type: 'agent_message', text: 'I look.' },
      { id: 'item_2', type: 'agent_message', text: 'Hello.' },
    ],
    finalResponse: 'Hello.',
    usage: usageOf(2),
  });
  expect(thread.id).toBe(model.requests[0]?.headers['thread-id']);
  expect(textsOf(inputOf(model, 0)).at(-1)).toBe('Good day.');
});

it.each(programs)('%s: a turn without an answer has an empty response', async (program) => {
  const { start } = await stage(program, [answer({ items: [] })]);
  expect(await start().run('Good day.')).toEqual({ items: [], finalResponse: '', usage: usageOf(1) });
});

it.each(programs)('%s: the counts of the provider arrive as they are', async (program) => {
  const usage = { input: 42, cachedInput: 12, cacheWriteInput: 7, output: 5, reasoningOutput: 1 };
  const { start } = await stage(program, [answer({ items: [say('Hello.')], usage })]);
  expect((await start().run('Good day.')).usage).toEqual({
    input_tokens: 42,
    cached_input_tokens: 12,
    cache_write_input_tokens: 7,
    output_tokens: 5,
    reasoning_output_tokens: 1,
  });
});

it.each(programs)('%s: runStreamed gives every event, in its order', async (program) => {
  const { start } = await stage(program, [hello]);
  const thread = start();
  const { events } = await thread.runStreamed('Good day.');
  expect(await Array.fromAsync(events)).toEqual([
    { type: 'thread.started', thread_id: thread.id },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Hello.' } },
    { type: 'turn.completed', usage: usageOf(1) },
  ]);
});

it.each(programs)('%s: events arrive when they happen, not when the turn is over', async (program) => {
  const waits = 'until [ -e go ]; do sleep 0.05; done; echo went';
  const { place, start } = await stage(program, [answer({ items: [callTool('exec_command', { cmd: waits })] }), hello]);
  const { events } = await start().runStreamed('Good day.');
  const items: ThreadEvent[] = [];
  for await (const event of events) {
    if ('item' in event) items.push(event);
    // The command ends only because this is seen while it runs.
    if (event.type === 'item.started') writeFileSync(join(place.workspace, 'go'), '');
  }
  expect(items.map(({ type }) => type)).toEqual(['item.started', 'item.completed', 'item.completed']);
  const ended = items[1] as { item: CommandExecutionItem };
  expect(ended.item).toMatchObject({ aggregated_output: 'went\n', exit_code: 0, status: 'completed' });
});
