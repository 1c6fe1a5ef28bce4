import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../testing/test-inputs.ts';
import { markRow, stripRowStyles, SearchableRows } from './find-bar.ts';

const rows = ['• First line of an', '  answer that goes on', '', '\u001B[1mBold\u001B[0m and plain, ANSWER', 'İ stays'];

describe('a search in rows', () => {
  it('finds words in any case, through styles and over the end of a row', () => {
    const text = new SearchableRows(rows);
    const found = text.find('answer');
    expect(found.map((range) => text.rowOf(range))).toEqual([1, 3]);
    expect(text.marksIn(3, found)).toEqual([{ from: 16, to: 22 }]);
    const wrapped = text.find('of  an\nanswer that');
    expect(wrapped.map((range) => text.rowOf(range))).toEqual([0]);
    expect([text.marksIn(0, wrapped), text.marksIn(1, wrapped)]).toEqual([
      [{ from: 13, to: 18 }],
      [{ from: 2, to: 13 }],
    ]);
    expect(text.find('bold and')).toHaveLength(1);
    expect(text.find('İ')).toHaveLength(1);
    expect([text.find(' '), text.find('nowhere')]).toEqual([[], []]);
  });

  it('finds in many rows in one pass', () => {
    const [last, each] = expectLinear(10_000, (length) => {
      const row = (at: number): string => `\u001B[32mrow ${at}\u001B[0m with words that go on and on`;
      const text = new SearchableRows(Array.from({ length }, (_, at) => row(at)));
      return [text.find(`row ${length - 1}`).map((range) => text.rowOf(range)), text.find('words')];
    });
    expect([last, each.length]).toEqual([[9999], 10_000]);
    expect(new SearchableRows(Array.from({ length: 10_001 }, () => 'words')).find('words')).toHaveLength(10_000);
  });
});

describe('a marked row', () => {
  it('keeps its text and its styles, and is in reverse where it is marked', () => {
    const row = '\u001B[1mBold\u001B[0m and plain';
    const marked = markRow(row, [
      { from: 2, to: 8 },
      { from: 9, to: 14 },
    ]);
    expect(marked).toBe('\u001B[1mBo\u001B[7mld\u001B[0m\u001B[7m and\u001B[27m \u001B[7mplain\u001B[27m');
    expect(stripRowStyles(marked)).toBe('Bold and plain');
    expect(markRow(row, [])).toBe(row);
  });
});
