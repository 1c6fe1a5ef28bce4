import { describe, expect, it } from 'vitest';
import { defaultScreenLook } from '../../screen/tui-screen.ts';
import { countColumns } from '../../../../base/text-columns.ts';
import { drawRow } from '../../screen/text/draw-row.ts';
import type { Look } from '../../screen/text/look.ts';
import { diffLinesOf, diffRows } from './patch-cells.ts';

const plain = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 30, details: 'folded', now: 0 };

const drawn = (diff: string, some: Partial<Look> = {}, path = 'a.txt'): readonly string[] =>
  diffRows(diffLinesOf({ diff, kind: 'update' }), path, { ...look, ...some }).map((row) =>
    drawRow(row, { ...look, ...some }),
  );

describe('rows of a diff', () => {
  it.each([
    [
      'numbers of three digits stand in a column',
      '@@ -98,3 +98,4 @@\n same\n-old\n+new\n+more\n same',
      ['     98  same', '     99 -old', '     99 +new', '    100 +more', '    101  same'],
    ],
    ['tabs are four columns', '@@\n-\tx\ty\n+\tx', ['    -    x    y', '    +    x']],
    [
      'a file without a newline at its end',
      '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b',
      ['    1 -a', '    No newline at end of file', '    1 +b'],
    ],
    ['hunks are apart', '@@ -1 +1 @@\n+a\n@@ -9 +9 @@ turn()\n+b', ['    1 +a', '    ⋮ turn()', '    9 +b']],
    ['nothing', '', []],
  ])('%s', (_, diff, rows) => {
    expect(drawn(diff)).toEqual(rows);
  });

  it('wide characters are broken where the row ends, under the text and never in two', () => {
    expect(drawn('@@ -7 +7 @@\n+漢字漢字漢字漢字漢字漢字漢字 end', { width: 20 })).toEqual([
      '    7 +漢字漢字漢字',
      '       漢字漢字漢字',
      '       漢字 end',
    ]);
    for (let width = 1; width < 40; width += 1)
      for (const row of drawn('@@ -99 +99 @@\n+漢👩‍👩‍👧e\u0301\tx\n-ﾊﾞ', { width }))
        expect(countColumns(row)).toBeLessThanOrEqual(width);
  });

  it('a very large hunk is drawn without the colours of its language', () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `+const line${at} = "text"; // comment`);
    const rows = drawn(`@@ -1 +1 @@\n${lines.join('\n')}`, { width: 80, colours: 'sixteen' }, 'a.ts');
    expect(rows).toHaveLength(30_000);
    expect(rows[29_999]).not.toContain('\u001B[35m');
    expect(drawn('+const x = 1;', { colours: 'sixteen' }, 'a.ts').join('')).toContain('const');
  });
});
