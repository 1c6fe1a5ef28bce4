import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InputReader } from './input-reader.ts';
import type { TerminalInput } from './terminal-input.ts';

/** What comes of pieces of input, with a long silence at the end. */
function read(...pieces: readonly string[]): readonly TerminalInput[] {
  const inputs: TerminalInput[] = [];
  const reader = new InputReader((input) => inputs.push(input));
  for (const piece of pieces) reader.feed(piece);
  vi.advanceTimersByTime(1000);
  return inputs;
}

function names(...pieces: readonly string[]): readonly string[] {
  return read(...pieces).map((input) => (input.kind === 'key' ? input.name : `${input.kind}`));
}

describe('keys', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['letters', 'aB ', ['a', 'B', 'space']],
    ['other scripts', 'é你😀', ['é', '你', '😀']],
    [
      'control characters',
      '\u0001\u0003\n\r\t\u007F\u0000\u001F',
      ['ctrl+a', 'ctrl+c', 'ctrl+j', 'enter', 'tab', 'backspace', 'ctrl+space', 'ctrl+_'],
    ],
    ['arrows', '\u001B[A\u001B[B\u001BOC\u001B[D', ['up', 'down', 'right', 'left']],
    ['arrows with modifiers', '\u001B[1;5C\u001B[1;3D\u001B[1;2A', ['ctrl+right', 'alt+left', 'shift+up']],
    [
      'keys with numbers',
      '\u001B[3~\u001B[5~\u001B[6;5~\u001B[Z\u001B[15~',
      ['delete', 'pageup', 'ctrl+pagedown', 'shift+tab', 'f5'],
    ],
    ['alt', '\u001Bb\u001B\r\u001B\u007F\u001B\u001B[D', ['alt+b', 'alt+enter', 'alt+backspace', 'alt+left']],
    ['kitty', '\u001B[13;2u\u001B[99;5u\u001B[97;2u\u001B[27u\u001B[97;5:3u', ['shift+enter', 'ctrl+c', 'A', 'escape']],
    ['modifyOtherKeys', '\u001B[27;2;13~\u001B[27;5;106~', ['shift+enter', 'ctrl+j']],
    ['focus and wheel', '\u001B[I\u001B[O\u001B[<64;10;5M\u001B[<0;1;1M', ['focus', 'focus', 'wheel']],
    ['a lone Escape', '\u001B', ['escape']],
    ['two of them', '\u001B\u001B', ['escape', 'escape']],
    ['alt with what begins a string, held down', '\u001B_\u001B_', ['alt+_', 'alt+_']],
    ['answers of the terminal', '\u001B[?62;c\u001BP>|tmux\u001B\\x', ['answer', 'x']],
  ])('%s', (_, sent, wanted) => {
    expect(names(sent)).toEqual(wanted);
    // The same, one byte at a time.
    expect(names(...sent)).toEqual(wanted);
  });

  it.each([...'[]OPX^_'])('alt with %s, which begins a sequence', (sign) => {
    expect(names(`\u001B${sign}`)).toEqual([`alt+${sign}`]);
    expect(names('\u001B', sign)).toEqual([`alt+${sign}`]);
  });

  it('reads the colour of the background', () => {
    expect(read('\u001B]11;rgb:ffff/8080/0000\u0007')).toEqual([{ kind: 'background', rgb: [255, 128, 0] }]);
    expect(read('\u001B]11;rgb:1e/1e/2e\u001B\\')).toEqual([{ kind: 'background', rgb: [30, 30, 46] }]);
  });

  it('gives a paste as a whole, however it is split', () => {
    const sent = '\u001B[200~one\rtwo\u001B[31m\u001B[201~x';
    const wanted = [
      { kind: 'paste', text: 'one\rtwo\u001B[31m' },
      { kind: 'key', name: 'x', text: 'x' },
    ];
    expect(read(sent)).toEqual(wanted);
    expect(read(...sent)).toEqual(wanted);
  });

  it('a paste that is too long stays a paste up to its end, and what is dropped of it is known', () => {
    const part = 'paste y\r'.repeat(8 * 1024);
    const parts = Array.from({ length: 400 }, () => part);
    const [pasted, ...more] = read('\u001B[200~', ...parts, '\u0015!touch X\r', '\u001B[20', '1~', 'x');
    expect(more).toEqual([{ kind: 'key', name: 'x', text: 'x' }]);
    expect(pasted).toMatchObject({ kind: 'paste', isCut: true });
    expect(pasted?.kind === 'paste' && pasted.text.length).toBe(4 * 1024 * 1024);
  });

  it('takes several lines at once for a paste, and one with Enter behind it for typing', () => {
    expect(names('one\rtwo')).toEqual(['paste']);
    expect(names('hi\r')).toEqual(['h', 'i', 'enter']);
  });
});
