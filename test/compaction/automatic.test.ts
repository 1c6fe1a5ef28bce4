import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, say, type ScriptStep, type ScriptStepOf } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { checkpointText, saysCheckpoint } from './summariser.ts';
import {
  calls,
  compacts,
  hangs,
  linesOf,
  long,
  requestKinds,
  says,
  saysLong,
  smallLimit,
  story,
  talk,
  task,
} from './talk.ts';

const later = { compactsAfterTurns: false };
const waiting = { timeout: 20_000, interval: 5 };
/** About 8,000 tokens. */
const middling = 'line '.repeat(8000);

describe('before a turn', () => {
  it('the message that is about to enter counts: it is whole in the request, and in no summary', async () => {
    const live = await LiveThread.in(talk([says(middling), says('I see.')]), smallLimit);
    await live.open({}, later);
    await live.turn(task);
    const paste = 'pasted '.repeat(13_000);
    expect(await live.turn(paste)).toMatchObject({ kind: 'completed', lastMessage: 'I see.' });
    expect(story(live).slice(2)).toEqual([
      'turn-started',
      'checkpoint-started auto context_limit pre_turn',
      'checkpoint-installed',
      'turn-completed',
    ]);
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.rows(1).flat()).not.toContain(paste);
    expect(live.rows(2).at(-1)).toEqual(['user', paste]);
  });

  it('the checkpoint leaves space for it and for some work, so that it stays whole', async () => {
    const wordy = checkpointText('0:', [], notes(0, 25_000));
    const steps = [...Array.from({ length: 8 }, () => says('I see.')), calls('seq 1 700'), says('Done.')];
    const live = await LiveThread.in(
      talk(steps, () => saysCheckpoint(wordy)),
      'model_context_window = 32000',
    );
    await live.open({}, later);
    for (let at = 0; at < 8; at++) await live.turn(`${at}: ${'line '.repeat(1400)}`);
    const paste = 'line '.repeat(15_000);
    expect(await live.turn(paste)).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
    expect(requestKinds(live).slice(8)).toEqual(['checkpoint', 'step', 'step']);
    expect(live.rows(10)).toContainEqual(['user', paste]);
  });

  it('a shorter one does not', async () => {
    const live = await LiveThread.in(talk([says(middling), says('I see.')]), smallLimit);
    await live.turn(task);
    await live.turn('pasted '.repeat(3600));
    expect(requestKinds(live)).toEqual(['step', 'step']);
  });

  it('the context that is about to enter counts as well', async () => {
    const live = await LiveThread.in(talk([says(middling), says('I see.')]), 'model_auto_compact_token_limit = 15000');
    await live.turn(task);
    writeFileSync(join(live.place.workspace, 'AGENTS.md'), 'Be kind. '.repeat(3300));
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.rows(1).flat().join()).not.toContain('Be kind.');
    expect(live.rows(2).flat().join()).toContain('Be kind.');
  });

  it('nothing is compacted in a thread that has only its first message, however long that is', async () => {
    const live = await LiveThread.in(talk([says('I see.')]), smallLimit);
    await live.open({}, later);
    expect(await live.turn(long)).toMatchObject({ kind: 'completed' });
    expect([requestKinds(live), live.thread.state.checkpoints]).toMatchObject([['step'], { failures: 0 }]);
  });

  it('a thread that is taken up again goes by what the provider counted last', async () => {
    const counted = { input: 30_000, output: 25_000, total: 55_000 };
    const live = await LiveThread.in(talk([answer({ items: [say(long)], usage: counted }), says('Yes.')]), smallLimit);
    await live.open({}, later);
    await live.turn(task);
    await live.open({}, later);
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    // Both events are by our estimate, whatever was counted.
    const [started] = live.told('checkpoint-started');
    expect(started).toMatchObject({
      phase: 'pre_turn',
      tokens: live.told('checkpoint-installed')[0]!.report.tokensBefore,
    });
    expect(started!.tokens).toBeLessThan(30_000);
  });

  it('a limit beyond the window is cut down to the share of the window', async () => {
    const live = await LiveThread.in(
      talk([saysLong(), says('Yes.')]),
      'model_context_window = 30000\nmodel_auto_compact_token_limit = 60000',
    );
    await live.open({}, later);
    await live.turn(task);
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  });
});

