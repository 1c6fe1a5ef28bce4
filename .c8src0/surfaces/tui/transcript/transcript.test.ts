import { describe, expect, it } from 'vitest';
import type { Look } from '../screen/text/look.ts';
import { Transcript } from './transcript.ts';
import { TranscriptRows } from '../pages/transcript-pager.ts';

const look: Look = {
  width: 40,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'whole',
  now: 0,
  cwd: '/',
  home: '/h',
};

function conversation(answers: number): Transcript {
  const transcript = new Transcript();
  const add = (rows: readonly string[], prompt?: string): void =>
    void transcript.add({ cell: { rows: () => rows }, isFinal: true, ...(prompt === undefined ? {} : { prompt }) });
  for (let at = 0; at < answers; at++) {
    add([`ask ${at}`], `ask ${at}`);
    add(Array.from({ length: 10 }, (_, row) => `answer ${at}.${row}`));
  }
  return transcript;
}

describe('the last rows of a conversation', () => {
  it.each([
    // Each turn has 13 rows: a blank, the message, a blank and ten rows.
    [8, 0, 'ask 1'],
    [11, 0, 'ask 1'],
    [12, 0, undefined],
    [20, 0, undefined],
    [5, 6, 'ask 1'],
    [5, 7, undefined],
    [5, 13, 'ask 0'],
    [100, 0, undefined],
  ])('%i rows, %i back: above them is the message %s', (height, back, above) => {
    expect(conversation(2).promptAbove(look, height, back)).toBe(above);
  });

  it('are counted no further than asked', () => {
    expect([5, 26, 100].map((most) => conversation(2).rowCount(look, most))).toEqual([5, 26, 26]);
  });
});

describe('rows that are drawn from the end', () => {
  it('come in steps, with the number of those that came before', () => {
    let time = 0;
    let redraws = 0;
    // Every look at the clock takes longer than a step may.
    const rows = new TranscriptRows(conversation(20), { now: () => (time += 100), redraw: () => void redraws++ });
    expect(rows.drawMore(look)).toEqual({ added: 0, isWhole: false });
    const first = rows.rows(look);
    expect(first.at(-1)).toBe('answer 19.9');
    expect(first.length).toBeGreaterThanOrEqual(100);
    let added = 0;
    for (let isWhole = false; !isWhole;) {
      const step = rows.drawMore(look);
      added += step.added;
      isWhole = step.isWhole;
    }
    expect([first.length + added, rows.rows(look).length]).toEqual([260, 260]);
    expect(rows.stops(look).slice(0, 3)).toEqual([1, 14, 27]);
    expect(redraws).toBeGreaterThan(0);
  });
});
