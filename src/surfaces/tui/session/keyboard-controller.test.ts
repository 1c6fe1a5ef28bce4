import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { draftFromText } from '../draft/draft.ts';
import { keyPress, type TerminalPort } from '../screen/terminal/terminal-port.ts';
import { typingPauseTimes, TypingPause } from '../questions/typing-pause.ts';
import type { UserActions } from '../flow/user-acts.ts';
import { KeyboardController } from './keyboard-controller.ts';
import { defaultScreenLook, TuiScreen } from '../screen/tui-screen.ts';
import { TerminalContext } from './terminal-context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nothing = (): void => {};

/** A composer with a conversation behind it, a clock that tests set, and all that keys asked for. */
function keyboard() {
  const clock = { now: 50_000 };
  const now = (): number => clock.now;
  const asked: string[] = [];
  const port = { columns: 60, rows: 12, keepsScreen: true, marksPastes: true, write: nothing };
  const terminal = port as unknown as TerminalPort;
  const look = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const stage = new TuiScreen({ terminal, look, isFull: false, reflows: true, now });
  const conversation = {
    isBusy: false,
    canInterrupt: false,
    doors: {},
    interrupt: () => asked.push('interrupt'),
    send: () => asked.push('send'),
    queue: () => asked.push('queue'),
    slash: (name: string) => asked.push(name),
  };
  const controller = new KeyboardController({
    stage,
    surroundings: new TerminalContext({ stage, terminal, env: {}, pause: new TypingPause(now) }),
    conversation: () => conversation as unknown as UserActions,
    notice: (text) => asked.push(text),
    suspend: nothing,
    editOutside: nothing,
    showHelp: nothing,
    quit: () => asked.push('quit'),
  });
  stage.begin();
  return {
    stage,
    clock,
    asked,
    press: (name: string) => controller.input(keyPress(name)),
    begin() {
      Object.assign(conversation, { isBusy: true, canInterrupt: true });
      stage.busy = { header: 'Working', since: now() };
      stage.drawNow();
    },
    end() {
      Object.assign(conversation, { isBusy: false, canInterrupt: false });
      stage.busy = undefined;
    },
  };
}

describe('Ctrl+C in an empty composer', () => {
  it('leaves, while nothing has run', () => {
    const { press, asked } = keyboard();
    press('ctrl+c');
    expect(asked).toEqual(['quit']);
  });

  it('is meant for the turn until its end has been in sight for a moment, however often it is pressed', () => {
    const { press, asked, stage, clock, begin, end } = keyboard();
    const { placeholder } = stage;
    begin();
    press('ctrl+c');
    end();
    // The frame in sight still shows the turn.
    clock.now += 5000;
    press('ctrl+c');
    expect(stage.placeholder).toBe('Ctrl+C again: leave');
    stage.drawNow();
    clock.now += typingPauseTimes.over - 1;
    press('ctrl+c');
    press('ctrl+c');
    expect(asked).toEqual(['interrupt']);
    press('x');
    press('backspace');
    expect(stage.placeholder).toBe(placeholder);
    clock.now += 1;
    press('ctrl+c');
    expect(asked).toEqual(['interrupt', 'quit']);
  });

  it('counts at once for a turn that runs, and leaves where the clock was set back', () => {
    const { press, asked, stage, clock, begin, end } = keyboard();
    begin();
    end();
    stage.drawNow();
    begin();
    press('ctrl+c');
    end();
    stage.drawNow();
    clock.now -= 40_000;
    press('ctrl+c');
    expect(asked).toEqual(['interrupt', 'quit']);
  });

  it('is no first Esc', () => {
    const { press, asked, stage, begin, end } = keyboard();
    begin();
    end();
    stage.drawNow();
    press('ctrl+c');
    press('escape');
    expect(stage.placeholder).toBe('Esc again: go back to an earlier message');
    press('escape');
    expect(asked).toEqual(['rewind']);
  });
});

it.each(['enter', 'tab'])('%s sends no message of blanks, and empties the composer', (key) => {
  for (const text of [' ', ' \n\t ', '\u00A0\u3000']) {
    const { press, asked, stage } = keyboard();
    stage.composer.draft = draftFromText(text);
    press(key);
    expect([stage.composer.draft.text, asked]).toEqual(['', ['The message is blank, so it was not sent.']]);
  }
});
