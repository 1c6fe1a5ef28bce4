import { describe, expect, it } from 'vitest';
import { evaluateGoals } from '../../bench/report/goals.ts';
import type { MarkId, RowId } from '../../bench/report/marks.ts';
import { differences, distribution } from '../../bench/report/statistics.ts';
import { type Samples, summarise } from '../../bench/report/summary.ts';
import { goalTable, markdownTable, plainTable, summaryTable } from '../../bench/report/table.ts';

type Measured = Partial<Record<MarkId, Partial<Record<RowId, readonly number[]>>>>;

function samplesOf(measured: Measured): Samples {
  return new Map(
    Object.entries(measured).map(([mark, rows]) => [mark as MarkId, new Map(Object.entries(rows)) as never]),
  );
}

describe('distribution', () => {
  it('takes the middle one of an odd number, and half way between the middle two of an even number', () => {
    expect(distribution([9, 1, 5])).toEqual({ median: 5, p10: 1.8, p90: 8.2, p95: 8.6, count: 3 });
    expect(distribution([4, 1, 3, 2]).median).toBe(2.5);
  });

  it('of one sample is that sample', () => {
    expect(distribution([7])).toEqual({ median: 7, p10: 7, p90: 7, p95: 7, count: 1 });
  });

  it('of nothing is refused', () => {
    expect(() => distribution([])).toThrow('nothing was measured');
  });

  it('orders by value, not by text', () => {
    expect(distribution([100, 20, 3]).median).toBe(20);
  });
});

it('round trips are what lies between arrivals', () => {
  expect(differences([10, 14, 21])).toEqual([4, 7]);
  expect(differences([10])).toEqual([]);
});

describe('summary', () => {
  const summary = summarise(
    samplesOf({
      'round-trip-10k': { capstan: [10, 12, 11], codex: [80], floor: [4] },
      'round-trip-1m': { capstan: [14], codex: [100], floor: [6] },
      version: { capstan: [40], codex: [5], node: [32] },
    }),
  );

  it('sets every median against those of Codex and of the floor', () => {
    expect(summary.get('round-trip-10k')).toEqual([
      {
        id: 'capstan',
        median: 11,
        spread: { p10: 10.2, p90: 11.8, p95: 11.9, count: 3 },
        ofCodex: 0.1375,
        ofFloor: 2.75,
      },
      { id: 'codex', median: 80, spread: { p10: 80, p90: 80, p95: 80, count: 1 }, ofCodex: 1, ofFloor: 20 },
      { id: 'floor', median: 4, spread: { p10: 4, p90: 4, p95: 4, count: 1 }, ofCodex: 0.05, ofFloor: 1 },
    ]);
  });

  it('computes the extra cost from the two round trips', () => {
    expect(summary.get('extra-1m')).toEqual([
      { id: 'capstan', median: 3, ofCodex: 0.15, ofFloor: 1.5 },
      { id: 'codex', median: 20, ofCodex: 1, ofFloor: 10 },
      { id: 'floor', median: 2, ofCodex: 0.1, ofFloor: 1 },
    ]);
  });

  it('makes no ratio of a difference that noise has turned around', () => {
    const noisy = samplesOf({
      'round-trip-10k': { capstan: [10], floor: [4] },
      'round-trip-1m': { capstan: [9], floor: [6] },
    });
    expect(summarise(noisy).get('extra-1m')).toEqual([
      { id: 'capstan', median: -1 },
      { id: 'floor', median: 2, ofFloor: 1 },
    ]);
  });

  it('takes bare Node as the floor of --version', () => {
    expect(summary.get('version')?.map(({ ofFloor }) => ofFloor)).toEqual([1.25, 5 / 32, 1]);
  });

  it('takes a copy of the body as the floor of a step', () => {
    const steps = summarise(samplesOf({ 'step-10m': { capstan: [300], copy: [6000] } }));
    expect(steps.get('step-10m')?.map(({ ofFloor }) => ofFloor)).toEqual([0.05, 1]);
  });

  it('leaves out what was not measured', () => {
    expect([...summary.keys()]).toEqual(['round-trip-10k', 'round-trip-1m', 'extra-1m', 'version']);
  });
});

