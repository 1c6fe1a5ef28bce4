import type { Machine } from '../machine.ts';
import type { Goal } from './goals.ts';
import type { Summary } from './summary.ts';
import { goalTable, markdownTable, summaryTable } from './table.ts';

export interface Report {
  readonly machine: Machine;
  /** By program. */
  readonly versions: Readonly<Record<string, string>>;
  readonly effort: 'full' | 'quick';
  /** The number of repetitions, in words. */
  readonly repetitions: string;
  readonly summary: Summary;
  readonly goals: readonly Goal[];
  /** The contenders that could not be measured, and why. */
  readonly missing: readonly string[];
}

/** The text of RESULTS.md. */
export function resultsPage(report: Report): string {
  const { machine, versions, effort, repetitions, summary, goals, missing } = report;
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const busy = machine.isBusy ? ' **The machine was busy: read the ratios, not the times.**' : '';
  return `# Results

Written by \`npm run bench\`; [docs/performance.md](../docs/performance.md) says what each mark means.

- Date: ${machine.date}
- Machine: ${machine.cores} cores, ${machine.memoryGiB} GiB of memory, ${machine.platform} ${machine.architecture}
- Load average at the start: ${machine.load.toFixed(2)}.${busy}
- Programs: ${programs.join(', ')}
- ${effort === 'full' ? 'Full' : '**Quick**'} run: ${repetitions}

## Goals

${markdownTable(goalTable(goals))}
## Marks

Medians of runs that took turns; between p10 and p90 lie four fifths of what was measured.

${markdownTable(summaryTable(summary))}${missing.length === 0 ? '' : `\nNot measured:\n\n${missing.map((line) => `- ${line}\n`).join('')}`}`;
}
