import { expect, it } from 'vitest';
import { keyPress, type TerminalInput } from '../screen/terminal-input.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { pauseTimes, TypingPause } from '../views/typing-pause.ts';
import type { TuiStage } from './stage.ts';
import { Surroundings } from './surroundings.ts';

/** How long a question waits after it. */
function waitAfter(input: TerminalInput): number {
  const pause = new TypingPause(() => 0);
  new Surroundings({ stage: {} as TuiStage, terminal: {} as TerminalPort, env: {}, pause }).input(input);
  return pause.wait;
}

it('a question waits for who types or pastes, and not for who scrolls', () => {
  expect(waitAfter(keyPress('a'))).toBe(pauseTimes.typed);
  expect(waitAfter({ kind: 'paste', text: 'words' })).toBe(pauseTimes.typed);
  expect(waitAfter({ kind: 'wheel', direction: 'up' })).toBe(0);
});
