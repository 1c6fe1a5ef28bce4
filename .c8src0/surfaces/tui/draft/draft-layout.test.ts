import { expect, it } from 'vitest';
import { countColumns } from '../../../base/text-columns.ts';
import { draftRows } from './draft-layout.ts';

it('a long draft has the same rows as its lines alone, after every change and at every width', () => {
  const lines = Array.from({ length: 300 }, (_, at) => `${at % 7} ${'word 日本 '.repeat(at % 9)}`);
  for (const width of [20, 7, 20]) {
    for (const changed of [lines, lines.toSpliced(150, 1, 'new'), [...lines, 'x'.repeat(50)]]) {
      let from = 0;
      const alone = changed.flatMap((line) => {
        const rows = draftRows(line, width, countColumns).map(({ start, end }) => ({
          start: start + from,
          end: end + from,
        }));
        from += line.length + 1;
        return rows;
      });
      expect(draftRows(changed.join('\n'), width, countColumns)).toEqual(alone);
    }
  }
});
