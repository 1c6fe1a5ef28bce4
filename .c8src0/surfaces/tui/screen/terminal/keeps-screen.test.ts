import { describe, expect, it } from 'vitest';
import { hasAlternateScreen } from './process-terminal.ts';

const own = '/home/ann/.screenrc';
const inScreen = { STY: '1.pts', TERM: 'screen', HOME: '/home/ann' };
const reading =
  (files: Readonly<Record<string, string>>) =>
  (path: string): string | undefined =>
    files[path];

describe('whether the terminal shows another screen', () => {
  it.each([
    ['any terminal', { TERM: 'xterm' }, {}, true],
    ['GNU screen as it comes', inScreen, {}, false],
    ['a tmux inside of it', { ...inScreen, TMUX: 't', TERM: 'tmux-256color' }, {}, true],
    ['it inside a tmux', { ...inScreen, TMUX: 't', TERM: 'screen.tmux-256color' }, {}, false],
    ['a user who set it', inScreen, { [own]: 'vbell off\n  altscreen on # for less\n' }, true],
    ['a user who took it out', inScreen, { [own]: '#altscreen on\n' }, false],
    ['a user who set it back', inScreen, { '/etc/screenrc': 'altscreen on\n', [own]: 'altscreen off\n' }, false],
    ['a machine that sets it', inScreen, { '/etc/screenrc': 'altscreen on\n' }, true],
    ['another file', { ...inScreen, SCREENRC: '/x' }, { [own]: 'altscreen on', '/x': '' }, false],
  ])('%s', (_, env, files, keeps) => {
    expect(hasAlternateScreen(env, reading(files))).toBe(keeps);
  });
});
