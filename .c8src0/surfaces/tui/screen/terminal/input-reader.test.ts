import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InputReader } from './input-reader.ts';
import type { TerminalInput } from './terminal-port.ts';

/** The inputs from pieces of bytes and silences between them in milliseconds, with a long one at the end. */
function read(...pieces: readonly (string | number)[]): readonly TerminalInput[] {
  const inputs: TerminalInput[] = [];
  const reader = new InputReader((input) => inputs.push(input));
  for (const piece of [...pieces, 2000])
    if (typeof piece === 'string') reader.feed(piece);
    else vi.advanceTimersByTime(piece);
  return inputs;
}

function names(...pieces: readonly (string | number)[]): readonly string[] {
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
    ['clicks in older forms', '\u001B[M !!\u001B[M#yy\u001B[32;1;5M\u001B[35;1;5M\u001B[<0;1;1m', []],
    ['a click at the edge of a screen', '\u001B[M \u007F\u0000', []],
    ['the wheel in older forms', '\u001B[M`!!\u001B[97;1;5M', ['wheel', 'wheel']],
    ['Enter of the number pad', '\u001BOM', ['enter']],
    ['places of the cursor', '\u001B[1;1R\u001B[24;80R\u001B[5;2H\u001B[2;1A\u001B[1;1O', []],
    ['function keys of a console', '\u001B[[A\u001B[[E\u001BOR\u001B[1;2R', ['f1', 'f5', 'f3', 'shift+f3']],
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
    const sent = '\u001B[200~one\rtwo\u001B[31m\u001B[201~';
    const wanted = [
      { kind: 'paste', text: 'one\rtwo\u001B[31m' },
      { kind: 'key', name: 'x', text: 'x' },
    ];
    expect(read(sent, 50, 'x')).toEqual(wanted);
    expect(read(...sent, 50, 'x')).toEqual(wanted);
  });

  it('what comes at once behind the end of a paste is part of it: no hand is so fast', () => {
    const [start, end] = ['\u001B[200~', '\u001B[201~'];
    const wanted = [{ kind: 'paste', text: 'nice\u0015!touch X\r' }];
    expect(read(`${start}nice${end}\u0015!touch X\r`)).toEqual(wanted);
    expect(read(`${start}nice${end}\u0015!touch X\r${end}`)).toEqual(wanted);
    expect(read(`${start}ni`, `ce${end}`, '\u0015!touch', ' X\r')).toEqual(wanted);
    expect(read(`${start}nice${end}\u0015`, 20, '!touch X\r', 20, `${end}`)).toEqual(wanted);
    expect(read(`${start}nice${end}`, 30, '\u0015!touch X\r')).toEqual(wanted);
    expect(names(`${start}nice${end}\u001B[I`, 50, '\r')).toEqual(['focus', 'paste', 'enter']);
    expect(names(`${start}nice${end}x`, 50, '\r')).toEqual(['paste', 'enter']);
    // Its end may be the last of what one read holds.
    expect(names(`${start}${'n'.repeat(4083)}${end}`, '\u0015!touch X\r')).toEqual(['paste']);
    expect(names(`${start}${'n'.repeat(4083)}${end}`, 50, '\r')).toEqual(['paste', 'enter']);
  });

  const long = 'n'.repeat(300);
  it.each([
    ['focus', '\u001B[O', [{ kind: 'focus', has: false }]],
    ['the wheel', '\u001B[<65;10;5M', [{ kind: 'wheel', direction: 'down' }]],
    ['the wheel in an older form', '\u001B[M`!!', [{ kind: 'wheel', direction: 'up' }]],
    ['the colour of the background', '\u001B]11;rgb:0000/0000/0000\u001B\\', [{ kind: 'background', rgb: [0, 0, 0] }]],
    ['what the terminal is', '\u001B[?62;22c', [{ kind: 'answer', about: 'terminal' }]],
    ['the place of the cursor', '\u001B[1;2R', []],
  ])('a report that comes behind a paste stays one and is no text of it: %s', (_, sent, told) => {
    const marked = `\u001B[200~${long}\u001B[201~`;
    const paste = { kind: 'paste', text: long };
    expect(read(marked, 5, sent)).toEqual([...told, paste]);
    expect(read(marked, ...sent)).toEqual([...told, paste]);
    expect(read(`${marked}a${sent}b`)).toEqual([...told, { ...paste, text: `${long}ab` }]);
    // Without its rest it is text, as a page may have it.
    expect(read(marked, sent.slice(0, 2), 'x')).toEqual([{ ...paste, text: `${long}${sent.slice(0, 2)}x` }]);
  });

  it('a paste behind another one is a paste of its own, and nothing between or behind them is a key', () => {
    const [start, end] = ['\u001B[200~', '\u001B[201~'];
    const second = { kind: 'paste', text: '/p.png' };
    expect(read(`${start}${long}${end}`, 5, `${start}/p.png${end}`)).toEqual([{ kind: 'paste', text: long }, second]);
    const texts = [{ kind: 'paste', text: `${long}\r` }, second, { kind: 'paste', text: 'c\u0003!touch X\r' }];
    const sent = `${start}${long}${end}\r${start}/p.png${end}${start}c${end}\u0003!touch X\r${end}`;
    expect(read(sent)).toEqual(texts);
    expect(read(...sent)).toEqual(texts);
    // The end of the second may be the last of what one read holds.
    const cut = sent.indexOf('\u0003');
    expect(read(sent.slice(0, cut), sent.slice(cut))).toEqual(texts);
  });

  it('reports that fill a read behind a paste do not end it', () => {
    const focus = '\u001B[I'.repeat(100);
    expect(names(`\u001B[200~a\u001B[201~${focus}`, '\u0015!touch X\r').filter((name) => name !== 'focus')).toEqual([
      'paste',
    ]);
  });

  it('Enter, Tab and Ctrl+C so soon behind a long paste are text of it', () => {
    const marked = `\u001B[200~${long}\u001B[201~`;
    for (const key of ['\r', '\t', '\u0003'])
      expect(read(marked, 5, key)).toEqual([{ kind: 'paste', text: `${long}${key}` }]);
  });

  it('a half paste is gone with what is cleared', () => {
    for (const begun of ['\u001B[200~half', `\u001B[200~${long}\u001B[201~`]) {
      const inputs: TerminalInput[] = [];
      const reader = new InputReader((input) => inputs.push(input));
      reader.feed(begun);
      reader.clear();
      reader.feed('x\r');
      vi.advanceTimersByTime(2000);
      expect(inputs).toEqual([
        { kind: 'key', name: 'x', text: 'x' },
        { kind: 'key', name: 'enter', text: '' },
      ]);
    }
  });

  it('a paste that is too long stays a paste up to its end, and what is dropped of it is known', () => {
    const part = 'paste y\r'.repeat(8 * 1024);
    const parts = Array.from({ length: 400 }, () => part);
    const [pasted, ...more] = read('\u001B[200~', ...parts, '\u0015!touch X\r', '\u001B[20', '1~', 50, 'x');
    expect(more).toEqual([{ kind: 'key', name: 'x', text: 'x' }]);
    expect(pasted).toMatchObject({ kind: 'paste', isCut: true });
    expect(pasted?.kind === 'paste' && pasted.text.length).toBe(4 * 1024 * 1024);
  });

  it('waits for the rest of an answer of the terminal, which is never keys', () => {
    const colour = [{ kind: 'background', rgb: [30, 30, 46] }];
    expect(read('\u001B]11;rgb:1e1e/', 500, '1e1e/2e2e\u0007')).toEqual(colour);
    expect(read('\u001B]', 100, '11;rgb:1e1e/1e1e/2e2e\u001B', 500, '\\')).toEqual(colour);
    expect(names('\u001BP1$r0m', 500, '\u001B\\', '\u001B[', 100, '1;1R', '\u001B[M', 500, '#yy')).toEqual([]);
    // Without its end it is dropped.
    expect(names('\u001B]11;rgb:', 1100, 'x')).toEqual(['x']);
    expect(names('\u001B[M', 1100, 'x')).toEqual(['x']);
  });

  it('knows the rest of a sequence whose Escape was taken for the key', () => {
    const colour = { kind: 'background', rgb: [30, 30, 46] };
    expect(read('\u001B', 60, ']11;rgb:1e1e/1e1e/2e2e\u0007').slice(1)).toEqual([colour]);
    expect(names('\u001B', 60, '[200~one\rtwo\u001B[201~')).toEqual(['escape', 'paste']);
    expect(names('\u001B', 60, '[1;2R', '[1;')).toEqual(['escape', 'shift+f3', '[', '1', ';']);
    expect(names('\u001B', 1100, '[1;2R')).toEqual(['escape', '[', '1', ';', '2', 'R']);
  });

  it.each(['[I', '[O', '[M yn', '[<64;10;5M', '[?62;1c', '[24;80R', ']11;rgb:1e1e/1e1e/2e2e\u0007', 'P1$r0m\u001B\\'])(
    'makes no keys of %j behind such an Escape, and what follows is as it is',
    (rest) => {
      const typed = names('\u001B', 60, rest, 'n', 60, '\u001B', 60, 'y');
      expect(typed.filter((name) => !['focus', 'wheel', 'answer', 'background'].includes(name))).toEqual([
        'escape',
        'n',
        'escape',
        'y',
      ]);
    },
  );

  it('knows the rest behind a beginning that was taken for a key with Alt, or dropped', () => {
    expect(names('\u001B[', 200, '24;80R')).toEqual(['alt+[']);
    expect(names('\u001B[24;', 1300, '80R', 'x')).toEqual(['x']);
    expect(names('\u001B]11;rgb:1e1e', 1300, '/1e1e/2e2e\u0007')).toEqual(['background']);
    expect(names('\u001B[M', 1300, '#yy')).toEqual([]);
  });

  it('what a user types behind Escape stays typed', () => {
    expect(names('\u001B', 60, '[', 100, 'I', 100, ']')).toEqual(['escape', '[', 'I', ']']);
    expect(names('\u001B', 60, 'P', 40, '1')).toEqual(['escape', 'P', '1']);
    expect(names('\u001B', 60, '1', 10, '2')).toEqual(['escape', '1', '2']);
    expect(names('\u001B', 60, '[Important]')).toEqual(['escape', ...'[Important]']);
    expect(names('\u001B', 60, '[', 10, '\r')).toEqual(['escape', '[', 'enter']);
    // In pieces, as a slow hand or a slow line sends them, everything is typed, once.
    expect(names('\u001B', 60, '[1;5', 10, 'A', 'g', 'o')).toEqual(['escape', ...'[1;5Ago']);
    expect(names('\u001B', 60, 'P', 15, 'l', 200, 'e')).toEqual(['escape', 'P', 'l', 'e']);
    expect(names('\u001B', 60, 'P', 20, '1', 200, 'x', 200, '\u0003')).toEqual(['escape', 'P', '1', 'x', 'ctrl+c']);
    const inOneGo = (text: string) => names('\u001B', 60, text, 200, 'n', '\u0003');
    expect(inOneGo('P1: fix it')).toEqual(['escape', ...'P1:', 'space', ...'fix', 'space', ...'it', 'n', 'ctrl+c']);
    expect(inOneGo('[2 items] x')).toEqual(['escape', ...'[2', 'space', ...'items]', 'space', 'x', 'n', 'ctrl+c']);
  });

  it('waits longer for the rest of an Escape while the terminal has not answered a question', () => {
    const inputs: string[] = [];
    const reader = new InputReader((input) => inputs.push(input.kind === 'key' ? input.name : input.kind));
    const feed = (text: string, ms: number): void => {
      reader.feed(text);
      vi.advanceTimersByTime(ms);
    };
    reader.expectAnswer();
    feed('\u001B', 100);
    feed(']11;rgb:1e1e/1e1e/2e2e\u0007', 1);
    expect(inputs).toEqual(['background']);
    feed('\u001B', 40);
    expect(inputs).toEqual(['background', 'escape']);
    reader.expectAnswer();
    feed('\u001B', 160);
    expect(inputs).toEqual(['background', 'escape', 'escape']);
    vi.advanceTimersByTime(2000);
    feed('\u001B', 40);
    expect(inputs).toEqual(['background', 'escape', 'escape', 'escape']);
  });

  it('a key with Alt that begins sequences is that key', () => {
    expect(names('\u001B[', 200, 'a\u001BO', 200, 'b')).toEqual(['alt+[', 'a', 'alt+O', 'b']);
    expect(names('\u001BP', 100, 'ab\u001B]x')).toEqual(['alt+P', 'a', 'b', 'alt+]', 'x']);
  });

  it('takes several lines at once for a paste, and one with Enter behind it for typing', () => {
    expect(names('one\rtwo')).toEqual(['paste']);
    expect(names('hi\r')).toEqual(['h', 'i', 'enter']);
  });
});

