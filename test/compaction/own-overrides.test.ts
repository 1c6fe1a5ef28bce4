import { expect, it } from 'vitest';
import { liveThreads } from '../../src/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { linesOf, says, saysLong, talk, task } from './talk.ts';

const signal = new AbortController().signal;

it.each([
  ['sandbox_mode=danger-full-access'],
  ['model=gpt-5.4'],
  ['model_reasoning_effort=high'],
  ['approval_policy=never'],
])('a compaction by hand with %s leaves the thread its settings', async (override) => {
  const live = await LiveThread.in(talk([saysLong(), says('Yes.')]));
  await live.open({ config: ['sandbox_mode=read-only', 'model=gpt-5.5', 'approval_policy=on-request'] });
  await live.turn(task);
  await live.open();
  const { origins: _origins, ...before } = live.thread.settings;
  await live.close();
  const engine = await live.engine({ config: [override] });
  const threads = liveThreads(engine);
  const loaded = await threads.load(live.id);
  if (loaded.kind === 'refused') throw new Error(loaded.outcome.message);
  expect(await loaded.compact({ signal })).toMatchObject({ kind: 'installed' });
  await threads.close();
  await live.open();
  const { origins: _now, ...after } = live.thread.settings;
  expect(after).toEqual(before);
  const from = live.events.length;
  await live.turn('Go on.');
  expect(live.events.slice(from).map(({ kind }) => kind)).not.toContain('model-switched');
  const [first, last] = [0, -1].map((at) => linesOf(live, 'turn_context').at(at)!.payload);
  expect(last!['sandbox_policy']).toEqual(first!['sandbox_policy']);
  const instructions = live.model.requests.map(({ body }) => body['instructions']);
  expect(instructions.at(-1)).toBe(instructions[0]);
});

it('a compaction under settings that were changed for the thread keeps them', async () => {
  const live = await LiveThread.in(talk([saysLong(), says('Yes.')]));
  await live.turn(task);
  await live.thread.overrideTurnContext({ model: 'gpt-5.4' });
  await live.thread.compact({ signal });
  await live.open();
  expect(live.thread.settings.model).toBe('gpt-5.4');
});
