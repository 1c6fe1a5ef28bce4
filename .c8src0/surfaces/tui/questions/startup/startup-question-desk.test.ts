import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { TypingPause } from '../typing-pause.ts';
import { StartupQuestionDesk } from './startup-question-desk.ts';

function desk(): StartupQuestionDesk {
  return new StartupQuestionDesk({ open: () => {}, quit: () => {}, pause: new TypingPause(() => 0) });
}

it('a wait ends by itself, or with the program', async () => {
  const made = desk();
  expect(await made.wait(1)).toBe('on');
  const long = made.wait(60_000);
  made.end();
  expect([await long, await made.wait(60_000)]).toEqual(['left', 'left']);
});

it('what waits again and again leaves nothing behind', async () => {
  const made = desk();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = async (times: number): Promise<number> => {
    for (let at = 0; at < times; at++) {
      const wait = made.wait(500);
      vi.advanceTimersByTime(500);
      await wait;
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  vi.useFakeTimers();
  try {
    // As a window that watches a conversation for some hours.
    const before = await used(1000);
    expect((await used(20_000)) - before).toBeLessThan(2_000_000);
  } finally {
    vi.useRealTimers();
  }
  made.end();
});
