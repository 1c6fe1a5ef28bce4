import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryTerminal } from '../harness/memory-terminal.ts';
import { InlineScreen } from '../../src/surfaces/tui/screen/inline-and-full-screen.ts';

function shownOn(terminal: MemoryTerminal): InlineScreen {
  return new InlineScreen(terminal, true);
}

function trimmed(rows: readonly string[]): readonly string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
}

describe('the inline screen', () => {
  it('prints what is finished above the live part, and leaves alone what was there before', async () => {
    const terminal = new MemoryTerminal(20, 6);
    terminal.write('$ ls\r\nfile\r\n');
    const screen = shownOn(terminal);
    screen.show([], { rows: ['> ', 'status'], cursor: { row: 0, column: 2 } });
    expect(trimmed(await terminal.screen())).toEqual(['$ ls', 'file', '>', 'status']);
    expect(await terminal.cursor()).toEqual({ row: 2, column: 2 });
    screen.show(['one', 'two'], { rows: ['> x', 'status'], cursor: { row: 0, column: 3 } });
    screen.show(['three'], { rows: ['> ', 'status'], cursor: { row: 0, column: 2 } });
    expect(trimmed(await terminal.all())).toEqual(['$ ls', 'file', 'one', 'two', 'three', '>', 'status']);
    screen.end(['bye']);
    expect(trimmed(await terminal.all())).toEqual(['$ ls', 'file', 'one', 'two', 'three', 'bye']);
    expect((await terminal.cursor()).column).toBe(0);
    expect(terminal.written).not.toMatch(/\u001B\[[23]J/);
  });

  it('writes nothing for a frame that changes nothing, and one row for one that does', () => {
    const terminal = new MemoryTerminal(40, 10);
    const screen = shownOn(terminal);
    const frame = { rows: ['a row of text', 'composer', 'status'], cursor: { row: 1, column: 0 } };
    screen.show([], frame);
    const { length } = terminal.written;
    screen.show([], frame);
    expect(terminal.written.length).toBe(length);
    screen.show([], { ...frame, rows: ['a row of text', 'composer!', 'status'] });
    expect(terminal.written.slice(length)).not.toContain('status');
  });

  it.each([
    [14, 10],
    [40, 10],
    [20, 6],
    [11, 20],
  ])('keeps all that was printed when the terminal becomes %i by %i', async (columns, rows) => {
    const terminal = new MemoryTerminal(20, 8);
    terminal.write('before\r\n');
    const screen = shownOn(terminal);
    screen.show(['done 1', 'done 2'], {
      rows: ['live row of 20 colum', '> text', 'status'],
      cursor: { row: 1, column: 6 },
    });
    terminal.resize(columns, rows);
    screen.resized();
    screen.show([], { rows: ['live', '> text', 'status'], cursor: { row: 1, column: 6 } });
    expect(trimmed(await terminal.all())).toEqual(['before', 'done 1', 'done 2', 'live', '> text', 'status']);
  });

  it('shows the rows that were given last, whatever came before', async () => {
    const row = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 12 }).map((text) => `${text}.`);
    const step = fc.record({
      finished: fc.array(row, { maxLength: 4 }),
      live: fc.array(row, { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const terminal = new MemoryTerminal(16, 6);
        const screen = shownOn(terminal);
        for (const { finished, live } of steps)
          screen.show(finished, { rows: live, cursor: { row: live.length - 1, column: 0 } });
        const wanted = [...steps.flatMap(({ finished }) => finished), ...(steps.at(-1)?.live ?? [])];
        expect(trimmed(await terminal.all())).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('writes little more than the text that streams, and what stands below it once', async () => {
    const terminal = new MemoryTerminal(100, 40);
    const screen = shownOn(terminal);
    const bottom = ['', '• Working', '', '› Ask', '', `status ${'.'.repeat(80)}`];
    const words = Array.from({ length: 3000 }, (_, at) => ['alpha', 'beta', 'gamma', 'delta', 'epsilon'][at % 5]!);
    let [line, size] = ['', 0];
    // As many in a frame as come in 12 ms, of 800 in a second.
    for (let at = 0; at < words.length; at += 10) {
      const finished: string[] = [];
      for (const word of words.slice(at, at + 10)) {
        size += word.length + 1;
        if (line.length + word.length > 98) [line] = ['', finished.push(line)];
        line += ` ${word}`;
      }
      screen.show(finished, { rows: [line, ...bottom], cursor: { row: 4, column: 2 } });
    }
    expect(Buffer.byteLength(terminal.written) / size).toBeLessThan(2);
    expect(terminal.written.split('status ')).toHaveLength(2);
    expect((await terminal.all()).filter((row) => row.startsWith('status'))).toHaveLength(1);
  });

  it('loses no row of text when the terminal became narrower and has not said so yet', async () => {
    const terminal = new MemoryTerminal(60, 12);
    const known = { columns: 60, rows: 12, write: (text: string) => terminal.write(text) };
    const screen = new InlineScreen(known, true);
    const bottom = ['', '› Ask', '', 'status'];
    const text = Array.from({ length: 18 }, (_, at) => `${at}: ${'word '.repeat(10)}end-${at}`);
    for (const [at, row] of text.entries()) {
      if (at === 12) terminal.resize(40, 12);
      if (at === 17) known.columns = 40;
      if (at === 17) screen.resized();
      screen.show([row], { rows: [`live ${at}`, ...bottom], cursor: { row: 2, column: 2 } });
      await terminal.screen();
    }
    const written = (await terminal.all()).join('');
    for (const at of text.keys()) expect(written).toContain(`end-${at}`);
  });
});
