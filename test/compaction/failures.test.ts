import { describe, expect, it, vi } from 'vitest';
import { answer, cutAfter, httpError, overflow, say, type ScriptStepOf } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { saysCheckpoint } from './summariser.ts';
import { calls, compacts, linesOf, long, requestKinds, says, saysLong, smallLimit, story, talk, task } from './talk.ts';

const signal = new AbortController().signal;
const later = { compactsAfterTurns: false };
const denied: ScriptStepOf = () => httpError({ status: 401, body: { error: { message: 'Sign in first.' } } });

function foldsIn(live: LiveThread): number {
  return requestKinds(live).filter((kind) => kind === 'checkpoint').length;
}

describe('no loops', () => {
  it('a limit that no checkpoint can get below is reported once, and nothing is asked', async () => {
    const steps = [...Array.from({ length: 4 }, () => calls('echo hello')), says('Done.')];
    const live = await LiveThread.in(talk(steps), 'model_auto_compact_token_limit = 1500');
    expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    expect(foldsIn(live)).toBe(0);
    expect(live.told('warning')).toEqual([
      {
        kind: 'warning',
        outcome: {
          code: 'limit-too-low',
          message: expect.stringMatching(
            /limit of 1,500 tokens: instructions and tools take about [\d,]+ tokens, the context about/,
          ),
          // Paths weigh a little more or less.
          next: expect.stringMatching(/set `model_auto_compact_token_limit = [78]000`/),
        },
      },
    ]);
  });

  it('with a limit just above that, work is done between two checkpoints', async () => {
    const steps = [...Array.from({ length: 12 }, () => calls('echo hello')), says('Done.')];
    const live = await LiveThread.in(talk(steps), 'model_auto_compact_token_limit = 3000');
    await live.turn(task);
    const kinds = requestKinds(live).join(' ');
    expect(kinds).not.toMatch(/checkpoint step checkpoint/);
  });

  it('an answer that frees no space is refused, whatever it says, and code takes its place', async () => {
    const compaction = () =>
      saysCheckpoint(JSON.stringify({ intent_user_message: long, summary: `${long}\nRESUME_AT: here` }));
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')], compaction), smallLimit);
    await live.open({}, later);
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    const after = live.told('checkpoint-installed').map(({ report }) => report.tokensAfter < 15_000);
    expect(after).toEqual([true]);
  });
});

describe('a compaction that fails', () => {
  it('before a turn does not lose the message; the second in a row is the last, and says so', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')], denied), smallLimit);
    await live.open({}, later);
    await live.turn(task);
    for (const words of ['two', 'three', 'four', 'five']) {
      expect(await live.turn(words)).toMatchObject({ kind: 'completed', lastMessage: 'Yes.' });
      expect(live.rows(live.model.requests.length - 1).at(-1)).toEqual(['user', words]);
    }
    const started = 'checkpoint-started auto context_limit pre_turn';
    expect(story(live)).toEqual([
      'turn-started',
      'turn-completed',
      'turn-started',
      started,
      'checkpoint-failed unauthorized',
      'turn-completed',
      'turn-started',
      started,
      'checkpoint-failed unauthorized paused',
      'turn-completed',
      'turn-started',
      'turn-completed',
      'turn-started',
      'turn-completed',
    ]);
    expect(live.thread.state.checkpoints).toMatchObject({ count: 0, failures: 2 });
  });

  it('the pause outlasts the process, holds after turns and after an overflow, and ends with a checkpoint by hand', async () => {
    let isDenied = true;
    const compaction: ScriptStepOf = (request) => (isDenied ? denied(request) : compacts(request));
    const live = await LiveThread.in(
      talk([saysLong(), says('Yes.'), overflow('status'), saysLong(), says('Yes.')], compaction),
      smallLimit,
    );
    await live.turn(task);
    // Once after the first turn, once before the second.
    await live.turn('two');
    expect(foldsIn(live)).toBe(2);
    await live.open();
    expect(await live.turn('three')).toEqual({
      kind: 'failed',
      outcome: expect.objectContaining({
        code: 'context-window-exceeded',
        next: expect.stringMatching(
          /about 2\d,\d{3} tokens by Capstan's estimate; the effective window of gpt-5\.5 is 258,400\.[^]*capstan threads compact/,
        ),
      }),
    });
    expect([foldsIn(live), live.thread.state.checkpoints.failures]).toEqual([2, 2]);
    isDenied = false;
    expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed' });
    expect(live.thread.state.checkpoints).toMatchObject({ count: 1, failures: 0 });
    await live.turn('four');
    await vi.waitUntil(() => live.thread.state.checkpoints.count === 2, { timeout: 20_000 });
    expect(live.told('checkpoint-failed').filter(({ paused }) => paused)).toHaveLength(1);
  });

  it.each([
    ['a network that is gone', cutAfter({ bytes: 0, of: says('') as ReturnType<typeof answer> }), 'connection-failed'],
    ['a quota that is used up', httpError({ status: 402, body: { error: { message: 'Pay.' } } }), 'usage-limit'],
  ])('%s says nothing about the next one', async (_name, step, code) => {
    let isOut = true;
    const compaction: ScriptStepOf = (request) => (isOut ? step : compacts(request));
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')], compaction), smallLimit);
    const retries = ['stream_max_retries', 'request_max_retries'].map((key) => `model_providers.scripted.${key}=0`);
    await live.open({ config: retries }, later);
    for (const words of [task, 'two', 'three', 'four']) await live.turn(words);
    const failed = live.told('checkpoint-failed').map(({ outcome, paused }) => `${outcome.code} ${paused}`);
    expect(failed).toEqual(Array(3).fill(`${code} false`));
    isOut = false;
    await live.turn('five');
    expect(live.thread.state.checkpoints).toMatchObject({ count: 1, failures: 0 });
  });

  it('one that worked in between begins the count anew', async () => {
    const outcomes = [denied, compacts, denied, compacts];
    const live = await LiveThread.in(
      talk([saysLong()], (request) => outcomes.shift()!(request)),
      smallLimit,
    );
    await live.open({}, later);
    for (const words of [task, 'two', 'three', 'four', 'five']) await live.turn(words);
    expect([foldsIn(live), live.thread.state.checkpoints]).toMatchObject([4, { count: 2, failures: 0 }]);
  });
});

