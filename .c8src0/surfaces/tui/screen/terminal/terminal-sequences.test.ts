import { describe, expect, it } from 'vitest';
import {
  clearTitleSequence,
  notificationSequence,
  takesPromptMarks,
  takesTitle,
  titleSequence,
} from './terminal-sequences.ts';

describe('the title of the window', () => {
  it.each([
    ['a plain one', 'fix the tests | capstan', 'fix the tests | capstan'],
    ['the end of a sequence', 'a\u0007b\u001B\\c\u009Cd', 'abcd'],
    ['a sequence of its own', 'a\u001B]0;owned\u0007b', 'ab'],
    ['what turns the direction of writing', 'a\u202Etxt\u2066b', 'atxtb'],
    ['signs without a shape', 'a\u200B\u00ADb', 'ab'],
    ['blanks and lines', '  a \n\t b  ', 'a b'],
    ['half of a pair', 'a\uD83D', 'a\uFFFD'],
  ])('%s', (_, title, shown) => expect(titleSequence(title)).toBe(`\u001B]0;${shown}\u0007`));

  it('has at most 240 signs, none cut in two', () => {
    expect(titleSequence('😀'.repeat(300))).toBe(`\u001B]0;${'😀'.repeat(240)}\u0007`);
    expect(clearTitleSequence).toBe('\u001B]0;\u0007');
  });

  it('is not written where it would be printed', () => {
    expect([{ TERM: 'linux' }, { TERM: 'dumb' }, { TERM: 'xterm' }, {}].map(takesTitle)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(
      [{ TERM: 'linux' }, { TERM: 'screen', STY: 'x' }, { TERM: 'screen', STY: 'x', TMUX: 'y' }, {}].map(
        takesPromptMarks,
      ),
    ).toEqual([false, false, true, true]);
  });
});

describe('a notification', () => {
  const osc = '\u001B]9;Capstan: done\u0007';
  it.each([
    ['a terminal that shows none', 'auto', { TERM: 'xterm-256color' }, '\u0007'],
    ['kitty', 'auto', { TERM: 'xterm-kitty' }, osc],
    ['WezTerm', 'auto', { TERM_PROGRAM: 'WezTerm' }, osc],
    ['iTerm2 over ssh', 'auto', { LC_TERMINAL: 'iTerm2' }, osc],
    ['the bell, because the user wants it', 'bel', { TERM: 'xterm-kitty' }, '\u0007'],
    ['a text, because the user wants it', 'osc9', {}, osc],
    [
      'Ghostty inside tmux',
      'auto',
      { TMUX: 'x', TERM_PROGRAM: 'tmux', GHOSTTY_RESOURCES_DIR: '/g' },
      '\u001BPtmux;\u001B\u001B]9;Capstan: done\u0007\u001B\\',
    ],
    ['GNU screen', 'osc9', { STY: 'x' }, `\u001BP${osc}\u001B\\`],
    ['the bell inside tmux', 'bel', { TMUX: 'x' }, '\u0007'],
  ] as const)('%s', (_, method, env, written) => {
    expect(notificationSequence('Capstan: done\u0007\u001B[2J', method, env)).toBe(written);
  });
});
