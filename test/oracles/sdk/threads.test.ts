import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { answer, say } from '../../../src/testing/index.ts';
import { inputOf, textsOf } from '../items.ts';
import { programs, stage } from './stage.ts';
import { usageOf } from './usage-of.ts';

const hello = answer({ items: [say('Hello.')] });
const again = answer({ items: [say('Again.')] });

it.each(programs)('%s: further turns go on with the thread, and the usage counts all of it', async (program) => {
  const { model, start } = await stage(program, [hello, again, hello]);
  const thread = start();
  await thread.run('One.');
  const { id } = thread;
  expect(await thread.run('Two.')).toEqual({
    items: [{ id: 'item_0', type: 'agent_message', text: 'Again.' }],
    finalResponse: 'Again.',
    usage: usageOf(2),
  });
  const third = await Array.fromAsync((await thread.runStreamed('Three.')).events);
  expect([third[0], third.at(-1)]).toEqual([
    { type: 'thread.started', thread_id: id },
    { type: 'turn.completed', usage: usageOf(3) },
  ]);
  expect(thread.id).toBe(id);
  expect(textsOf(inputOf(model, 2)).slice(-5)).toEqual(['One.', 'Hello.', 'Two.', 'Again.', 'Three.']);
});

it.each(programs)('%s: a thread is resumed by its id', async (program) => {
  const { model, place, codex, start } = await stage(program, [hello, again]);
  const first = start();
  await first.run('One.');
  const resumed = codex().resumeThread(String(first.id), { workingDirectory: place.workspace });
  expect(resumed.id).toBe(first.id);
  expect((await resumed.run('Two.')).finalResponse).toBe('Again.');
  expect(resumed.id).toBe(first.id);
  expect(model.requests.map(({ headers }) => headers['thread-id'])).toEqual([first.id, first.id]);
  expect(textsOf(inputOf(model, 1)).slice(-3)).toEqual(['One.', 'Hello.', 'Two.']);
  expect(place.rollouts()).toHaveLength(1);
});

it.each(programs)('%s: a resumed thread takes the model and effort that options name', async (program) => {
  const { model, place, codex, start } = await stage(program, [hello, hello, hello]);
  const first = start({ model: 'gpt-5.4', modelReasoningEffort: 'low' });
  await first.run('One.');
  const id = String(first.id);
  const { workspace: workingDirectory } = place;
  await codex().resumeThread(id, { workingDirectory }).run('Two.');
  const other = { workingDirectory, model: 'gpt-5.4', modelReasoningEffort: 'high' } as const;
  await codex().resumeThread(id, other).run('Three.');
  // Without options a thread keeps what it had; with Codex the configuration wins.
  const unasked = { capstan: ['gpt-5.4', 'low'], codex: ['gpt-5.5', 'medium'] }[program];
  expect(model.requests.map(({ body }) => [body['model'], (body['reasoning'] as JsonObject)['effort']])).toEqual([
    ['gpt-5.4', 'low'],
    unasked,
    ['gpt-5.4', 'high'],
  ]);
});

it.each(programs)('%s: two threads take their turns at the same time', async (program) => {
  const both = Promise.withResolvers<void>();
  const { model, place, codex } = await stage(program, async ({ index }) => {
    if (index === 1) both.resolve();
    // Neither gets an answer before both have asked.
    await both.promise;
    return answer({ items: [say(`To ${textsOf(inputOf(model, index)).at(-1)}`)] });
  });
  const sdk = codex();
  const threads = [0, 1].map(() => sdk.startThread({ workingDirectory: place.workspace }));
  const turns = await Promise.all(threads.map((thread, index) => thread.run(`caller ${index}`)));
  expect(turns.map(({ finalResponse, usage }) => [finalResponse, usage])).toEqual([
    ['To caller 0', usageOf(1)],
    ['To caller 1', usageOf(1)],
  ]);
  expect(new Set(threads.map(({ id }) => id)).size).toBe(2);
  expect(place.rollouts()).toHaveLength(2);
});

it.each(programs)('%s: a second turn of a busy thread is refused, and the first one continues', async (program) => {
  const refused = Promise.withResolvers<void>();
  const { model, place, codex, start } = await stage(program, [hello, () => refused.promise.then(() => again)]);
  const thread = start();
  await thread.run('One.');
  const running = thread.run('Two.');
  await model.request(1);
  const second = codex().resumeThread(String(thread.id), { workingDirectory: place.workspace });
  const refusal = { capstan: /being written by capstan/, codex: /active writer/ }[program];
  await expect(second.run('Meanwhile.')).rejects.toThrow(refusal);
  refused.resolve();
  expect((await running).finalResponse).toBe('Again.');
  expect(model.requests).toHaveLength(2);
});