it('between two steps: three times in one turn, each summary in the place of the one before', async () => {
  let number = 0;
  const compaction: ScriptStepOf = () =>
    saysCheckpoint(checkpointText(task, [task], `Summary ${++number}. ${notes(number, 600)}`));
  const works = saysLong(['exec_command', { cmd: 'echo hello' }]);
  const live = await LiveThread.in(talk([works, works, works, says('Done.')], compaction), smallLimit);
  expect(await live.turn(task)).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  const once = ['checkpoint-started auto context_limit mid_turn', 'checkpoint-installed'];
  expect(story(live)).toEqual(['turn-started', ...once, ...once, ...once, 'turn-completed']);
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step', 'checkpoint', 'step', 'checkpoint', 'step']);
  for (const [index, request] of [2, 4, 6].entries()) {
    const rows = live.rows(request);
    expect(rows.map(([role, text = '']) => [role, text.slice(0, 12)])).toEqual([
      ['developer', '<permissions'],
      ['user', '<environment'],
      ['user', expect.any(String)],
      ['user', expect.any(String)],
    ]);
    expect([rows[2]?.[1]?.includes(task), rows[3]?.[1]?.includes(`Summary ${index + 1}.`)]).toEqual([true, true]);
    expect(
      rows
        .flat()
        .join('\n')
        .match(/Summary \d/g),
    ).toHaveLength(1);
  }
  expect([linesOf(live, 'turn_context').length, linesOf(live, 'compacted').length]).toEqual([1, 3]);
});

describe('after a turn', () => {
  it('space is freed at once, so that the next turn need not wait', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
    expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
    await vi.waitUntil(() => live.told('turn-completed').length === 2, waiting);
    expect(story(live)).toEqual([
      'turn-started',
      'turn-completed',
      'turn-started',
      'checkpoint-started auto context_limit post_turn',
      'checkpoint-installed',
      'turn-completed',
    ]);
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  });

  it('unless the caller that opened the thread left it to the next turn', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
    await live.open({}, later);
    await live.turn(task);
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.told('checkpoint-started')).toMatchObject([{ phase: 'pre_turn' }]);
    expect(live.told('turn-started')).toHaveLength(2);
  });

  it('a thread that is closed meanwhile keeps its history, and frees the space when it is resumed', async () => {
    let isHanging = true;
    const compaction: ScriptStepOf = (request) => (isHanging ? hangs(request) : compacts(request));
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')], compaction), smallLimit);
    await live.turn(task);
    await live.model.request(1);
    await live.close();
    expect(story(live).slice(-2)).toEqual(['checkpoint-failed aborted', 'turn-aborted']);
    expect(live.place.lines().at(-1)).toMatchObject({ payload: { type: 'turn_aborted' } });
    isHanging = false;
    await live.open();
    expect(live.thread.state.checkpoints).toMatchObject({ count: 0, failures: 0 });
    await live.turn('Go on.');
    expect([live.notices, live.thread.state.checkpoints]).toMatchObject([[], { count: 1, failures: 0 }]);
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'checkpoint', 'step']);
    expect(live.told('checkpoint-started').at(-1)).toMatchObject({ phase: 'pre_turn' });
  });

  it('a turn that is asked for meanwhile comes after it, and finds the space', async () => {
    const asked = Promise.withResolvers<ScriptStep>();
    const live = await LiveThread.in(
      talk([saysLong(), says('Yes.')], () => asked.promise),
      smallLimit,
    );
    await live.turn(task);
    await live.model.request(1);
    const next = live.turn('Go on.');
    expect(live.thread.turnId).toBeUndefined();
    asked.resolve(await compacts(live.model.requests[1]!));
    expect(await next).toMatchObject({ kind: 'completed', lastMessage: 'Yes.' });
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
    expect(live.rows(2).at(-1)).toEqual(['user', 'Go on.']);
  });
});

describe('when only what has grown since the last checkpoint counts', () => {
  const body = 'model_auto_compact_token_limit_scope = "body_after_prefix"\nmodel_auto_compact_token_limit = 10000';
  const counted = (text: string, input: number, output = 10): ScriptStep =>
    answer({ items: [say(text)], usage: { input, output, total: input + output } });

  it('a long beginning does not, growth does, and the first request afterwards is the new beginning', async () => {
    const live = await LiveThread.in(
      talk([
        counted('One.', 27_000),
        counted('Two.', 27_100),
        counted(long, 27_200, 25_000),
        counted('Four.', 3000),
        counted(middling, 3100, 8000),
        counted(middling, 11_200, 8000),
        says('Seven.'),
      ]),
      body,
    );
    await live.open({}, later);
    const counts: (readonly [number | undefined, number])[] = [];
    for (const words of [`${task} ${long}`, 'two', 'three', 'four', 'five', 'six', 'seven']) {
      await live.turn(words);
      counts.push([live.thread.state.prefill, live.thread.state.checkpoints.count]);
    }
    expect(counts).toEqual([
      [27_000, 0],
      [27_000, 0],
      [27_000, 0],
      [3000, 1],
      [3000, 1],
      [3000, 1],
      [undefined, 2],
    ]);
  });

  it('the window counts all the same', async () => {
    const live = await LiveThread.in(
      talk([counted(long, 34_000, 25_000), says('Yes.')]),
      `model_context_window = 60000\n${body.replace('10000', '55000')}`,
    );
    await live.open({}, later);
    await live.turn(task);
    await live.turn('Go on.');
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  });
});
