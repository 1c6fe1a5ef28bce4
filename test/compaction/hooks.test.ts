import { describe, expect, it } from 'vitest';
import type { AboutCheckpoint, CheckpointHooks, CheckpointReport } from '../../src/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { linesOf, requestKinds, says, saysLong, smallLimit, story, talk, task } from './talk.ts';

const signal = new AbortController().signal;
const later = { compactsAfterTurns: false };
const stops: CheckpointHooks = { before: async () => ({ reason: 'the release is on.' }) };
const outcome = {
  code: 'stopped-by-hook',
  message: 'A hook stopped the compaction: the release is on.',
  next: expect.stringContaining('The history is unchanged.'),
};

async function fullThread(checkpointHooks: CheckpointHooks): Promise<LiveThread> {
  const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
  await live.open({}, { ...later, checkpointHooks });
  await live.turn(task);
  return live;
}

describe('before a checkpoint', () => {
  it('a hook gets what it is about', async () => {
    const asked: AboutCheckpoint[] = [];
    const live = await fullThread({
      before: async (about) => {
        asked.push(about);
        return undefined;
      },
    });
    await live.turn('Go on.');
    await live.turn('And on.');
    await live.thread.compact({ focus: 'the tests', signal });
    const turns = live.told('turn-started').map(({ turnId }) => turnId);
    const where = { threadId: live.thread.id, cwd: live.place.workspace };
    expect(asked).toEqual([
      { ...where, turnId: turns[1], trigger: 'auto', reason: 'context_limit', phase: 'pre_turn' },
      {
        ...where,
        turnId: turns[3],
        trigger: 'manual',
        reason: 'user_requested',
        phase: 'standalone_turn',
        focus: 'the tests',
      },
    ]);
  });

  it('one that stops it by hand gives its reason; nothing is asked, and history stands', async () => {
    const live = await fullThread(stops);
    const from = live.events.length;
    const { history } = live.thread.state;
    expect(await live.thread.compact({ signal })).toEqual({ kind: 'failed', outcome });
    expect(story(live, from)).toEqual([]);
    expect([requestKinds(live), live.thread.state.history]).toEqual([['step'], history]);
  });

  it('one that stops it after a turn leaves no trace in the thread; a person hears of it once', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
    await live.open({}, { checkpointHooks: stops });
    for (const words of [task, 'two']) expect(await live.turn(words)).toMatchObject({ kind: 'completed' });
    // Comes after what follows the turns.
    expect(await live.thread.compact({ signal })).toEqual({ kind: 'failed', outcome });
    expect(story(live)).toEqual([
      'turn-started',
      'turn-completed',
      'warning stopped-by-hook',
      'turn-started',
      'turn-completed',
    ]);
    expect([requestKinds(live), linesOf(live, 'task_started').length]).toEqual([['step', 'step'], 2]);
  });

  it('one that stops it by itself lets the turn continue, is reported once, and is no failure of the model', async () => {
    const live = await fullThread(stops);
    for (const words of ['two', 'three', 'four']) expect(await live.turn(words)).toMatchObject({ kind: 'completed' });
    expect(requestKinds(live)).toEqual(['step', 'step', 'step', 'step']);
    expect(live.told('warning')).toEqual([{ kind: 'warning', outcome }]);
    expect(live.told('checkpoint-started')).toEqual([]);
    expect(live.thread.state.checkpoints.failures).toBe(0);
    expect(linesOf(live, 'capstan_compaction')).toEqual([]);
  });
});

it('after a checkpoint, a hook gets the report, once', async () => {
  const reports: CheckpointReport[] = [];
  const live = await fullThread({
    after: async (report) => {
      reports.push(report);
    },
  });
  await live.turn('Go on.');
  expect(reports).toEqual(live.told('checkpoint-installed').map(({ report }) => report));
  expect(reports).toHaveLength(1);
});

describe('a hook that breaks', () => {
  it.each(['before', 'after'] as const)('%s a checkpoint is skipped with a warning', async (name) => {
    const live = await fullThread({
      [name]: () => {
        throw new Error('out of order');
      },
    });
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.told('warning')).toEqual([
      {
        kind: 'warning',
        outcome: {
          code: 'hook-failed',
          message: `The hook that runs ${name} a checkpoint failed: out of order`,
          next: 'The thread continues without the hook. Fix the hook.',
        },
      },
    ]);
  });

  it.each([
    ['null', null, 0],
    ['a yes', true, 1],
    ['no reason', {}, 1],
  ])('with %s for an answer does not stop it', async (_name, answer, warnings) => {
    const live = await fullThread({ before: async () => answer as unknown as undefined });
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.told('warning').map(({ outcome: { code } }) => code)).toEqual(Array(warnings).fill('hook-failed'));
  });

  it('and one that never answers does not keep a turn that is interrupted', async () => {
    const interrupt = new AbortController();
    const live = await fullThread({
      before: () => {
        interrupt.abort();
        return new Promise(() => {});
      },
    });
    expect(await live.turn('Go on.', { signal: interrupt.signal })).toEqual({ kind: 'aborted' });
    expect(linesOf(live, 'response_item').at(-2)).toMatchObject({ payload: { content: [{ text: 'Go on.' }] } });
  });
});
