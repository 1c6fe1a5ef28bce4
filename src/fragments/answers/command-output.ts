import type { DeniedRequest, DenialReason } from '../../protocol/denied-request.ts';
import { type Budget, estimateTokens, truncateMiddle } from '../text/truncate.ts';

/** How a command came to its end, as the model is told. */
export interface CommandReport {
  readonly seconds: number;
  readonly end:
    | { readonly kind: 'exited'; readonly exitCode: number }
    | { readonly kind: 'timed-out'; readonly limitSeconds: number }
    | { readonly kind: 'aborted' };
  readonly output: string;
  /** What the proxy refused to the command. Absent: there is none. */
  readonly denied?: readonly DeniedRequest[];
}

/** The answer to a command call. Over budget, the output is cut and a warning with its full size comes first. */
export function commandOutput(report: CommandReport, budget: Budget): string {
  const tokens = estimateTokens(report.output);
  const facts = [
    `Wall time: ${report.seconds.toFixed(4)} seconds`,
    endLine(report.end),
    ...deniedLine(report.denied ?? []),
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

/** Requests that are named; the rest is counted. */
const mostNamed = 5;
const longestHost = 80;

const denialWords: Readonly<Record<DenialReason, string>> = {
  denied: 'denied',
  not_allowed: 'not on the allow list',
  held_back: 'a rule asks first, and the user cannot be asked',
  not_asked: 'one command may ask about 20 hosts, and this one had',
  declined: 'asked about and not allowed',
  not_allowed_local: 'local or private host',
  unresolved: 'its name cannot be resolved',
  method_not_allowed: 'only reading is allowed',
  mitm_required: 'only reading is allowed, and it is encrypted',
  policy_denied: 'this kind of connection is not allowed',
};

function deniedLine(denied: readonly DeniedRequest[]): readonly string[] {
  if (denied.length === 0) return [];
  const named = denied.slice(0, mostNamed).map(({ host, port, protocol, reason }) => {
    const name = host.length > longestHost ? `${host.slice(0, longestHost)}…` : host;
    const place = `${host.includes(':') ? `[${name}]` : name}:${port}`;
    return `${place} (${protocol === 'socks5_udp' ? 'UDP: ' : ''}${denialWords[reason]})`;
  });
  const rest = denied.length > mostNamed ? [`and ${denied.length - mostNamed} more`] : [];
  return [`Network requests blocked by the policy: ${[...named, ...rest].join(', ')}`];
}
