import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type JsonObject, valueAt } from '../../src/protocol/json.ts';
import { answer, overflow, overflowForms, say, type ScriptStep } from '../../src/testing/index.ts';
import type { Steered } from '../../src/engine/thread/client-input.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { calls, linesOf, requestKinds, says, saysLong, story, talk, task } from '../compaction/talk.ts';

const names = (window: number, form: (typeof overflowForms)[number] = 'status'): ScriptStep =>
  overflow(form, { tokens: window + 1000, window });

/** The effective window in the newest usage. */
const effective = (live: LiveThread): number => live.told('usage').at(-1)!.effectiveWindow;
const warnings = (live: LiveThread): readonly string[] => live.told('warning').map(({ outcome }) => outcome.code);

async function learned(window = 20_000, ...more: readonly ScriptStep[]): Promise<LiveThread> {
  const live = await LiveThread.in(talk([saysLong(), names(window), says('Done.'), ...more, says('More.')]));
  await live.turn(task);
  await live.turn('Go on.');
  return live;
}

describe('the window that a server names in its refusal', () => {
  test.each(overflowForms.filter((form) => form !== 'incomplete'))('is learned, as %s', async (form) => {
    const live = await LiveThread.in(talk([saysLong(), names(20_000, form), says('Done.')]));
    await live.turn(task);
    const from = live.events.length;
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed' });
    expect(story(live, from)).toEqual([
      'turn-started',
      'warning window-learned',
      'checkpoint-started auto context_overflow mid_turn',
      'checkpoint-installed',
      'turn-completed',
    ]);
    // 95 % of it, as of every window of this model.
    expect(effective(live)).toBe(19_000);
  });

  test('holds in the thread from then on, in every process, and is reported once', async () => {
    const live = await learned();
    await live.open();
    await live.turn('And on.');
    await live.thread.compact({ signal: new AbortController().signal });
    await live.open();
    await live.turn('And on again.');
    expect([effective(live), warnings(live)]).toEqual([19_000, ['window-learned']]);
    const started = linesOf(live, 'task_started').map(({ payload }) => payload['model_context_window']);
    expect(started).toEqual([258_400, 258_400, 19_000, 19_000, 19_000]);
    await live.close();
    expect((await live.place.run('context', live.id)).stdout).toMatch(/^effective +19,000 /m);
  });

  test('binds the rest of the turn, whose contract stays as it was when the turn began', async () => {
    let steered: Promise<Steered> | undefined;
    const steers = (): ScriptStep => {
      steered = live.thread.steer({ input: { author: 'user', text: 'word '.repeat(30_000), images: [] } });
      return says('Done.');
    };
    const live = await LiveThread.in(talk([saysLong(), names(20_000), steers, says('More.')]));
    await live.turn(task);
    await live.turn('Go on.');
    expect(await steered).toMatchObject({ kind: 'refused', outcome: { code: 'prompt-too-long' } });
    const recorded = (): unknown => valueAt(live.thread.state.envelope!, ['window', 'effective']);
    expect(recorded()).toBe(258_400);
    await live.turn('And on.');
    expect(recorded()).toBe(19_000);
  });

  test('is kept by a rollback of the turn that was refused, and by its undo', async () => {
    const live = await learned();
    const { id } = live;
    await live.close();
    const engine = await live.engine();
    expect(await engine.stored.rollback(id, { turns: 1 })).toMatchObject({ kind: 'rolled-back' });
    const windows = async () => {
      await live.open();
      const { limits } = live.thread.state;
      await live.close();
      return limits.flatMap(({ named }) => named ?? []);
    };
    const kept = [{ tokens: 20_000, assumed: expect.any(Number) }];
    expect(await windows()).toEqual(kept);
    expect(await engine.stored.undoRollback(id, { force: false })).toMatchObject({ kind: 'rollback-undone' });
    expect(await windows()).toEqual(kept);
  });

  test('frees space before the next request that would not fit', async () => {
    const live = await learned(20_000, saysLong());
    await live.open({}, { compactsAfterTurns: false });
    await live.turn('Write much.');
    const from = live.events.length;
    await live.turn('And on.');
    expect(story(live, from)).toEqual([
      'turn-started',
      'checkpoint-started auto context_limit pre_turn',
      'checkpoint-installed',
      'turn-completed',
    ]);
  });

  test('is suggested in a form that can be pasted into the configuration', async () => {
    const live = await learned();
    const { next } = live.told('warning')[0]!.outcome;
    const [, line = ''] = /`([^`]+)`/.exec(next) ?? [];
    expect(line).toBe('model_context_window = 20000');
    await live.close();
    const home = join(live.place.home, 'other');
    mkdirSync(home);
    writeFileSync(join(home, 'config.toml'), `${line}\n`);
    const engine = await live.engine({ env: { PATH: process.env['PATH'], CAPSTAN_HOME: home } });
    expect(engine.notices).toEqual([]);
    const opened = await engine.start({ listener: () => {}, cwd: live.place.workspace });
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    expect(opened.thread.settings.window?.contextWindow).toBe(20_000);
    await opened.thread.close();
  });

  test('counts until something else is configured', async () => {
    const live = await learned();
    await live.open({ config: ['model_context_window=100000'] });
    await live.turn('And on.');
    expect(effective(live)).toBe(95_000);
    await live.open();
    await live.turn('And back.');
    expect([effective(live), warnings(live)]).toEqual([19_000, ['window-learned']]);
  });

  test('is learned in the first turn of a thread, too, and nothing else of its contract changes', async () => {
    const live = await LiveThread.in(talk([names(20_000), says('Done.')]));
    await live.turn(`${task} ${'internationalisation '.repeat(3000)}`);
    expect([effective(live), warnings(live)]).toEqual([19_000, ['window-learned']]);
    expect(live.told('prefix-broken').map(({ breaks }) => breaks.map(({ kind }) => kind))).toEqual([['checkpoint']]);
    await live.turn('Go on.');
    const contexts = linesOf(live, 'turn_context').map(({ payload }) => (payload['capstan'] as JsonObject)['envelope']);
    const { groups } = contexts[1] as { groups: JsonObject };
    expect(Object.keys(groups).toSorted()).toEqual(['telemetry', 'window']);
  });

  test('is of one model alone', async () => {
    const live = await learned();
    await live.thread.overrideTurnContext({ model: 'gpt-5.4' });
    await live.turn('And on.');
    expect(effective(live)).toBeGreaterThan(19_000);
    await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
    await live.turn('And back.');
    expect(effective(live)).toBe(19_000);
  });

  test('is learned from a refused request for a checkpoint, too', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Done.')], () => names(20_000)));
    await live.turn(task);
    expect(await live.thread.compact({ signal: new AbortController().signal })).toMatchObject({ kind: 'installed' });
    expect(warnings(live)).toEqual(['window-learned']);
    await live.turn('And on.');
    expect(effective(live)).toBe(19_000);
  });

  test.each([
    ['smaller', 15_000, 14_250],
    ['larger', 30_000, 28_500],
  ])('is the newest one, when the server names a %s one', async (_, window, used) => {
    const live = await learned(20_000, names(window));
    await live.turn(`Read this: ${'internationalisation '.repeat(1000)}`);
    expect([effective(live), warnings(live)]).toEqual([used, ['window-learned', 'window-learned']]);
  });

  test('is forgotten when more than that is answered', async () => {
    const large = answer({ items: [say('Done.')], usage: { input: 30_000 } });
    const live = await learned(20_000, large);
    await live.turn(`Read this: ${'internationalisation '.repeat(2800)}`);
    await live.turn('And on.');
    expect(effective(live)).toBe(258_400);
  });
});

describe('a window is not learned', () => {
  test.each([
    ['that is no smaller than the one in use', 258_400],
    ['that no model has', 1000],
  ])('%s', async (_, window) => {
    const live = await learned(window);
    expect([effective(live), warnings(live)]).toEqual([258_400, []]);
  });

  test('that would leave no space for a conversation: the user is warned instead', async () => {
    const live = await learned(4096);
    expect([effective(live), warnings(live)]).toEqual([258_400, ['window-too-small']]);
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
  });

  test('that is smaller than a request that was answered', async () => {
    const counted = answer({ items: [say('word '.repeat(25_000))], usage: { input: 1500, output: 25_000 } });
    const second = answer({ items: [say('Yes.')], usage: { input: 26_000 } });
    const live = await LiveThread.in(talk([counted, second, names(20_000), says('Done.')]));
    for (const text of [task, 'Go on.', 'And on.']) await live.turn(text);
    expect([effective(live), warnings(live)]).toEqual([258_400, []]);
  });
});

test('a file that claims a window can narrow it, and not below what a conversation needs', async () => {
  const live = await LiveThread.in(talk([says('Yes.')]));
  await live.turn(task);
  const claims = (named: unknown) => ({
    type: 'capstan_step',
    payload: {
      provider: 'scripted',
      model: 'gpt-5.5',
      outcome: 'failed',
      named_window: named,
      assumed_window: 258_400,
    } as JsonObject,
  });
  const windows: number[] = [];
  for (const named of [10_000_000, 'all', 5000, 1, -1, 1e300, 12_000]) {
    await live.rewrite((lines) => [...lines, claims(named)]);
    await live.open();
    await live.turn('Go on.');
    windows.push(effective(live));
  }
  expect(windows).toEqual([258_400, 258_400, 258_400, 258_400, 258_400, 258_400, 11_400]);
});

test('a window that is named while a turn that runs is compacted by hand counts at once', async () => {
  const { signal } = new AbortController();
  let wished: Promise<unknown> | undefined;
  const wish = () => {
    wished = live.thread.compact({ signal });
    return calls('echo hi');
  };
  const refuses = () => overflow('status', { tokens: 21_000, window: 20_000 });
  const live = await LiveThread.in(talk([saysLong(), wish, says('Done.')], refuses));
  await live.turn(task);
  await live.turn('Go on.');
  await wished;
  expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['window-learned']);
});
