import { expect, it } from 'vitest';
import type { HistoryEntry } from '../../src/core/history/entry.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointLine, someReport } from '../harness/checkpoint-line.ts';
import { LiveThread } from '../harness/live-thread.ts';

const isSecond = ({ item }: HistoryEntry): boolean => JSON.stringify(item).includes('"two"');

/** Three turns, and between the second and the third a checkpoint that quotes the first words and keeps the second. */
async function compacted(): Promise<{ readonly live: LiveThread; readonly id: string }> {
  const live = await LiveThread.in([
    answer({ items: [callTool('exec_command', { cmd: 'echo hello' })] }),
    answer({ items: [say('Done.')] }),
    answer({ items: [say('Yes.')] }),
    answer({ items: [say('Again.')] }),
  ]);
  await live.turn('one');
  await live.turn('two');
  const { id } = live.thread;
  await live.rewrite((lines) => {
    const state = lines.reduce(reduce, emptyThreadState);
    return [...lines, checkpointLine(state, { keeps: isSecond, quotes: ['one'], report: someReport })];
  });
  await live.turn('three');
  await live.close();
  return { live, id };
}

async function context(live: LiveThread, ...words: readonly string[]): Promise<JsonObject> {
  const run = await live.place.run('context', ...words, '--json');
  return { exit: run.code, ...(JSON.parse(run.stdout) as JsonObject) };
}

it('capstan context --checkpoint has what was before and after, and what became of each item', async () => {
  const { live, id } = await compacted();
  const view = await context(live, id, '--checkpoint', '1');
  const { before, after } = view as unknown as Record<'before' | 'after', { items: readonly JsonObject[] }>;
  expect(view).toMatchObject({ exit: 0, thread: id, number: 1, turn: 2, report: { number: 1, tokens_after: 9400 } });
  expect(before.items.map(({ family, name, turn, fate, in: place }) => [family, name, turn, fate, place])).toEqual([
    ['context', 'permissions', 1, 'folded', undefined],
    ['context', 'environment_context', 1, 'folded', undefined],
    ['user', 'messages', 1, 'quoted', 1],
    ['model', 'calls of exec_command', 1, 'folded', undefined],
    ['tool', 'exec_command', 1, 'folded', undefined],
    ['model', 'messages', 1, 'folded', undefined],
    ['user', 'messages', 2, 'kept', 2],
    ['model', 'messages', 2, 'folded', undefined],
  ]);
  expect(after.items.map(({ family, made, text }) => [family, made, text])).toEqual([
    ['context', true, 'What was asked:\none'],
    ['user', false, 'two'],
    ['context', true, 'RESUME_AT: the tests'],
  ]);
  const tokens = (items: readonly JsonObject[]): number => items.reduce((sum, each) => sum + Number(each['tokens']), 0);
  expect([before, after]).toMatchObject([{ tokens: tokens(before.items) }, { tokens: tokens(after.items) }]);
});

it('and the same for people', async () => {
  const { live, id } = await compacted();
  const run = await live.place.run('context', id, '--checkpoint', 'last');
  // The length of the folder's name changes the weight.
  const shown = run.stdout.replaceAll(id, 'ID').replace(/made {7}\S+ \S+,/, 'made       TIME,');
  const rows = shown.split('\n').map((row) => (row.includes('|') ? row.replaceAll(/\d[\d,]+/g, 'NN') : row));
  expect(rows.join('\n').replaceAll(/ +NN/g, ' NN')).toMatchInlineSnapshot(`
    "thread ID · 3 turns · 4 requests · 1 checkpoint · model gpt-5.5

    Checkpoint 1 by gpt-5.5 (structured).
      why        the thread reached its limit, during a turn
      tokens     the next request has about 9,400 instead of 61,200, 85 % less (estimated)
      kept       12 of 12 user messages
      compacted  30 items
      cost       2 requests: the provider counted 60,000 tokens sent (90 % from the cache), 900 answered
      repaired   A message was paraphrased and has been put in as it was.
      made       TIME, in turn 2

       before                        turn  tokens  becomes      |     after               turn  tokens
    1  context: permissions             1 NN  compacted    |  1  + context: foreign     2 NN
    2  context: environment_context     1 NN  compacted    |  2  user: messages         2 NN
    3  user: messages                   1 NN  quoted in 1  |  3  + context: foreign     2 NN
    4  model: calls of exec_command     1 NN  compacted    |
    5  tool: exec_command               1 NN  compacted    |
    6  model: messages                  1 NN  compacted    |
    7  user: messages                   2 NN  kept as 2    |
    8  model: messages                  2 NN  compacted    |
       total NN               |     total NN

    [1] foreign
    What was asked:
    one

    [3] foreign
    RESUME_AT: the tests
    "
  `);
  const none = await live.place.run('context', id, '--checkpoint', '2');
  expect([none.code, none.stderr]).toEqual([
    1,
    'capstan: The thread has 1 checkpoint.\n         Name one from 1 to 1, or last.\n',
  ]);
  const both = await live.place.run('context', id, '--checkpoint', '2', '--request', '1');
  expect(both.code).toBe(2);
});

it('capstan context and capstan threads show tell how many there are and what they cost', async () => {
  const { live, id } = await compacted();
  expect((await context(live, id))['checkpoints']).toMatchObject([{ number: 1, turn: 2, report: { requests: 2 } }]);
  const window = await live.place.run('context', id);
  expect(window.stdout).toContain('3 turns · 4 requests · 1 checkpoint · ');
  expect(window.stdout).toContain(
    '1 checkpoint, the newest in turn 2. They cost 2 requests: the provider counted 60,000 tokens sent (90 % from the cache), 900 answered. See --checkpoint N.\n',
  );
  const shown = await live.place.run('threads', 'show', id);
  const line = '  Checkpoint 1: about 61,200 → 9,400 tokens by gpt-5.5 (structured), 12 of 12 user messages kept\n';
  expect(shown.stdout).toMatch(/^ {2}two\n/m);
  expect(shown.stdout).toContain(`${line}\n3.`);
});

it('a checkpoint of another program is counted, and one that was taken back is not', async () => {
  const { live, id } = await compacted();
  await live.rewrite((lines) => [
    ...lines,
    { type: 'compacted', payload: { message: 'All is well.' } },
    { type: 'event_msg', payload: { type: 'task_started', turn_id: 'theirs' } },
  ]);
  expect((await live.place.run('context', id)).stdout).toContain(
    '2 checkpoints, the newest in turn 3. They cost 2 requests: the provider counted 60,000 tokens sent (90 % from the cache), 900 answered; 1 of them made by another program, at a cost that is not in the file.',
  );
  expect((await live.place.run('threads', 'show', id)).stdout).toContain('  Checkpoint 2, made by another program\n');
  expect(await context(live, id, '--checkpoint', '2')).toMatchObject({ number: 2, before: {}, after: {} });
  const marker = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };
  await live.rewrite((lines) => [...lines, marker]);
  expect((await context(live, id))['checkpoints']).toHaveLength(1);
  await live.rewrite((lines) => [...lines, marker]);
  expect((await context(live, id))['checkpoints']).toEqual([]);
});
