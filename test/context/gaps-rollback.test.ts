import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread, namesIn } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });

/** Rollbacks as other programs write them into the file. */
const rollBack = (live: LiveThread, count: number) =>
  live.rewrite((lines) => [...lines, { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: count } }]);
const last = (live: LiveThread) => live.rows(live.model.requests.length - 1).map(namesIn);

describe('a rollback', () => {
  it('of the first turn takes its bundle too: the next turn tells everything once', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await rollBack(live, 1);
    await live.turn('two');
    expect(last(live)).toEqual([
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });

  it('leaves the mark of a turn that was stopped before it', async () => {
    const stop = new AbortController();
    const live = await LiveThread.in([
      () => {
        stop.abort();
        return yes();
      },
      yes(),
      yes(),
    ]);
    await live.turn('one', { signal: stop.signal });
    await live.turn('two');
    await rollBack(live, 1);
    await live.turn('three');
    expect(last(live).slice(2)).toEqual([
      ['user', 'one'],
      ['user', 'turn-aborted'],
      ['user', 'three'],
    ]);
  });

  it('takes back what was told for the turn, and history and baseline agree: a lasting change is told again', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ approvals: 'untrusted' });
    await live.turn('two');
    await live.turn('three');
    await rollBack(live, 2);
    await live.open();
    // The contract that holds is the one of the turn that is now the last.
    expect(live.thread.settings.approvals).toBe('on-request');
    await live.turn('four');
    await live.thread.overrideTurnContext({ approvals: 'untrusted' });
    await live.turn('five');
    expect(last(live).slice(2)).toEqual([
      ['user', 'one'],
      ['assistant', 'Yes.'],
      ['user', 'four'],
      ['assistant', 'Yes.'],
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'five'],
    ]);
  });

  it('beyond the first turn goes to the start; of no turn, or of none at all, changes nothing', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await rollBack(live, 0);
    await live.turn('two');
    await rollBack(live, 9);
    await rollBack(live, 1);
    await live.turn('three');
    expect([live.rows(1).length, last(live)]).toEqual([
      5,
      [
        ['developer', 'permissions'],
        ['user', 'environment'],
        ['user', 'three'],
      ],
    ]);
  });

  it('says that the request after it does not continue from the one before', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.turn('two');
    await rollBack(live, 1);
    await live.turn('three');
    expect(live.told('prefix-broken').map(({ breaks }) => breaks)).toEqual([
      [{ kind: 'rollback', tokens: expect.any(Number) }],
    ]);
  });
});

describe('a checkpoint', () => {
  const message = (text: string): JsonObject => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
  });
  const checkpoint = (lines: readonly Line[]) => [
    ...lines,
    { type: 'compacted', payload: { message: 'So far.', replacement_history: [message('one'), message('So far.')] } },
  ];

  it('that is rolled back leaves everything before it in its place, and what was told counts again', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.turn('two');
    await live.rewrite((lines) => {
      const start = { type: 'event_msg', payload: { type: 'task_started', turn_id: 'x' } };
      const words = { type: 'response_item', payload: message('three') };
      const end = { type: 'event_msg', payload: { type: 'task_complete', turn_id: 'x' } };
      const back = { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } };
      return [...lines, start, words, ...checkpoint([]), end, back];
    });
    await live.turn('four');
    expect(last(live)).toEqual([
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'one'],
      ['assistant', 'Yes.'],
      ['user', 'two'],
      ['assistant', 'Yes.'],
      ['user', 'four'],
    ]);
  });

  it('without its history is rebuilt, and everything is told behind it in the form of any other', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.rewrite((lines) => [...lines, { type: 'compacted', payload: { message: 'So far.' } }]);
    await live.turn('two');
    expect(last(live)).toEqual([
      ['user', 'one'],
      ['user', 'So far.'],
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });

  it('in a turn that was cut off clears the baseline; a turn that was only cut off does not', async () => {
    const cutOff = (lines: readonly Line[]) =>
      lines.slice(
        0,
        lines.findLastIndex(({ payload }) => payload['type'] === 'task_complete'),
      );
    const without = await LiveThread.in(yes);
    await without.turn('one');
    await without.rewrite(cutOff);
    await without.turn('two');
    expect(without.layout(1)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'turn-aborted'],
      ['user', 'two'],
    ]);
    const withOne = await LiveThread.in(yes);
    await withOne.turn('one');
    await withOne.rewrite((lines) => checkpoint(cutOff(lines)));
    await withOne.turn('two');
    expect(last(withOne)).toEqual([
      ['user', 'one'],
      ['user', 'So far.'],
      ['user', 'turn-aborted'],
      ['developer', 'permissions'],
      ['user', 'environment'],
      ['user', 'two'],
    ]);
  });
});
