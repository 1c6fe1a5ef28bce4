import { describe, expect, it } from 'vitest';
import { overflow, overflowForms } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { calls, linesOf, long, requestKinds, says, saysLong, story, talk, task } from './talk.ts';

/** The server names the window that is configured: there is nothing to learn from it. */
const tooLong = (form: (typeof overflowForms)[number]) => overflow(form, { tokens: 300_000, window: 272_000 });

const began = ['turn-started', 'checkpoint-started auto context_overflow mid_turn', 'checkpoint-installed'];

describe.each(overflowForms)('a request that is refused as too long, as %s', (form) => {
  it('is made again in the same turn after history was compacted', async () => {
    const live = await LiveThread.in(talk([saysLong(), tooLong(form), says('Done.')]));
    await live.turn(task);
    const from = live.events.length;
    expect(await live.turn('Go on.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(story(live, from)).toEqual([...began, 'turn-completed']);
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
    const texts = live.rows(3).flat().join('\n');
    expect([task, 'Go on.', long].map((text) => texts.split(text).length - 1)).toEqual([1, 1, 0]);
    expect(linesOf(live, 'turn_context')).toHaveLength(2);
  });

  it('ends the turn with sizes and what to do when that is refused, too; the thread can be resumed', async () => {
    const live = await LiveThread.in(talk([saysLong(), tooLong(form), tooLong(form), says('Yes.')]));
    await live.turn(task);
    const from = live.events.length;
    const result = await live.turn('Go on.');
    expect(result).toEqual({
      kind: 'failed',
      outcome: expect.objectContaining({
        code: 'context-window-exceeded',
        message: expect.not.stringContaining('Capstan'),
        next: expect.stringMatching(
          /^The request had about \d,\d{3} tokens by Capstan's estimate; the effective window of gpt-5\.5 is 258,400\. [^]*Shorten the message, choose a model with a larger window, or start a new thread\.$/,
        ),
      }),
    });
    expect(story(live, from)).toEqual([...began, 'turn-failed context-window-exceeded']);
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
    await live.open();
    expect(await live.turn('Shorter.')).toMatchObject({ kind: 'completed', lastMessage: 'Yes.' });
    expect(
      live
        .rows(live.model.requests.length - 1)
        .flat()
        .join('\n'),
    ).toContain('Go on.');
  });
});

it('the words of a first message that is too long are cut, and the turn continues', async () => {
  const live = await LiveThread.in(talk([tooLong('status'), says('Done.')]));
  expect(await live.turn(`${task} ${long}`)).toMatchObject({ kind: 'completed' });
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  const [sent, again] = [0, 2].map((request) => JSON.stringify(live.rows(request)).length);
  expect(again! < sent!).toBe(true);
  expect(live.rows(2).flat().join()).toContain(task);
});

it('a request for a checkpoint that is too long as well ends in one that code makes', async () => {
  const live = await LiveThread.in(talk([saysLong(), tooLong('failed'), says('Done.')], () => tooLong('failed')));
  await live.turn(task);
  expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
  expect(live.told('checkpoint-installed')).toMatchObject([
    { report: { strategy: 'mechanical', why: { code: 'context-window-exceeded' } } },
  ]);
});

it('a step that was answered since makes the next overflow a first one again', async () => {
  const live = await LiveThread.in(
    talk([saysLong(), tooLong('error'), saysLong(['exec_command', { cmd: 'true' }]), tooLong('error'), says('Done.')]),
  );
  await live.turn(task);
  expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
  expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step', 'step', 'checkpoint', 'step']);
});

it('calls that were answered before the overflow are not made again', async () => {
  const live = await LiveThread.in(talk([saysLong(), calls('echo once >> made'), tooLong('status'), says('Done.')]));
  await live.turn(task);
  await live.turn('Go on.');
  expect(linesOf(live, 'function_call_output')).toHaveLength(1);
});

it('a history that a checkpoint would make larger stays as it is, and the turn says so', async () => {
  const live = await LiveThread.in(talk([tooLong('status'), tooLong('status'), says('Done.')]));
  for (const words of ['Go.', 'Go on.']) {
    const from = live.events.length;
    expect(await live.turn(words)).toMatchObject({
      kind: 'failed',
      outcome: {
        code: 'context-window-exceeded',
        next: expect.stringMatching(/258,400\. The history is too short to compact\. Shorten the message, /),
      },
    });
    // It is no failure after which Capstan would compact no more by itself.
    expect(live.events.slice(from).findLast(({ kind }) => kind.startsWith('checkpoint-'))).toMatchObject({
      kind: 'checkpoint-failed',
      paused: false,
      outcome: {
        code: 'compaction-would-grow',
        message: expect.stringMatching(
          /^A checkpoint would be no smaller than the history: about [\d,]+ tokens instead of [\d,]+\./,
        ),
        next: 'Compacting does not help here.',
      },
    });
  }
  expect(live.told('checkpoint-installed')).toEqual([]);
  expect(requestKinds(live)).toEqual(['step', 'step']);
  expect(await live.turn('Hello?')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
});
