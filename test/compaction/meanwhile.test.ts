import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { ScriptStepOf } from '../../src/testing/index.ts';
import { placeEngine } from '../harness/place-engine.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { compacts, hangs, linesOf, requestKinds, says, saysLong, smallLimit, story, talk, task } from './talk.ts';

const signal = new AbortController().signal;
const later = { compactsAfterTurns: false };
const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'from a program' }] };

/** A thread whose next turn compacts history first, and what happens while it does. */
async function whileCompacting(meanwhile: (live: LiveThread) => unknown, then = says('Yes.')): Promise<LiveThread> {
  const compaction: ScriptStepOf = async (request) => {
    await meanwhile(live);
    return compacts(request);
  };
  const live = await LiveThread.in(talk([saysLong(), then], compaction), smallLimit);
  await live.open({}, later);
  await live.turn(task);
  return live;
}

describe('while history is compacted before a turn', () => {
  it('words are queued, and stand after those of the turn', async () => {
    const live = await whileCompacting(async ({ thread }) => {
      expect(await thread.steer({ input: words('And the docs.') })).toMatchObject({
        kind: 'steered',
        turnId: thread.turnId,
      });
    });
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.rows(2).slice(-2)).toEqual([
      ['user', 'Go on.'],
      ['user', 'And the docs.'],
    ]);
    expect(live.rows(1).flat().join('\n')).not.toContain('And the docs.');
  });

  it("a program's item waits, too", async () => {
    const live = await whileCompacting(({ thread }) => thread.inject(item));
    await live.turn('Go on.');
    expect(live.rows(2).slice(-2)).toEqual([
      ['user', 'Go on.'],
      ['user', 'from a program'],
    ]);
  });

  it('a change of settings holds from the next turn on', async () => {
    let changed: Promise<unknown> | undefined;
    const live = await whileCompacting(({ thread }) => {
      changed = thread.overrideTurnContext({ effort: 'high' });
    });
    await live.turn('Go on.');
    expect(await changed).toMatchObject({ kind: 'changed', changed: ['effort'] });
    await live.turn('And on.');
    const efforts = live.model.requests.map(
      ({ body }) => (body['reasoning'] as { effort?: string } | undefined)?.effort,
    );
    expect([efforts[2] === 'high', efforts[3]]).toEqual([false, 'high']);
    await live.open();
    expect(live.thread.settings.effort).toBe('high');
  });

  it('a second wish is heard at the next place, and finds something to do', async () => {
    let wish: Promise<unknown> | undefined;
    const live = await whileCompacting(({ thread }) => {
      wish ??= thread.compact({ signal });
    }, saysLong());
    await live.turn('Go on.');
    expect(await wish).toMatchObject({ kind: 'installed', report: { number: 2, phase: 'standalone_turn' } });
  });
});

describe('while history is compacted in a turn of its own', () => {
  it('no turn can be steered; an item waits for the next turn, and a change of settings is made', async () => {
    let changed: Promise<unknown> | undefined;
    const live = await whileCompacting(async ({ thread }) => {
      expect(await thread.steer({ input: words('And?') })).toMatchObject({ outcome: { code: 'no-active-turn' } });
      await thread.inject(item);
      changed = thread.overrideTurnContext({ effort: 'high' });
    });
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed' });
    expect(await changed).toMatchObject({ kind: 'changed' });
    await live.turn('Go on.');
    expect(live.rows(2).slice(-2)).toEqual([
      ['user', 'from a program'],
      ['user', 'Go on.'],
    ]);
    expect(live.model.requests[2]?.body['reasoning']).toMatchObject({ effort: 'high' });
  });
});

describe('a thread that is closed', () => {
  it('interrupts the compaction that was asked for by hand, and waits until that is written', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')], hangs));
    await live.turn(task);
    const from = live.events.length;
    const wish = live.thread.compact({ signal });
    await live.model.request(1);
    await live.close();
    const lines = live.place.lines();
    expect(lines.at(-1)).toMatchObject({ payload: { type: 'turn_aborted' } });
    expect(await wish).toEqual({ kind: 'aborted' });
    expect(story(live, from)).toEqual([
      'turn-started',
      'checkpoint-started manual user_requested standalone_turn',
      'checkpoint-failed aborted',
      'turn-aborted',
    ]);
    expect(live.place.lines()).toEqual(lines);
    await live.open();
    expect([live.notices, live.thread.state.checkpoints]).toMatchObject([[], { count: 0, failures: 0 }]);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
  });

  it('begins no compaction any more, whether asked for before or after', async () => {
    const live = await LiveThread.in(talk([saysLong()]));
    await live.turn(task);
    const { thread } = live;
    const [lines, from] = [live.place.lines(), live.events.length];
    const before = thread.compact({ signal });
    await live.close();
    expect([await before, await thread.compact({ signal })]).toEqual([{ kind: 'aborted' }, { kind: 'aborted' }]);
    expect([live.place.lines(), live.events.slice(from), requestKinds(live)]).toEqual([lines, [], ['step']]);
  });

  it('and a compaction that waits for the end of a running turn counts as interrupted', async () => {
    let wish: Promise<unknown> | undefined;
    const live: LiveThread = await LiveThread.in(
      talk([
        async () => {
          wish = live.thread.compact({ signal });
          await live.thread.close();
          return says('Yes.');
        },
      ]),
    );
    expect(await live.turn(task)).toEqual({ kind: 'aborted' });
    expect(await wish).toEqual({ kind: 'aborted' });
  });
});

it('words that arrive between two steps stand behind the summary', async () => {
  const compaction: ScriptStepOf = async (request) => {
    await live.thread.steer({ input: words('And the docs.') });
    return compacts(request);
  };
  const live: LiveThread = await LiveThread.in(
    talk([saysLong(['exec_command', { cmd: 'echo hello' }]), says('Done.')], compaction),
    smallLimit,
  );
  await live.turn(task);
  const rows = live.rows(2);
  expect([rows.at(-2)?.[1]?.includes('RESUME_AT'), rows.at(-1)]).toEqual([true, ['user', 'And the docs.']]);
});

it('windows have names: each checkpoint begins one, also after the thread was taken up again; a fork begins anew', async () => {
  const live = await LiveThread.in(talk([saysLong()]));
  await live.turn(task);
  await live.thread.compact({ signal });
  await live.open();
  await live.turn('two');
  await live.thread.compact({ signal });
  const { id } = live.thread;
  await live.close();
  const windows = linesOf(live, 'compacted').map(({ payload }) => payload);
  const first = (linesOf(live, 'session_meta')[0]!.payload['context_window'] as { window_id: string }).window_id;
  const [one, two] = windows.map((payload) => payload['window_id']);
  expect(windows).toMatchObject([
    { window_number: 1, first_window_id: first, previous_window_id: first, window_id: one },
    { window_number: 2, first_window_id: first, previous_window_id: one, window_id: two },
  ]);
  expect(new Set([first, one, two]).size).toBe(3);

  const engine = await placeEngine(live.place);
  const forked = await engine.fork(id, { kind: 'latest' }, { listener: () => {} });
  if (forked.kind === 'refused') throw new Error(forked.outcome.message);
  const { thread } = forked;
  const own = (thread.state.meta['context_window'] as { window_id: string }).window_id;
  await thread.run({ input: words('three'), signal });
  expect(await thread.compact({ signal })).toMatchObject({ kind: 'installed', report: { number: 3 } });
  await thread.close();
  expect(linesOf(live, 'compacted').at(-1)?.payload).toMatchObject({
    window_number: 1,
    first_window_id: own,
    previous_window_id: own,
  });
  expect(own).not.toBe(first);
});
