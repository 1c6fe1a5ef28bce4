import { describe, expect, it } from 'vitest';
import { terminalColours, terminalGlyphs } from './tui-screen.ts';

describe('what a terminal can show', () => {
  it.each([
    ['nothing is said', {}, 'sixteen'],
    ['256 colours by its name', { TERM: 'xterm-256color' }, '256'],
    ['all colours', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'true'],
    ['the other word for it', { COLORTERM: '24bit' }, 'true'],
    ['Windows Terminal', { WT_SESSION: 'x' }, 'true'],
    ['Windows Terminal with a level that was forced', { WT_SESSION: 'x', FORCE_COLOR: '1' }, 'sixteen'],
    ['NO_COLOR', { COLORTERM: 'truecolor', NO_COLOR: '1' }, 'none'],
    ['an empty NO_COLOR', { TERM: 'xterm-256color', NO_COLOR: '' }, '256'],
    ['FORCE_COLOR over NO_COLOR', { NO_COLOR: '1', FORCE_COLOR: '3' }, 'true'],
    ['FORCE_COLOR without a level', { NO_COLOR: '1', FORCE_COLOR: 'true', TERM: 'xterm-256color' }, '256'],
    ['FORCE_COLOR=0', { COLORTERM: 'truecolor', FORCE_COLOR: '0' }, 'none'],
    ['tmux in a terminal of all colours', { TERM: 'tmux-256color', TMUX: 'x', COLORTERM: 'truecolor' }, 'true'],
    ['tmux alone', { TERM: 'screen', TMUX: 'x', TERM_PROGRAM: 'WezTerm' }, 'sixteen'],
    ['GNU screen', { TERM: 'screen-256color', STY: 'x', COLORTERM: 'truecolor' }, '256'],
    ['kitty over ssh', { TERM: 'xterm-kitty' }, 'true'],
    ['the terminal of macOS', { TERM_PROGRAM: 'Apple_Terminal', TERM: 'xterm' }, '256'],
    ['a dumb terminal', { TERM: 'dumb' }, 'none'],
  ])('%s', (_, env, colours) => expect(terminalColours(env)).toBe(colours));

  it.each([
    ['nothing is said', {}, 'unicode'],
    ['UTF-8', { LANG: 'en_GB.UTF-8' }, 'unicode'],
    ['the spelling of macOS', { LC_CTYPE: 'UTF-8' }, 'unicode'],
    ['another encoding', { LANG: 'de_DE.ISO-8859-1' }, 'ascii'],
    ['the C locale', { LANG: 'C' }, 'ascii'],
    ['LC_ALL over LANG', { LC_ALL: 'C.UTF-8', LANG: 'C' }, 'unicode'],
    ['an empty LC_ALL', { LC_ALL: '', LANG: 'POSIX' }, 'ascii'],
    ['the console of Linux', { TERM: 'linux', LANG: 'en_GB.UTF-8' }, 'ascii'],
    ['what the user says', { CAPSTAN_ASCII: '1', LANG: 'en_GB.UTF-8' }, 'ascii'],
    ['what the user says against the locale', { CAPSTAN_ASCII: '0', LANG: 'C' }, 'unicode'],
  ])('signs: %s', (_, env, glyphs) => expect(terminalGlyphs(env)).toBe(glyphs));
});
