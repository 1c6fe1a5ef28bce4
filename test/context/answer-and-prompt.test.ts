import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, say } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { LiveThread } from '../harness/live-thread.ts';

const outputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

describe('the answer of a turn with a schema', () => {
  it.each([
    ['{"name": "Ada"}', undefined],
    ['{"name": 7}', 'answer.name must be string, not number.'],
    ['Her name is Ada.', 'It is not JSON.'],
  ])('%s', async (text, problem) => {
    const live = await LiveThread.in(() => answer({ items: [say(text)] }));
    const result = await live.turn('Who?', { outputSchema });
    const warnings = live.told('warning').map(({ outcome }) => outcome);
    const unfit = {
      code: 'answer-unfit',
      message: `The answer does not match the output schema. ${problem}`,
      next: expect.any(String) as unknown,
    };
    expect(warnings).toEqual(problem === undefined ? [] : [unfit]);
    expect(result).toEqual({ kind: 'completed', lastMessage: text, ...(problem === undefined ? {} : { unfit }) });
    const kinds = live.events.map(({ kind }) => kind);
    expect(kinds.indexOf('warning')).toBeLessThan(kinds.indexOf('turn-completed'));
  });

  it('is not checked in a turn without one', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Ada.')] }));
    await live.turn('Who?', { outputSchema });
    expect(await live.turn('Who?')).toEqual({ kind: 'completed', lastMessage: 'Ada.' });
  });
});

describe('a prompt that is larger than the window', () => {
  const small = 'model_context_window = 20000';
  const long = 'word '.repeat(30_000);

  it('is refused before anything is sent or recorded, with the numbers, and the thread can be resumed', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }), small);
    await live.turn('one');
    const lines = live.place.lines();
    const result = await live.turn(long);
    expect(result).toMatchObject({
      kind: 'failed',
      outcome: {
        code: 'prompt-too-long',
        message: expect.stringMatching(
          /^The prompt is too long: it has about \d\d,\d{3} tokens, and the window of gpt-5\.5 has space for [\d,]+ \(19,000 /,
        ),
      },
    });
    expect(live.told('turn-failed')).toHaveLength(1);
    expect([live.place.lines(), live.model.requests.length]).toEqual([lines, 1]);
    expect(await live.turn('two')).toMatchObject({ kind: 'completed' });
    await live.open();
    expect(live.thread.state.openTurn).toBeUndefined();
  });

  it('is refused as the first one, too', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }), small);
    expect(await live.turn(long)).toMatchObject({ kind: 'failed', outcome: { code: 'prompt-too-long' } });
    expect(live.model.requests).toEqual([]);
    expect(await live.turn('two')).toMatchObject({ kind: 'completed' });
  });

  it('cannot steer a turn either', async () => {
    const live: LiveThread = await LiveThread.in(async () => {
      expect(await live.thread.steer({ input: words(long) })).toMatchObject({ outcome: { code: 'prompt-too-long' } });
      return answer({ items: [say('Yes.')] });
    }, small);
    expect(await live.turn('one')).toMatchObject({ kind: 'completed' });
    expect(live.model.requests).toHaveLength(1);
  });
});

it('a prompt that fits only after a compaction is sent', async () => {
  const live = await LiveThread.in(
    (request) =>
      isCompaction(request)
        ? answer({ items: [say('nothing of use')], usage: 'none' })
        : answer({ items: [say('word '.repeat(4000))], usage: 'none' }),
    'model_context_window = 30000',
  );
  await live.open({}, { compactsAfterTurns: false });
  await live.turn('one');
  expect(await live.turn('word '.repeat(17_000))).toMatchObject({ kind: 'completed' });
});
