import { describe, expect, it } from 'vitest';
import { answerCell } from '../../src/surfaces/tui/transcript/cells/answer-cells.ts';
import { splitGraphemes, countColumns } from '../../src/base/text-columns.ts';
import type { Look } from '../../src/surfaces/tui/screen/text/look.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';

const look: Look = {
  width: 20,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/w',
  home: '/h',
};

const samples = {
  Hebrew: 'שָׁלוֹם עוֹלָם, זה טקסט ארוך מאוד שנכתב מימין לשמאל and some English inside of it 123.',
  Arabic: 'مَرْحَبًا بِالعَالَم، هذا نص طويل مكتوب من اليمين إلى اليسار with Latin words و ١٢٣.',
  Chinese: '這是一段沒有空格的很長的中文文字需要在窄的螢幕上換行而不會遺失任何一個字。',
  Thai: 'ภาษาไทยเขียนโดยไม่เว้นวรรคระหว่างคำและมีสระและวรรณยุกต์',
  Devanagari: 'नमस्ते दुनिया, यह एक लंबा वाक्य है जो कई पंक्तियों में आता है।',
  combining: 'e\u0301t\u0301e\u0301 '.repeat(12),
  emoji: '👩‍👩‍👧‍👦 🇩🇪 👍🏽 ❤️ family and flags '.repeat(4),
};

describe('text of every script', () => {
  it.each(Object.entries(samples))('%s keeps its order and its signs at every width', (_, text) => {
    for (const width of [2, 8, 20, 80, 300]) {
      const rows = answerCell({ text }).rows({ ...look, width });
      expect(rows.filter((row) => countColumns(row) > width)).toEqual([]);
      const shown = rows.map((row) => row.replace(/^[•\s]+/, '')).join('');
      // In the order in which it was written: turning it is the terminal's work, row by row.
      expect(shown.replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      const known = new Set([...splitGraphemes(text)].map((cluster) => cluster.text));
      const split = rows.flatMap((row) => [...splitGraphemes(row.replace(/^•/, ''))].map((cluster) => cluster.text));
      expect(split.filter((sign) => sign !== ' ' && !known.has(sign))).toEqual([]);
    }
  });

  it.each(['Hebrew', 'Arabic', 'Chinese', 'combining'] as const)(
    '%s takes the columns that were counted',
    async (name) => {
      const terminal = new MemoryTerminal(20, 60);
      const rows = answerCell({ text: samples[name] }).rows(look);
      for (const row of rows) terminal.write(`${row}\r\n`);
      // A row that the terminal broke would stand on two of its rows.
      expect((await terminal.screen()).slice(0, rows.length)).toEqual(rows.map((row) => row.trimEnd()));
      expect((await terminal.cursor()).row).toBe(rows.length);
    },
  );
});
