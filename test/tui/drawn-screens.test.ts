import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/surfaces/tui/screen/view.ts';
import { FullScreen, InlineScreen } from '../../src/surfaces/tui/screen/inline-and-full-screen.ts';
import { splitGraphemes, countColumns } from '../../src/base/text-columns.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';

/** A screen that paints all of the live part for each frame. */
class PaintedScreen {
  readonly #terminal: MemoryTerminal;
  #row = 0;

  constructor(terminal: MemoryTerminal) {
    this.#terminal = terminal;
  }

  show(finished: readonly string[], { rows, cursor }: Frame): void {
    const up = this.#row > 0 ? `\u001B[${this.#row}A` : '';
    const row = cursor?.row ?? 0;
    const back = rows.length - 1 - row;
    const place = `${back > 0 ? `\u001B[${back}A` : ''}\u001B[${(cursor?.column ?? 0) + 1}G`;
    this.#terminal.write(`${up}\r\u001B[J${[...finished, ...rows].join('\r\n')}${place}`);
    this.#row = row;
  }

  /** The screen that is tested has found the place, and both terminals had the same on them. */
  resized(sequence: string): void {
    this.#terminal.write(sequence);
    this.#row = 0;
  }
}

interface Piece {
  readonly text: string;
  readonly codes: string;
}
type Line = readonly Piece[];

const piece = fc.record({
  text: fc
    .array(
      fc.constantFrom('a', 'b', ' ', '-', 'é', 'e\u0301', '•', '漢', '語', '❤\uFE0F', '1\uFE0F\u20E3', '👩‍💻', '한'),
      {
        minLength: 1,
        maxLength: 9,
      },
    )
    .map((signs) => signs.join('')),
  codes: fc.constantFrom('', '', '1', '2', '7', '36', '1;38;5;100', '48;5;17'),
});
const line: fc.Arbitrary<Line> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom('x', 'y', ' '), maxLength: 30 }).map((text) => [{ text, codes: '' }]),
  },
  { weight: 2, arbitrary: fc.array(piece, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant([]) },
);

