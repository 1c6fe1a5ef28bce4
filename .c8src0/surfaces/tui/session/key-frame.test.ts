import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keyPress, type TerminalPort } from '../screen/terminal/terminal-port.ts';
import { TypingPause } from '../questions/typing-pause.ts';
import { KeyboardController } from './keyboard-controller.ts';
import { EventEntries } from '../transcript/event-entries.ts';
import { defaultScreenLook, TuiScreen } from '../screen/tui-screen.ts';
import { TerminalContext } from './terminal-context.ts';

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
  const look = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const now = (): number => performance.now();
  const stage = new TuiScreen({ terminal, look, isFull, reflows: true, now });
  const nothing = (): void => {};
  const controller = new KeyboardController({
    stage,
    surroundings: new TerminalContext({ stage, terminal, env: {}, pause: new TypingPause(now) }),
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
