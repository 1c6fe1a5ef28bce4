import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { defaultScreenLook } from '../../screen/tui-screen.ts';
import { Transcript } from '../transcript.ts';
import type { Look } from '../../screen/text/look.ts';
import { answerCell, AnswerStream } from './answer-cells.ts';
import type { Cell } from './cell.ts';

const block = fc.constantFrom(
  'words of a paragraph that is longer than a narrow screen',
  '- an item\n- another item of the same list\n  - and one in it',
  '> quoted\n> words',
  '```ts\nconst a = 1;\n\nconst b = 2;\n```',
  '| a | b |\n|---|---|\n| 1 | a longer value |',
  '# A heading',
  '',
  '   ',
);
const text = fc.array(block, { maxLength: 12 }).map((blocks) => blocks.join('\n\n'));
const plan = fc.constantFrom(undefined, '- first\n- second');
const looks = fc
  .record({ width: fc.integer({ min: 4, max: 60 }), glyphs: fc.constantFrom('unicode' as const, 'words' as const) })
  .map((chosen): Look => ({
    ...defaultScreenLook({}, { cwd: '/w', home: '/h' }),
    now: 0,
    details: 'folded',
    ...chosen,
  }));
const runs = { numRuns: 100 * inject('runFactor') };

function expectEnds(cell: Cell, look: Look, least: number): void {
  const all = cell.rows(look);
  const last = cell.lastRows?.(look, least);
  if (last === undefined) return;
  expect(last.rows).toEqual(all.slice(all.length - last.rows.length));
  expect(last.rows.length).toBeGreaterThanOrEqual(Math.min(least, all.length));
  expect(last.isAll).toBe(last.rows.length === all.length);
}

it('the last rows of an answer are the last of all its rows, however many are asked for', () => {
  fc.assert(
    fc.property(text, plan, looks, fc.nat({ max: 40 }), (said, proposed, look, least) => {
      expectEnds(answerCell({ text: said, ...(proposed === undefined ? {} : { plan: proposed }) }), look, least);
    }),
    runs,
  );
});

it('the same of an answer that still arrives, and its rows from any on', () => {
  fc.assert(
    fc.property(text, looks, fc.nat({ max: 40 }), fc.nat({ max: 200 }), (said, look, count, cut) => {
      const stream = new AnswerStream();
      stream.append(`${said.slice(0, cut)}\n<proposed_plan>\n- a\n</proposed_plan>\n`.slice(0, cut));
      expectEnds(stream, look, count);
      expect(stream.rowsFrom(look, count)).toEqual(stream.rows(look).slice(count));
    }),
    runs,
  );
});

it('a screen of a long answer shows the same as if it were drawn whole, wherever it is scrolled to', () => {
  const entry = fc.record({ said: text, isPrompt: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 4 }),
      looks,
      fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 60 })), { minLength: 1, maxLength: 5 }),
      (entries, look, places) => {
        const [whole, drawn] = [new Transcript(), new Transcript()];
        for (const { said, isPrompt } of entries) {
          const cell = answerCell({ text: said });
          const prompt = isPrompt ? { prompt: said } : {};
          drawn.add({ cell, isFinal: true, ...prompt });
          whole.add({ cell: { rows: (each) => cell.rows(each) }, isFinal: true, ...prompt });
        }
        const seen = (transcript: Transcript) =>
          places.map(([height, back]) => [
            transcript.lastRows(look, height, back),
            transcript.promptAbove(look, height, back),
            transcript.rowCount(look, height + back),
          ]);
        expect(seen(drawn)).toEqual(seen(whole));
      },
    ),
    runs,
  );
});

it('a screen of an answer of 2,000 lines draws a screen of it', () => {
  const cell = answerCell({ text: Array.from({ length: 2000 }, (_, at) => `- line ${at}`).join('\n') });
  const look: Look = { ...defaultScreenLook({}, { cwd: '/w', home: '/h' }), now: 0, details: 'folded', width: 80 };
  expect(cell.lastRows?.(look, 40).rows).toHaveLength(40);
  const transcript = new Transcript();
  transcript.add({ cell: { ...cell, rows: () => expect.unreachable('drawn whole') }, isFinal: true });
  expect(transcript.lastRows(look, 40, 0).at(-1)).toContain('line 1999');
  expect(transcript.promptAbove(look, 40, 0)).toBeUndefined();
  expect(transcript.lastRows({ ...look, width: 60 }, 40, 100).at(-1)).toContain('line 1899');
});
