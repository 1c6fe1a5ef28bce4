import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { linesOf, requestKinds, says, saysLong, smallLimit, talk, task } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';

const turn = (text: string) => ({ input: words(text), signal: new AbortController().signal });
const modelsOf = ({ model }: LiveThread) => model.requests.map(({ body }) => body['model']);

describe('a turn that waits', () => {
  it('leaves the newer settings to resume, also when the file is cut right behind its own record', async () => {
    const live = await LiveThread.in(() => says('Yes.'));
    await live.open();
    const waiting = [live.thread.run(turn('one')), live.thread.run(turn('two'))];
    await live.thread.overrideTurnContext({ model: 'gpt-5.4' });
    await Promise.all(waiting);
    expect(modelsOf(live)).toEqual(['gpt-5.5', 'gpt-5.5']);
    await live.close();
    // For other readers the newest line counts: it is the thread's, not the turn's.
    const told = live.place
      .lines()
      .filter(({ type, payload }) => type === 'turn_context' || payload['type'] === 'thread_settings_applied')
      .map(({ payload }) => payload['model'] ?? (payload['thread_settings'] as { model: string }).model);
    expect(told.at(-1)).toBe('gpt-5.4');
    await live.rewrite((lines) => lines.slice(0, lines.findLastIndex(({ type }) => type === 'turn_context') + 1));
    await live.open();
    expect(live.thread.settings.model).toBe('gpt-5.4');
  });

  it('is outdone by nothing that was refused', async () => {
    const live = await LiveThread.in(() => says('Yes.'));
    await live.open();
    const [ran, refused] = await Promise.all([
      live.thread.run(turn('one')),
      live.thread.runWith({ model: 7 as never }, turn('two')),
    ]);
    expect([ran, refused]).toMatchObject([{ kind: 'completed' }, { kind: 'refused' }]);
    expect(linesOf(live, 'turn_context').map(({ payload }) => payload['capstan'])).toEqual([
      expect.not.objectContaining({ outdated: true }),
    ]);
  });

  it('does not keep the refusal of a later one waiting', async () => {
    let answered: (() => void) | undefined;
    const live = await LiveThread.in(async () => {
      await new Promise<void>((resolve) => (answered = resolve));
      return says('Yes.');
    });
    await live.open();
    const one = live.thread.run(turn('one'));
    await live.model.request(0);
    expect(await live.thread.runWith({ model: 7 as never }, turn('two'))).toMatchObject({ kind: 'refused' });
    answered?.();
    await one;
    expect(live.model.requests).toHaveLength(1);
  });
});

it('the compaction after a turn runs under the settings of that turn', async () => {
  const live = await LiveThread.in(talk([saysLong(), says('Yes.')]), smallLimit);
  await live.open();
  const one = live.thread.run(turn(task));
  const changed = live.thread.overrideTurnContext({ model: 'gpt-5.4' });
  await Promise.all([one, changed]);
  await live.thread.run(turn('two'));
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
  expect(modelsOf(live)).toEqual(['gpt-5.5', 'gpt-5.5', 'gpt-5.4']);
});

it('compactions that wait for the end of a turn are made at their own places: one for all under the same settings', async () => {
  const signal = new AbortController().signal;
  const results: Promise<unknown>[] = [];
  const live: LiveThread = await LiveThread.in(
    talk([
      () => {
        results.push(live.thread.compact({ signal }), live.thread.compact({ signal }));
        results.push(live.thread.runWith({ model: 'gpt-5.4' }, turn('two')), live.thread.compact({ signal }));
        return saysLong();
      },
      saysLong(),
    ]),
    '',
  );
  await live.turn(task);
  const made = await Promise.all(results);
  expect(made).toMatchObject([
    { kind: 'installed', report: { number: 1, model: 'gpt-5.5', phase: 'standalone_turn' } },
    { kind: 'installed', report: { number: 1 } },
    { kind: 'completed' },
    { kind: 'installed' },
  ]);
});
