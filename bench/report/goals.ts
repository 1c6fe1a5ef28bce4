import type { MarkId, RowId } from './marks.ts';
import { medianOf, type Summary } from './summary.ts';

/** A goal of Capstan, and whether the numbers of this run meet it. */
export interface Goal {
  readonly text: string;
  /** As the goal counts it; absent when a mark that it needs was not measured. */
  readonly value?: number;
  readonly limit: number;
  readonly unit: '×' | 'ms' | 'cores' | 'MB' | 'KB' | 'times';
  readonly verdict: 'met' | 'not met' | 'not measured';
}

export function evaluateGoals(summary: Summary): readonly Goal[] {
  const ofCodex = (mark: MarkId): number | undefined =>
    ratio(medianOf(summary, mark, 'capstan'), medianOf(summary, mark, 'codex'));
  const extra = ratio(medianOf(summary, 'extra-1m', 'capstan'), medianOf(summary, 'extra-1m', 'floor'));
  const over = (mark: MarkId, row: RowId): number | undefined => {
    const [median, base] = [medianOf(summary, mark, 'capstan'), medianOf(summary, mark, row)];
    return median === undefined || base === undefined ? undefined : median - base;
  };
  const own = (mark: MarkId): number | undefined => medianOf(summary, mark, 'capstan');
  const p95 = (mark: MarkId): number | undefined => summary.get(mark)?.find(({ id }) => id === 'capstan')?.spread?.p95;
  return [
    goal('Start to first request, of Codex', ofCodex('start'), 0.6, '×'),
    goal('Round trip with 1 MB of history, of Codex', ofCodex('round-trip-1m'), 0.3, '×'),
    goal('Extra cost of 1 MB, of the floor', extra, 2, '×'),
    goal('Peak memory with 10 KB of history', own('memory-10k'), 95, 'MB'),
    goal('Peak memory with 10 KB of history, of Codex', ofCodex('memory-10k'), 0.8, '×'),
    goal('Peak memory with 1 MB of history, of Codex', ofCodex('memory-1m'), 0.8, '×'),
    goal('Resume of a 10 MB thread, of Codex', ofCodex('resume'), 0.7, '×'),
    goal('Resume of a 19 MB turn, of Codex', ofCodex('resume-turn'), 0.55, '×'),
    goal('Sandboxed `true` over bare', over('sandbox', 'bare'), 12, 'ms'),
    goal('Sandboxed `true` with 20 carve-outs over bare', over('sandbox-carved', 'bare'), 12, 'ms'),
    goal('Sandboxed `true` among 10,000 files over bare', over('sandbox-files', 'bare'), 12, 'ms'),
    goal('Terminal: first frame over bare Node', over('terminal-frame', 'node'), 110, 'ms'),
    goal('Terminal: conversation ready', own('terminal-session'), 400, 'ms'),
    goal('Terminal: key to letter, idle (p95)', p95('terminal-echo'), 10, 'ms'),
    goal('Terminal: key to letter, streaming (p95)', p95('terminal-echo-stream'), 10, 'ms'),
    goal('Terminal: processor time of 3,000 deltas, of Codex', ofCodex('terminal-cpu'), 0.5, '×'),
    goal('Terminal: processor while 800 deltas/s stream', own('terminal-cores'), 0.15, 'cores'),
    goal('Terminal: memory with 20,000 lines', own('terminal-memory'), 150, 'MB'),
    goal('Terminal: written per streamed KB', own('terminal-bytes'), 4, 'KB'),
    goal('Terminal: frames that change nothing', own('terminal-idle-frames'), 0, 'times'),
    goal('Terminal: screen or scrollback cleared', own('terminal-clears'), 0, 'times'),
    goal('Terminal: resize below 20,000 lines, scrollback', own('terminal-resize'), 100, 'ms'),
    goal('Terminal: resize with 20,000 lines, whole screen', own('terminal-resize-whole'), 100, 'ms'),
    goal('`--version` over bare Node', over('version', 'node'), 15, 'ms'),
  ];
}

function goal(text: string, value: number | undefined, limit: number, unit: Goal['unit']): Goal {
  if (value === undefined) return { text, limit, unit, verdict: 'not measured' };
  return { text, value, limit, unit, verdict: value <= limit ? 'met' : 'not met' };
}

/** A base that is not above zero was lost in the noise: nothing can be said against it. */
function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined || base <= 0 ? undefined : value / base;
}