it('an overflow is forgotten when a request was answered, also where no provider counts', async () => {
  const form = overflow('status');
  const live = await LiveThread.in(talk([saysLong(), form, form, says('Yes.')], denied));
  await live.turn(task);
  expect(await live.turn('two')).toMatchObject({ kind: 'failed' });
  expect(await live.turn('three')).toMatchObject({ kind: 'failed' });
  await live.open();
  for (const words of ['four', 'five']) expect(await live.turn(words)).toMatchObject({ kind: 'completed' });
  const [, last] = live.told('usage').slice(-2);
  expect([last!.tokens < 60_000, last!.percentRemaining > 70]).toEqual([true, true]);
});

it('a count of long ago is no measure of a thread that is no longer counted', async () => {
  const live = await LiveThread.in(
    talk([answer({ items: [say('One.')], usage: { input: 1500, total: 1510 } }), saysLong(), says('Three.')]),
    smallLimit,
  );
  await live.open({}, later);
  for (const words of [task, 'two', 'three']) await live.turn(words);
  expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
});

it('what is left is reported anew after a checkpoint, and its cost counts in the total of the thread', async () => {
  const usage = { input: 30_000, cachedInput: 20_000, output: 900, total: 30_900 };
  const compaction: ScriptStepOf = (request) => ({ ...(compacts(request) as ReturnType<typeof answer>), usage });
  const counted = { input: 1500, output: 26_000, total: 27_500 };
  const live = await LiveThread.in(
    talk(
      [
        answer({ items: [say(long)], usage: counted }),
        answer({ items: [say('Yes.')], usage: { input: 2000, total: 2010 } }),
      ],
      compaction,
    ),
    `model_context_window = 60000\n${smallLimit}`,
  );
  await live.open({}, later);
  await live.turn(task);
  await live.turn('Go on.');
  const [before, after] = live.told('usage');
  expect([before, after]).toMatchObject([
    // Three tokens of reasoning are not sent again.
    { tokens: 27_497, total: { total: 27_500 } },
    { tokens: 2007, total: { input: 1500 + 30_000 + 2000, total: 27_500 + 30_900 + 2010 } },
  ]);
  expect(after!.percentRemaining > before!.percentRemaining).toBe(true);
  expect(live.thread.state.checkpoints.spent).toMatchObject({ input: 30_000, cachedInput: 20_000, total: 30_900 });
  const counts = linesOf(live, 'token_count').map(({ payload }) => {
    const { total_token_usage: total, last_token_usage: last } = payload['info'] as Record<
      string,
      Record<string, number>
    >;
    return [total!['total_tokens'], last!['total_tokens']];
  });
  const [, , [, afterwards] = []] = counts;
  expect(counts).toEqual([
    [27_500, 27_500],
    [58_400, 27_500],
    [58_400, afterwards],
    [60_410, 2010],
  ]);
  expect([afterwards! > 0, afterwards! < 5000]).toEqual([true, true]);
  expect(live.told('turn-completed').at(-1)?.usage.total).toBe(60_410);
});

it('what was spent before an interruption is not forgotten', async () => {
  const interrupt = new AbortController();
  let asked = 0;
  const compaction: ScriptStepOf = () => {
    if (asked++ === 0) return saysCheckpoint('no JSON at all');
    interrupt.abort();
    return says('');
  };
  const live = await LiveThread.in(talk([saysLong()], compaction));
  await live.turn(task);
  expect(await live.thread.compact({ signal: interrupt.signal })).toEqual({ kind: 'aborted' });
  await live.open();
  expect(live.thread.state.checkpoints).toMatchObject({ count: 0, failures: 0, spent: { input: 100, output: 10 } });
});
