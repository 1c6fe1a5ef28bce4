import { expect, test } from 'vitest';
import { words } from '../../src/index.ts';
import type { Line } from '../../src/protocol/line.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { linesOf, says, saysLong, story, talk, task } from './talk.ts';

const signal = new AbortController().signal;

/** A thread whose program died during a compaction by hand: the file ends with the last line of this type, or before it. */
async function diedAt(end: (lines: readonly Line[]) => number): Promise<LiveThread> {
  const live = await LiveThread.in(talk([saysLong(), says('Done.')]));
  await live.turn(task);
  const before = live.place.lines().length;
  await live.thread.compact({ signal });
  await live.rewrite((lines) => {
    const own = lines.slice(before);
    return [...lines.slice(0, before), ...own.slice(0, end(own))];
  });
  await live.open();
  return live;
}

const after = (type: string) => (own: readonly Line[]) =>
  own.findIndex((line) => line.type === type || line.payload['type'] === type) + 1;

test.each([
  ['began', after('task_started')],
  ['asked', after('capstan_request')],
  ['was answered', after('capstan_step')],
])(
  'a compaction by hand that died when it %s leaves history as it was, and says so to the user alone',
  async (_, end) => {
    const live = await diedAt(end);
    expect(live.notices.filter(({ code }) => code.endsWith('cut-off'))).toEqual([
      {
        code: 'compaction-cut-off',
        message: `A compaction of thread ${live.id} was cut off: Capstan was killed or crashed. The history is unchanged.`,
        next: `Continue the thread, or compact it again: \`capstan threads compact ${live.id}\`.`,
      },
    ]);
    const from = live.events.length;
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    expect(story(live, from)).toEqual(['turn-started', 'turn-completed']);
    expect(JSON.stringify(live.model.requests.at(-1)!.body)).not.toMatch(/turn_aborted|done in part/);
    expect(linesOf(live, 'turn_aborted')).toHaveLength(1);
    await live.open();
    expect(live.notices.filter(({ code }) => code.endsWith('cut-off'))).toEqual([]);
  },
);

test.each([
  ['was made', after('compacted')],
  ['was counted', (own: readonly Line[]) => own.length - 1],
])('one that died when its checkpoint %s has made it, and leaves nothing to say', async (_, end) => {
  const live = await diedAt(end);
  expect(live.notices.filter(({ code }) => code.endsWith('cut-off'))).toEqual([]);
  expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
  const sent = JSON.stringify(live.model.requests.at(-1)!.body);
  expect(sent).not.toMatch(/turn_aborted|done in part/);
  expect(sent).toContain('The conversation before this point was compacted');
});

test('a fork that is taken while a compaction runs is told nothing of it', async () => {
  const live = await diedAt(after('capstan_request'));
  const engine = await live.engine();
  await live.close();
  const forked = await engine.fork(live.id, { kind: 'latest' }, { listener: () => {}, cwd: live.place.workspace });
  if (forked.kind === 'refused') throw new Error(forked.outcome.message);

  await forked.thread.run({ input: words('Go on.'), signal });
  await forked.thread.close();
  expect(JSON.stringify(live.model.requests.at(-1)!.body)).not.toMatch(/turn_aborted|branched off/);
});

test('a turn of the user that died is told as before', async () => {
  const live = await LiveThread.in(talk([saysLong(), says('Done.')]));
  await live.turn(task);
  await live.rewrite((lines) => lines.slice(0, -1));
  await live.open();
  expect(live.notices.map(({ code }) => code)).toContain('turn-cut-off');
  await live.turn('Go on.');
  expect(JSON.stringify(live.model.requests.at(-1)!.body)).toContain('turn_aborted');
});
