import { expect, it } from 'vitest';
import { FullScreen } from './inline-and-full-screen.ts';

it('takes away what it drew before it gives the screen back: after a resize, tmux moves rows of it into the scrollback', () => {
  let written = '';
  const screen = new FullScreen({ columns: 20, rows: 4, write: (text) => void (written += text) });
  screen.begin();
  screen.show({ rows: ['a row'] });
  written = '';
  screen.end();
  expect(written.startsWith('\u001B[H\u001B[J')).toBe(true);
  expect(written).toContain('\u001B[?1049l');
});
