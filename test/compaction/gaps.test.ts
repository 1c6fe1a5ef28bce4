import { describe, expect, it } from 'vitest';
import { type AboutCheckpoint, type CheckpointReport } from '../../src/index.ts';
import { answer, cutAfter, httpError, say, type ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';
import { linesOf, requestKinds, says, saysLong, smallLimit, story, talk, task } from './talk.ts';
import { variedTurns } from './varied-turns.ts';

// Tests of the gaps of Codex in compaction, listed in test/gaps.md, that no other suite covers.

const later = { compactsAfterTurns: false };
const { signal } = new AbortController();

describe('a compaction that fails before a turn', () => {
  const refused = httpError({ status: 401, body: { error: { message: 'Sign in first.' } } });

  it('loses no message, is asked for once, ends visibly, and is not tried for ever', async () => {
    const live = await LiveThread.in(
      talk([saysLong(), says('One.'), says('Two.'), says('Three.')], () => refused),
      smallLimit,
    );
    await live.open({}, later);
    await live.turn(task);
    for (const [words, lastMessage] of [
      ['First.', 'One.'],
      ['Second.', 'Two.'],
      ['Third.', 'Three.'],
    ] as const) {
      expect(await live.turn(words)).toMatchObject({ kind: 'completed', lastMessage });
      expect(live.rows(live.model.requests.length - 1).at(-1)).toEqual(['user', words]);
    }
    expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step', 'checkpoint', 'step', 'step']);
    const started = 'checkpoint-started auto context_limit pre_turn';
    expect(story(live).slice(2)).toEqual([
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
    ]);
    expect(linesOf(live, 'capstan_compaction').map(({ payload }) => [payload['trigger'], payload['requests']])).toEqual(
      [
        ['auto', 1],
        ['auto', 1],
      ],
    );
  });
});

it('nothing of an answer that broke off, or could not be used, enters history', async () => {
  const broken: readonly ScriptStep[] = [
    cutAfter({ bytes: 900, of: answer({ items: [say(`Half a summary. ${'x'.repeat(2000)}`)], deltas: true }) }),
    answer({ items: [say('Not what was asked for.')] }),
    saysCheckpoint(checkpointText(task, [task])),
  ];
  let asked = 0;
  const live = await LiveThread.in(talk([saysLong(), says('Yes.')], () => broken[asked++]!));
  await live.turn(task);
  expect(await live.thread.compact({ signal })).toMatchObject({ kind: 'installed', report: { requests: 3 } });
  await live.turn('Go on.');
  const texts = live
    .rows(live.model.requests.length - 1)
    .flat()
    .join('\n');
  expect(texts).toContain('Half of it is done.');
  expect(texts).not.toMatch(/Half a summary|Not what was asked for/);
  expect(linesOf(live, 'message').filter(({ payload }) => JSON.stringify(payload).includes('Not what'))).toEqual([]);
});

describe('a provider that compacts by itself', () => {
  const sealed = { type: 'compaction', encrypted_content: 'c2VhbGVk' };
  const counted = { input: 5000, cachedInput: 4000, output: 70, reasoningOutput: 0, total: 5070 };
  const open = () =>
    variedTurns({
      auth: 'api-key',
      compacts: true,
      overrides: ['compaction.strategy="remote"'],
      checkpoint: answer({ items: [sealed], usage: counted }),
    });

  it('is counted in the total of the thread', async () => {
    const live = await open();
    const before = live.thread.state.usage.total.total;
    expect(await live.thread.compact({ signal })).toMatchObject({
      report: { strategy: 'remote', usage: { total: 5070 }, cachedShare: 0.8 },
    });
    expect(live.thread.state.usage.total.total - before).toBe(5070);
  });

  it('takes no focus, so a model is asked when there is one', async () => {
    const live = await open();
    await live.thread.compact({ signal, focus: 'the migration notes' });
    const asked = live.model.requests.filter(isCompaction);
    expect(JSON.stringify(asked[0]?.body['input'])).toContain('the migration notes');
  });
});

describe('a hook', () => {
  it('learns why, where and with which wish, and what came of it', async () => {
    const told: unknown[] = [];
    const live = await LiveThread.in(talk([saysLong()]));
    await live.open(
      {},
      {
        checkpointHooks: {
          before: async (about: AboutCheckpoint) => void told.push(about),
          after: async ({ strategy, number }: CheckpointReport) => void told.push({ strategy, number }),
        },
      },
    );
    await live.turn(task);
    await live.thread.compact({ signal, focus: 'numbers' });
    expect(told).toEqual([
      {
        threadId: live.thread.id,
        turnId: expect.any(String),
        cwd: live.place.workspace,
        trigger: 'manual',
        reason: 'user_requested',
        phase: 'standalone_turn',
        focus: 'numbers',
      },
      { strategy: 'structured', number: 1 },
    ]);
  });

  it('may stop it with a reason, which the user is shown', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
    const checkpointHooks = { before: () => Promise.resolve({ reason: 'The release is being cut.' }) };
    await live.open({}, { ...later, checkpointHooks });
    await live.turn(task);
    expect(await live.thread.compact({ signal })).toMatchObject({
      kind: 'failed',
      outcome: { code: 'stopped-by-hook', message: 'A hook stopped the compaction: The release is being cut.' },
    });
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    expect(requestKinds(live)).toEqual(['step', 'step']);
    expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['stopped-by-hook']);
  });
});
