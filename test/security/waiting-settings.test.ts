// @module-tag attack
import { describe, expect, it } from 'vitest';
import { compacts, linesOf, says, saysLong, smallLimit, talk, task } from '../compaction/talk.ts';
import { TwoProviders } from '../compaction/two-providers.ts';
import { killedNow } from '../harness/killed-now.ts';
import { LiveThread } from '../harness/live-thread.ts';
import type { ScriptStepOf } from '../../src/testing/index.ts';

const later = { compactsAfterTurns: false };
const wide = { config: ['sandbox_mode=workspace-write'] };
const narrow = { config: ['sandbox_mode=read-only', 'model=gpt-5.4'] };

const contextOf = (live: LiveThread) => linesOf(live, 'turn_context').at(-1)!.payload;

describe('a read-only turn that is killed in the compaction before it', () => {
  /** The thread as the kill left it, and not opened. */
  async function killed(): Promise<LiveThread> {
    let kill: ReturnType<typeof killedNow> | undefined;
    const compaction: ScriptStepOf = (request) => {
      kill = killedNow(live);
      return compacts(request);
    };
    const live: LiveThread = await LiveThread.in(talk([saysLong(), says('Yes.')], compaction), smallLimit);
    await live.open(wide, later);
    await live.turn(task);
    await live.open(narrow, later);
    await live.turn('Only look, change nothing.');
    await kill!.back(live);
    return live;
  }

  it('leaves words that run in no wider sandbox, and with the same model', async () => {
    const live = await killed();
    await live.open({}, later);
    expect(live.thread.state.waiting).toHaveLength(1);
    await live.turn('Continue.');
    expect(contextOf(live)).toMatchObject({ model: 'gpt-5.4', sandbox_policy: { type: 'read-only' } });
  });

  it('is listed with the settings that it had', async () => {
    const live = await killed();
    const turns = await (await live.engine()).stored.turns(live.id);
    expect(turns.map(({ model, sandbox, status }) => [model, sandbox, status])).toEqual([
      ['gpt-5.5', 'workspace-write', 'completed'],
      ['gpt-5.4', 'read-only', 'open'],
    ]);
  });
});

it(
  'words that wait under the settings that the thread has anyway bring no line about them',
  { tags: 'representative' },
  async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
    await live.open(narrow, later);
    await live.turn(task);
    const before = linesOf(live, 'thread_settings_applied').length;
    await live.open({}, later);
    await live.turn('Go on.');
    expect(linesOf(live, 'capstan_waiting')).toHaveLength(1);
    expect(linesOf(live, 'thread_settings_applied')).toHaveLength(before);
  },
);

it('a turn that is interrupted while the provider before makes its checkpoint readable leaves its settings to resume', async () => {
  const stop = new AbortController();
  const both = await TwoProviders.set({
    maker: () => {
      stop.abort();
      return says('Too late.');
    },
  });
  await both.withCheckpoints();
  await both.forgetBehind();
  const { live } = both;
  await both.openWith('scripted', 'small', ['sandbox_mode=read-only']);
  expect(await live.turn('Only look.', { signal: stop.signal })).toMatchObject({ kind: 'aborted' });
  await live.close();
  const engine = await live.engine();
  expect((await engine.stored.turns(live.id)).at(-1)).toMatchObject({ model: 'small', sandbox: 'read-only' });
  await live.open();
  expect(live.thread.settings).toMatchObject({ model: 'small', provider: 'scripted' });
});
