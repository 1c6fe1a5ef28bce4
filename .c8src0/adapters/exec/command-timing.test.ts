import { expect, test } from 'vitest';
import { createPauseTracker } from '../tools/exec-command.ts';
import { startStopwatch } from './command-timing.ts';

test('time in which the user is asked does not count', async () => {
  let now = 1000;
  const pausing = createPauseTracker();
  const watch = startStopwatch({ now: () => now }, pausing);
  now += 50;
  const { promise, resolve } = Promise.withResolvers<void>();
  const waited = pausing.during(promise);
  now += 20_000;
  expect(watch.elapsed()).toBe(50);
  resolve();
  await waited;
  now += 7;
  expect(watch.elapsed()).toBe(57);
  watch.end();
});
