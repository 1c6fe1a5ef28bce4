import { expect, it } from 'vitest';
import { keyPress, type TerminalInput, type TerminalPort } from '../screen/terminal/terminal-port.ts';
import { typingPauseTimes, TypingPause } from '../questions/typing-pause.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import { TerminalContext } from './terminal-context.ts';

/** The time that a question waits after the input. */
function waitAfter(input: TerminalInput): number {
  const pause = new TypingPause(() => 0);
  new TerminalContext({ stage: {} as TuiScreen, terminal: {} as TerminalPort, env: {}, pause }).input(input);
  return pause.wait;
}

it('a question waits for who types or pastes, and not for who scrolls', () => {
  expect(waitAfter(keyPress('a'))).toBe(typingPauseTimes.typed);
  expect(waitAfter({ kind: 'paste', text: 'words' })).toBe(typingPauseTimes.typed);
  expect(waitAfter({ kind: 'wheel', direction: 'up' })).toBe(0);
});
