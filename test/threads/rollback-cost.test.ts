import { expect, it } from 'vitest';
import { lastUsage } from '../../src/core/history/token-counts.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const costs = (input: number) => answer({ items: [say('Yes.')], usage: { input, output: 10, total: input + 10 } });
const total = (input: number, turns: number) => ({ input, output: 10 * turns, total: input + 10 * turns });

async function talk(...inputs: readonly number[]): Promise<LiveThread> {
  const live = await LiveThread.in(inputs.map(costs));
  return live;
}

async function usageOf(live: LiveThread) {
  const { usage } = (await live.open()).state;
  await live.close();
  return { total: usage.total, last: lastUsage(usage.newest) };
}

it('what turns cost stays counted when a rollback takes them back, and when that is undone', async () => {
  const live = await talk(1000, 2000, 4000, 8000);
  for (const words of ['one', 'two']) await live.turn(words);
  await live.close();
  const engine = await live.engine();
  await engine.stored.rollback(live.id, { turns: 1 });
  expect(await usageOf(live)).toMatchObject({ total: total(3000, 2), last: { input: 1000 } });
  await live.open();
  await live.turn('three');
  await live.close();
  expect(live.told('usage').at(-1)).toMatchObject({ total: total(7000, 3), last: { input: 4000 } });
  await engine.stored.undoRollback(live.id, { force: true });
  expect(await usageOf(live)).toMatchObject({ total: total(7000, 3), last: { input: 2000 } });
  await engine.stored.rollback(live.id, { turns: 2 });
  expect(await usageOf(live)).toMatchObject({ total: total(7000, 3), last: { input: 0 } });
  const summary = await engine.stored.summary(live.id);
  expect(summary).toMatchObject({ totalTokens: 7030 });
});

it('in a file of the old form, what a failed compaction cost is counted once after a rollback and its undo', async () => {
  const live = await talk(1000, 2000, 4000);
  for (const words of ['one', 'two']) await live.turn(words);
  const spent = { input_tokens: 500, output_tokens: 5, total_tokens: 505 };
  const failed = { id: 'c', turn_id: 't', trigger: 'auto', outcome: { code: 'no' }, usage: spent, requests: 1 };
  await live.rewrite((lines) => [
    ...lines.map((line) =>
      line.type === 'session_meta' ? { ...line, payload: { ...line.payload, history_mode: 'legacy' } } : line,
    ),
    { type: 'capstan_compaction', payload: failed },
  ]);
  const engine = await live.engine();
  const checkpoints = async () => {
    const { state } = await live.open();
    await live.close();
    return {
      spent: state.checkpoints.spent.input,
      failures: state.checkpoints.failures,
      total: state.usage.total.input,
    };
  };
  const once = { spent: 500, failures: 1, total: 3000 };
  expect(await checkpoints()).toEqual(once);
  expect(await engine.stored.rollback(live.id, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
  expect(await checkpoints()).toEqual(once);
  expect(await engine.stored.undoRollback(live.id)).toMatchObject({ kind: 'rollback-undone' });
  expect(await checkpoints()).toEqual(once);
});

it('a rollback that is undone at once adds nothing, and no turn that stands is said to have cost more', async () => {
  const live = await talk(1000, 2000);
  for (const words of ['one', 'two']) await live.turn(words);
  await live.close();
  const engine = await live.engine();
  await engine.stored.rollback(live.id, { turns: 1 });
  const { stdout } = await live.place.run('threads', 'export', live.id, '--format', 'markdown');
  expect(stdout).toMatch(/3,000|3000/);
  expect(stdout.match(/\*Tokens: [^*]*\*/g)).toEqual([expect.stringMatching(/1,000|1000/)]);
  await engine.stored.undoRollback(live.id);
  expect(await usageOf(live)).toMatchObject({ total: total(3000, 2), last: { input: 2000 } });
});
