import { expect, it } from 'vitest';
import { progressBar } from './progress-bar.ts';

function written(isTTY: boolean): string {
  let text = '';
  const bar = progressBar('Reading', { isTTY, write: (more) => (text += more) });
  bar.show(0, 0);
  bar.show(5, 10);
  bar.show(5, 10);
  bar.show(10, 10);
  bar.end();
  bar.end();
  return text;
}

it('shows how far it is on a terminal, and leaves an empty line', () => {
  const clear = '\r\u001B[K';
  const [full, half] = ['#'.repeat(30), `${'#'.repeat(15)}${' '.repeat(15)}`];
  expect(written(true)).toBe(
    `${clear}Reading [${full}] 0/0${clear}Reading [${half}] 5/10${clear}Reading [${full}] 10/10${clear}`,
  );
  expect(written(false)).toBe('');
});
