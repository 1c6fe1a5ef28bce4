import { expect, test } from 'vitest';
import { answer, callTool, say, type StepOf } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { notes } from './adversary/transcripts.ts';
import { folds, linesOf, requestKinds, talk, task } from './talk.ts';

/** A provider that counts more than is there, by as much as it likes. */
function liar(steps: number, counts: (step: number) => number): readonly StepOf[] {
  return Array.from({ length: steps }, (_, step): StepOf => () => {
    const call = step === steps - 1 ? [] : [callTool('exec_command', { cmd: `echo ${step}` })];
    return answer({ items: [say(notes(step, 800)), ...call], usage: { input: counts(step) } });
  });
}

test.each<readonly [string, (step: number) => number]>([
  ['a constant', (step) => 40_000 + 500 * step],
  ['more and more', (step) => 20_000 * (step + 1)],
  ['nonsense', (step) => (step % 2 === 0 ? 10_000_000 : 21_000)],
])('a provider that counts %s too much gets one checkpoint and one warning', async (_, counts) => {
  const live = await LiveThread.in(talk(liar(20, counts), folds), 'model_auto_compact_token_limit = 20000');
  expect(await live.turn(task)).toMatchObject({ kind: 'completed' });
  expect(requestKinds(live).filter((kind) => kind === 'fold').length).toBeLessThanOrEqual(1);
  const warnings = live.told('warning').filter(({ outcome }) => /after-checkpoint|too-low/.test(outcome.code));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.outcome.next).toMatch(/model_context_window = \d+|model_auto_compact_token_limit/);
});

test('another process keeps to it', async () => {
  const live = await LiveThread.in(
    talk(
      liar(40, () => 60_000),
      folds,
    ),
    'model_auto_compact_token_limit = 20000',
  );
  await live.turn(task);
  await live.open();
  await live.turn('Go on.');
  await live.open();
  await live.turn('Go on again.');
  expect(linesOf(live, 'compacted').length).toBeLessThanOrEqual(1);
});