describe('goals', () => {
  const measured: Measured = {
    start: { capstan: [60], codex: [100] },
    'round-trip-10k': { capstan: [10], codex: [80], floor: [4] },
    'round-trip-1m': { capstan: [14], codex: [40], floor: [6] },
    'memory-10k': { capstan: [81], codex: [100] },
    resume: { capstan: [50], codex: [100] },
    'resume-turn': { capstan: [70], codex: [100] },
    sandbox: { capstan: [13, 15, 30], bare: [3, 4, 3] },
    'sandbox-files': { capstan: [15.5], bare: [3] },
    'terminal-frame': { capstan: [140], codex: [60], node: [33] },
    'terminal-session': { capstan: [401], codex: [700] },
    'terminal-echo': { capstan: [1, 2, 3] },
    // The delay of one key in twenty counts, however quick the others are.
    'terminal-echo-stream': { capstan: [...Array.from({ length: 18 }, () => 1), 19, 19] },
    'terminal-cores': { capstan: [0.15] },
    'terminal-resize-whole': { capstan: [80, 100], codex: [300] },
    'terminal-clears': { capstan: [1], codex: [9] },
    version: { capstan: [47], node: [32] },
  };

  it('are met up to their limit, missed beyond it, and open without numbers', () => {
    const verdicts = evaluateGoals(summarise(samplesOf(measured))).map(({ value, verdict }) => [value, verdict]);
    expect(verdicts).toEqual([
      [0.6, 'met'],
      [0.35, 'not met'],
      [2, 'met'],
      [81, 'met'],
      [0.81, 'not met'],
      [undefined, 'not measured'],
      [0.5, 'met'],
      [0.7, 'not met'],
      [12, 'met'],
      [undefined, 'not measured'],
      [12.5, 'not met'],
      [107, 'met'],
      [401, 'not met'],
      [expect.closeTo(2.9), 'met'],
      [19, 'not met'],
      [undefined, 'not measured'],
      [0.15, 'met'],
      [undefined, 'not measured'],
      [undefined, 'not measured'],
      [undefined, 'not measured'],
      [1, 'not met'],
      [undefined, 'not measured'],
      [90, 'met'],
      [15, 'met'],
    ]);
  });

  it('say nothing against a floor that was lost in the noise', () => {
    const noisy = { ...measured, 'round-trip-1m': { capstan: [14], codex: [40], floor: [3.9] } };
    expect(evaluateGoals(summarise(samplesOf(noisy)))[2]?.verdict).toBe('not measured');
  });
});

describe('tables', () => {
  const summary = summarise(
    samplesOf({ start: { capstan: [109.4], codex: [176.2] }, version: { capstan: [5.123], node: [40] } }),
  );

  it('name a mark once, with three digits that mean something', () => {
    expect(markdownTable(summaryTable(summary))).toBe(
      [
        '| Mark | Contender | Median | p10 – p90 | p95 | Of Codex | Of floor |',
        '| --- | --- | --- | --- | --- | --- | --- |',
        '| Start to first request | Capstan | 109 ms | 109 – 109 | 109 | 0.62 × |  |',
        '|  | Codex | 176 ms | 176 – 176 | 176 | 1.00 × |  |',
        '| --version | Capstan | 5.12 ms | 5.12 – 5.12 | 5.12 |  | 0.13 × |',
        '|  | bare Node | 40.0 ms | 40.0 – 40.0 | 40.0 |  | 1.00 × |',
        '',
      ].join('\n'),
    );
  });

  it('stand in columns in a terminal', () => {
    const goals = evaluateGoals(summary).filter(({ verdict }) => verdict !== 'not measured');
    expect(plainTable(goalTable(goals))).toBe(
      [
        'Goal                              Limit    This run',
        '────────────────────────────────  ───────  ────────  ───────',
        'Start to first request, of Codex  ≤ 0.6 ×  0.62 ×    not met',
        '`--version` over bare Node        ≤ 15 ms  -34.9 ms  met',
        '',
      ].join('\n'),
    );
  });
});