const place = fc.nat({ max: 20 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('insert' as const),
      at: place,
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('remove' as const), at: place, count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('extend' as const), at: place, piece }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), at: place, line }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('roll' as const), at: place, line }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('print' as const), lines: fc.array(line, { maxLength: 12 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('resize' as const),
      columns: fc.integer({ min: 8, max: 32 }),
      rows: fc.integer({ min: 2, max: 14 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const nothing: Step = { do: 'print', lines: [] };

/** The lines of the live part after a step, and those that it finished. */
function after(
  lines: readonly Line[],
  step: Step,
): { readonly lines: readonly Line[]; readonly finished: readonly Line[] } {
  const spot = 'at' in step ? Math.min(step.at, Math.max(0, lines.length - 1)) : 0;
  switch (step.do) {
    case 'insert':
      return { lines: lines.toSpliced(spot, 0, ...step.lines), finished: [] };
    case 'remove':
      return { lines: lines.toSpliced(spot, step.count), finished: [] };
    case 'extend':
      return { lines: lines.map((each, at) => (at === spot ? [...each, step.piece] : each)), finished: [] };
    case 'change':
      return { lines: lines.map((each, at) => (at === spot ? step.line : each)), finished: [] };
    case 'roll':
      return { lines: lines.toSpliced(spot, 0, step.line).slice(1), finished: [] };
    case 'finish':
      return { lines: lines.slice(step.count), finished: lines.slice(0, step.count) };
    case 'print':
      return { lines, finished: step.lines };
    case 'resize':
      return { lines, finished: [] };
  }
}

/** As the surface draws it: what does not fit is cut off, and each style is closed. */
function draw(pieces: Line, width: number): string {
  let [drawn, left] = ['', width];
  for (const { text, codes } of pieces) {
    let kept = '';
    for (const cluster of splitGraphemes(text)) {
      if (cluster.columns > left) break;
      kept += cluster.text;
      left -= cluster.columns;
    }
    if (kept !== '') drawn += codes === '' ? kept : `\u001B[${codes}m${kept}\u001B[0m`;
  }
  return drawn;
}

function frameOf(lines: readonly Line[], { columns, rows: height }: MemoryTerminal, seed: number): Frame {
  const rows = lines.slice(Math.max(0, lines.length - height)).map((each) => draw(each, columns));
  const row = rows.length === 0 ? 0 : seed % rows.length;
  return { rows, cursor: { row, column: Math.min(columns - 1, countColumns(rows[row] ?? '') % 7) } };
}

const story = fc.record({
  columns: fc.integer({ min: 8, max: 32 }),
  rows: fc.integer({ min: 2, max: 14 }),
  start: fc.array(line, { minLength: 1, maxLength: 12 }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
});

describe('a screen that writes what changed', () => {
  it('leaves the terminal as one does that paints the live part again', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ columns, rows, start, steps }) => {
        const [terminal, painted] = [new MemoryTerminal(columns, rows), new MemoryTerminal(columns, rows)];
        for (const each of [terminal, painted]) each.write('$ before\r\n');
        const screen = new InlineScreen(terminal, true);
        const reference = new PaintedScreen(painted);
        let lines: readonly Line[] = start;
        for (const [at, step] of [nothing, ...steps].entries()) {
          const next = after(lines, step);
          lines = next.lines.length === 0 ? [[]] : next.lines;
          if (step.do === 'resize') {
            await Promise.all([terminal.screen(), painted.screen()]);
            for (const each of [terminal, painted]) each.resize(step.columns, step.rows);
            const { length } = terminal.written;
            screen.resized();
            reference.resized(terminal.written.slice(length));
          }
          const finished = next.finished.map((each) => draw(each, terminal.columns));
          const frame = frameOf(lines, terminal, at);
          screen.show(finished, frame);
          reference.show(finished, frame);
          expect(await terminal.drawn()).toEqual(await painted.drawn());
          expect(await terminal.cursor()).toEqual(await painted.cursor());
          const { length } = terminal.written;
          screen.show([], frame);
          expect(terminal.written.slice(length)).toBe('');
        }
        expect(terminal.written).not.toMatch(/\u001B\[[23]J/);
      }),
      { numRuns: 50 },
    );
  });

  it('does so on a screen of its own', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ columns, rows, start, steps }) => {
        const terminal = new MemoryTerminal(columns, rows);
        const screen = new FullScreen(terminal);
        screen.begin();
        let lines: readonly Line[] = start;
        for (const [at, step] of steps.entries()) {
          lines = after(lines, step).lines;
          if (step.do === 'resize') {
            await terminal.screen();
            terminal.resize(step.columns, step.rows);
            screen.forget();
          }
          const frame = frameOf(lines, terminal, at);
          screen.show(frame);
          const painted = new MemoryTerminal(terminal.columns, terminal.rows);
          const fresh = new FullScreen(painted);
          fresh.begin();
          fresh.show(frame);
          expect(await terminal.drawn()).toEqual(await painted.drawn());
          expect(await terminal.cursor()).toEqual(await painted.cursor());
          const { length } = terminal.written;
          screen.show(frame);
          expect(terminal.written.slice(length)).toBe('');
        }
      }),
      { numRuns: 40 },
    );
  });

  it('scrolls text above a composer by writing the rows that are new', () => {
    const terminal = new MemoryTerminal(100, 40);
    const screen = new FullScreen(terminal);
    screen.begin();
    const bottom = ['', '› Ask', '', 'status'];
    const text = Array.from({ length: 400 }, (_, at) => `${at} ${'word '.repeat(18)}`);
    for (let end = 36; end <= text.length; end += 2) screen.show({ rows: [...text.slice(end - 36, end), ...bottom] });
    expect(terminal.written.length / text.join('').length).toBeLessThan(1.3);
  });
});