describe('a process that stands still reads behind its timers', () => {
  const passes = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));

  /** The second piece is there when the process has stood still, longer than is waited for the rest of the first. */
  async function readLate(first: string, second: string): Promise<readonly string[]> {
    const inputs: string[] = [];
    const reader = new InputReader((input) => inputs.push(input.kind === 'key' ? input.name : input.kind));
    let isRead = false;
    const server = createServer((socket) => {
      socket.on('data', (bytes) => {
        reader.feed(bytes.toString());
        isRead = true;
      });
    });
    await new Promise<void>((over) => server.listen(join(tmpdir(), `reader-${process.pid}.sock`), over));
    const keyboard = createConnection(server.address() as string);
    await vi.waitUntil(() => keyboard.readyState === 'open', { timeout: 20_000 });
    await passes(20);
    // Timers follow, and then what the system has ready is read.
    setImmediate(() => {
      reader.feed(first);
      keyboard.write(second);
      for (const until = Date.now() + 80; Date.now() < until;);
    });
    await vi.waitUntil(() => isRead, { timeout: 20_000 });
    await passes(100);
    keyboard.destroy();
    server.close();
    return inputs;
  }

  it('and takes no text of a page for keys', async () => {
    const marked = `\u001B[200~${'n'.repeat(4083)}\u001B[201~`;
    expect(await readLate(marked, '\u0015!touch X\r')).toEqual(['paste']);
  });

  it('and no key that sends a sequence for Escape', async () => {
    expect(await readLate('\u001B', '[A')).toEqual(['up']);
  });
});
