import { type Budget, estimateTokens, truncateMiddle } from '../text/truncate.ts';

/** How a command came to its end, as the model is told. */
export interface CommandReport {
  readonly seconds: number;
  readonly end:
    | { readonly kind: 'exited'; readonly exitCode: number }
    | { readonly kind: 'timed-out'; readonly limitSeconds: number }
    | { readonly kind: 'aborted' };
  readonly output: string;
}

/** The answer to a command call. Over budget, the output is cut and a warning with its full size comes first. */
export function commandOutput(report: CommandReport, budget: Budget): string {
  const tokens = estimateTokens(report.output);
  const facts = [
    `Wall time: ${report.seconds.toFixed(4)} seconds`,
    endLine(report.end),
    `Original token count: ${tokens}`,
  ];
  const cut = truncateMiddle(report.output, budget);
  if (cut === report.output) return [...facts, 'Output:', cut].join('\n');
  const lines = report.output.split('\n').length;
  const warning = `Warning: truncated output (original token count: ${tokens})\nTotal output lines: ${lines}\n`;
  return [...facts, 'Output:', warning, cut].join('\n');
}

function endLine(end: CommandReport['end']): string {
  switch (end.kind) {
    case 'exited':
      return `Process exited with code ${end.exitCode}`;
    case 'timed-out':
      return `Process killed after its time limit of ${end.limitSeconds} seconds`;
    case 'aborted':
      return 'Process killed: aborted by user';
  }
}
