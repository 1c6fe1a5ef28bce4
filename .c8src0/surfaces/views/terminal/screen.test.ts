import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dim, red, wantsColor } from './styled-text.ts';
import { StatusScreen } from './screen.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function screenOf({ color = false, live = true, columns = 80 } = {}) {
  let written = '';
  const stream = { columns, write: (text: string) => (written += text) };
  return { screen: new StatusScreen({ stream, color, live }), written: () => written };
}

/** The text left on the screen: a line that was erased is gone. */
const left = (text: string): string => text.replaceAll(/[^\n]*\r\u001B\[K/g, '');

it('leaves notes and takes the status line away', () => {
  const { screen, written } = screenOf();
  screen.status(() => ['working']);
  screen.note('one ', red('two'));
  screen.note('three');
  expect(written()).toContain('working');
  screen.end();
  expect(left(written())).toBe('one two\nthree\n');
});

it('draws the status line again only when it says something else', () => {
  const { screen, written } = screenOf();
  let seconds = 0;
  screen.status(() => [`${seconds} s`]);
  vi.advanceTimersByTime(1000);
  expect(written()).toBe('\r\u001B[K0 s');
  seconds = 1;
  vi.advanceTimersByTime(1000);
  expect(written()).toBe('\r\u001B[K0 s\r\u001B[K1 s');
});

it('hides the status line while a text comes, and ends the line before anything else', () => {
  const { screen, written } = screenOf();
  screen.status(() => ['thinking']);
  screen.text('He');
  screen.text('llo');
  vi.advanceTimersByTime(1000);
  screen.note('note');
  screen.end();
  expect(left(written())).toBe('Hello\nnote\n');
});

it('shows the end of what is typed in place of the status line, and then the status again', () => {
  const { screen, written } = screenOf({ columns: 24 });
  screen.status(() => ['waiting']);
  screen.typing('say');
  vi.advanceTimersByTime(1000);
  expect(left(written())).toBe('  > say');
  screen.typing('say that it is too long\u001B');
  expect(left(written())).toBe('  > hat it is too long␛');
  screen.typing(undefined);
  expect(left(written())).toBe('waiting');
  screen.end();
});

it('has no status line where lines cannot be written over', () => {
  const { screen, written } = screenOf({ live: false });
  screen.status(() => ['working']);
  screen.note('done');
  screen.end();
  expect(written()).toBe('done\n');
});

it('lets no text bring sequences of its own, whole or in pieces', () => {
  const { screen, written } = screenOf({ color: true });
  screen.note(dim('\u001B[2Jx'));
  screen.text('a\u001B');
  screen.text(']0;title\u0007\r');
  screen.text('\nb');
  screen.end();
  expect(written()).toBe('\u001B[2m␛[2Jx\u001B[22m\na␛]0;title␇\nb\n');
});

it('cuts the status line to one line of the terminal', () => {
  const { screen, written } = screenOf({ columns: 24 });
  screen.status(() => ['running a command\nwith two lines 漢字漢字']);
  expect(written()).toBe('\r\u001B[Krunning a command with…');
});

it('shortens the beginning of the status line before its end', () => {
  const { screen, written } = screenOf({ columns: 24 });
  screen.status(() => ['running a long command', dim(' · 12 s')]);
  screen.status(() => ['running a long command', dim(' · 12 s · Ctrl-C to stop')]);
  expect(written()).toBe('\r\u001B[Krunning a long … · 12 s\r\u001B[Krunning a l… · 12 s · …');
});

it('breaks a message between words on a terminal, and leaves it alone elsewhere', () => {
  const [text, form] = ['one two three four five six', { look: 'dim', indent: '  ' }] as const;
  const [terminal, pipe] = [true, false].map((live) => screenOf({ live, columns: 24 }));
  terminal?.screen.message(text, form);
  pipe?.screen.message(text, form);
  expect([terminal?.written(), pipe?.written()]).toEqual([
    '  one two three four\n  five six\n',
    '  one two three four five six\n',
  ]);
});

it('colours by --color, then by NO_COLOR and TERM, then by the terminal', () => {
  const tty = { isTTY: true };
  expect(wantsColor(tty, 'auto', {})).toBe(true);
  expect(wantsColor({}, 'auto', {})).toBe(false);
  expect(wantsColor({}, 'always', { NO_COLOR: '1' })).toBe(true);
  expect(wantsColor(tty, 'never', {})).toBe(false);
  expect(wantsColor(tty, 'auto', { NO_COLOR: '1' })).toBe(false);
  expect(wantsColor(tty, 'auto', { NO_COLOR: '' })).toBe(true);
  expect(wantsColor(tty, 'auto', { TERM: 'dumb' })).toBe(false);
});

it.each([
  ['\u202E', 'what is shown as a longer sign'],
  ['\u2705', 'pictures of two columns'],
  ['\u1100', 'letters that a reader joins'],
])('a status line of many %j stays one line', (sign) => {
  const { screen, written } = screenOf({ columns: 40 });
  screen.status(() => [sign.repeat(200), ' 1 s']);
  const columns = [...written().replace('\r\u001B[K', '')].reduce(
    (sum, each) => sum + (each > '\u10FF' && each !== '\u2026' ? 2 : 1),
    0,
  );
  expect(columns).toBeLessThan(40);
});

it('takes the whole status line away when the terminal has become narrower meanwhile', () => {
  let written = '';
  const stream = { columns: 80, write: (text: string) => (written += text) };
  const screen = new StatusScreen({ stream, color: true, live: true });
  screen.status(() => [dim('x'.repeat(75))]);
  stream.columns = 30;
  written = '';
  screen.end();
  expect(written).toBe('\r\u001B[2A\u001B[J');
});
