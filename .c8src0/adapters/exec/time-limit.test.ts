import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPauseTracker } from '../tools/exec-command.ts';
import { startTimeLimit } from './command-timing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Something that is waited for, and its end. */
function wait(pausing: ReturnType<typeof createPauseTracker>): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const waited = pausing.during(promise);
  return () => (resolve(), waited);
}

test('pauses do not count, also where they overlap', async () => {
  const pausing = createPauseTracker();
  const reached = vi.fn<() => void>();
  startTimeLimit(100, pausing, reached);
  vi.advanceTimersByTime(60);
  const [one, other] = [wait(pausing), wait(pausing)];
  vi.advanceTimersByTime(1000);
  await one();
  vi.advanceTimersByTime(1000);
  await other();
  vi.advanceTimersByTime(39);
  expect(reached).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(reached).toHaveBeenCalledOnce();
});

test('a limit that starts in a pause begins with its end', async () => {
  const pausing = createPauseTracker();
  const reached = vi.fn<() => void>();
  const end = wait(pausing);
  startTimeLimit(100, pausing, reached);
  vi.advanceTimersByTime(1000);
  await end();
  vi.advanceTimersByTime(99);
  expect(reached).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(reached).toHaveBeenCalledOnce();
});

test('a limit that is ended is never reached, whatever pauses follow', async () => {
  const pausing = createPauseTracker();
  const reached = vi.fn<() => void>();
  const end = startTimeLimit(100, pausing, reached);
  end();
  await wait(pausing)();
  vi.advanceTimersByTime(1000);
  expect(reached).not.toHaveBeenCalled();
});

test('without pauses it is a timer, and one too long for a timer does not end at once', () => {
  const [reached, never] = [vi.fn<() => void>(), vi.fn<() => void>()];
  startTimeLimit(100, undefined, reached);
  startTimeLimit(2 ** 40, undefined, never);
  vi.advanceTimersByTime(100);
  expect([reached.mock.calls.length, never.mock.calls.length]).toEqual([1, 0]);
});
