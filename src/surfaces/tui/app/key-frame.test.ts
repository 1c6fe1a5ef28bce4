import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keyPress } from '../screen/terminal-input.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { TypingPause } from '../views/typing-pause.ts';
import { Controller } from './controller.ts';
import { EventEntries } from './event-entries.ts';
import { plainLook } from './plain-look.ts';
import { TuiStage } from './stage.ts';
import { Surroundings } from './surroundings.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([false, true])('a letter is on the screen at once while an answer streams (whole screen: %s)', (isFull) => {
  const writes: string[] = [];
  const port = {
    columns: 60,
    rows: 20,
    keepsScreen: true,
    marksPastes: true,
    write: (text: string) => writes.push(text),
  };
  const terminal = port as unknown as TerminalPort;
  const look = plainLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const now = (): number => performance.now();
  const stage = new TuiStage({ terminal, look, isFull, reflows: true, now });
  const nothing = (): void => {};
  const controller = new Controller({
    stage,
    surroundings: new Surroundings({ stage, terminal, env: {}, pause: new TypingPause(now) }),
    conversation: () => undefined,
    notice: nothing,
    suspend: nothing,
    editOutside: nothing,
    showHelp: nothing,
    quit: nothing,
  });
  const entries = new EventEntries(stage.transcript, () => true);
  stage.begin();
  const wait: number[] = [];
  for (let at = 0; at < 400; at++) {
    entries.preview({ provisional: true, kind: 'text', turnId: 't' as never, itemId: 'm', text: 'word ' });
    stage.draw();
    if (at % 37 === 36) {
      const [before, pressed] = [writes.length, now()];
      controller.input(keyPress('Q'));
      while (!writes.slice(before).join('').includes('Q')) vi.advanceTimersToNextTimer();
      wait.push(now() - pressed);
      controller.input(keyPress('backspace'));
    }
    vi.advanceTimersByTime(1);
  }
  expect(wait).toEqual(wait.map(() => 0));
  expect(wait).toHaveLength(10);
  // One in 16 milliseconds, and those for the keys.
  expect(writes.length).toBeLessThan(60);
  stage.discard();
});
