import type { StoppedBy } from '../../../protocol/abort.ts';
import { countOmittedOutput } from '../../../protocol/display-text.ts';
import type { DenialReason, DeniedByRule, DeniedRequest } from '../../../protocol/permissions.ts';
import { quote } from '../text/escape-markup.ts';
import { type TextBudget, bytesPerToken, estimateTokens, truncateMiddle } from '../text/truncate.ts';

export interface CommandReport {
  readonly seconds: number;
  readonly end:
    | { readonly kind: 'exited'; readonly exitCode: number }
    | { readonly kind: 'running'; readonly sessionId: number }
    /** Absent if an earlier call set the limit. */
    | { readonly kind: 'timed-out'; readonly limitSeconds?: number }
    | { readonly kind: 'aborted'; readonly by: StoppedBy };
  readonly output: string;
  /** Path of the full output. The answer names it only if the output is cut. */
  readonly log?: string;
  readonly pruned?: readonly number[];
  /** Requests that the proxy refused. Absent: none. */
  readonly denied?: readonly DeniedRequest[];
  /** Local servers that were not reachable on the sandbox's loopback. Absent: none. */
  readonly serversLeftOut?: number;
}

/** If the output exceeds the budget, it is cut, and a warning with its full size precedes it. */
export function commandOutput(report: CommandReport, budget: TextBudget): string {
  const { tokens, lines } = sizeOf(report.output);
  const facts = [
    `Wall time: ${report.seconds.toFixed(4)} seconds`,
    endLine(report.end),
    ...deniedLines(report.denied ?? []),
    ...leftOutLines(report.serversLeftOut ?? 0),
    ...(report.pruned ?? []).map((id) => `Session ${id} was ended to make space`),
    `Original token count: ${tokens}`,
  ];
  const cut = truncateMiddle(report.output, budget);
  if (cut === report.output) return [...facts, 'Output:', cut].join('\n');
  const kept = report.log === undefined ? '' : `Full output: ${report.log}\n`;
  const warning = `Warning: truncated output (original token count: ${tokens})\nTotal output lines: ${lines}\n${kept}`;
  return [...facts, 'Output:', warning, cut].join('\n');
}

/** Size of everything printed, kept or not. */
function sizeOf(output: string): { readonly tokens: number; readonly lines: number } {
  const omitted = countOmittedOutput(output);
  const lines = output.split('\n').length - (output.endsWith('\n') ? 1 : 0);
  const tokens = estimateTokens(output);
  if (omitted === undefined) return { tokens, lines };
  return { tokens: tokens + Math.ceil(omitted.bytes / bytesPerToken), lines: lines - 1 + omitted.lines };
}

const abortedWords: Readonly<Record<StoppedBy, string>> = {
  user: 'aborted by user',
  program: 'aborted by the program that asked for the turn',
  engine: 'aborted because the program that ran the turn was closing',
  parent: 'aborted by the agent that started you',
  narrowed: 'aborted because your permissions became narrower',
};

function endLine(end: CommandReport['end']): string {
  switch (end.kind) {
    case 'exited':
      return `Process exited with code ${end.exitCode}`;
    case 'running':
      return `Process running with session ID ${end.sessionId}`;
    case 'timed-out':
      return `Process killed after its time limit${end.limitSeconds === undefined ? '' : ` of ${end.limitSeconds} seconds`}`;
    case 'aborted':
      return `Process killed: ${abortedWords[end.by]}`;
  }
}

const mostNamed = 5;
const longestHost = 80;
const longestReason = 200;
type BlockedReason = Exclude<DenialReason, 'unresolved' | 'declined'>;

const denialWords: Readonly<Record<BlockedReason, string>> = {
  denied: 'denied',
  not_allowed: 'not on the allow list',
  held_back: 'a rule asks first, and the user cannot be asked',
  not_asked: 'one command may ask about 20 hosts, and this one had',
  not_allowed_local: 'local or private host',
  method_not_allowed: 'only reading is allowed',
  mitm_required: 'only reading is allowed, and it is encrypted',
  policy_denied: 'this kind of connection is not allowed',
};

/** Omits declined requests: the answer itself reports them. */
function deniedLines(denied: readonly DeniedRequest[]): readonly string[] {
  const blocked = denied.flatMap((request) => {
    const { reason, protocol, rule } = request;
    if (reason === 'unresolved' || reason === 'declined') return [];
    const why = rule === undefined ? denialWords[reason] : ruleWords(rule);
    return [`${targetOf(request)} (${protocol === 'socks5_udp' ? 'UDP: ' : ''}${why})`];
  });
  const nowhere = denied.filter(({ reason }) => reason === 'unresolved').map(targetOf);
  return [
    ...listed('Network requests blocked by the policy', blocked),
    ...listed('Allowed by the policy, but the name cannot be resolved', nowhere),
  ];
}

/** The reason is quoted because it comes from a rule file, and may be too long for a list. */
function ruleWords({ why }: DeniedByRule): string {
  if (why === undefined) return 'denied by a rule';
  return `denied by a rule: ${quote(why.length > longestReason ? `${why.slice(0, longestReason)}…` : why)}`;
}

function leftOutLines(servers: number): readonly string[] {
  if (servers === 0) return [];
  const some = servers === 1 ? '1 server' : `${servers} servers`;
  return [
    `This machine has too many servers for the loopback of one command: ${some} of it cannot be reached there, only through the proxy.`,
  ];
}

function targetOf({ host, port }: DeniedRequest): string {
  const name = host.length > longestHost ? `${host.slice(0, longestHost)}…` : host;
  return `${host.includes(':') ? `[${name}]` : name}:${port}`;
}

function listed(title: string, all: readonly string[]): readonly string[] {
  const rest = all.length > mostNamed ? [`and ${all.length - mostNamed} more`] : [];
  return all.length === 0 ? [] : [`${title}: ${[...all.slice(0, mostNamed), ...rest].join(', ')}`];
}

export function patchOutput(
  { exitCode, seconds, output }: { readonly exitCode: number; readonly seconds: number; readonly output: string },
  budget: TextBudget,
): string {
  const cut = truncateMiddle(output, budget);
  const lines = cut === output ? [] : [`Total output lines: ${output.split('\n').length}`];
  const facts = [`Exit code: ${exitCode}`, `Wall time: ${Math.round(seconds * 10) / 10} seconds`, ...lines];
  return [...facts, 'Output:', cut].join('\n');
}

/** The patch is unreadable or does not fit the files. Nothing was written. */
export const patchUnfitText = (problem: string, budget: TextBudget): string =>
  truncateMiddle(`apply_patch verification failed: ${problem}`, budget);
export const editUnfitText = (problem: string, budget: TextBudget): string =>
  truncateMiddle(`edit_file failed: ${problem}`, budget);

/** Nothing was written. */
export const patchRejectedText = (reason: string, budget: TextBudget): string =>
  truncateMiddle(`patch rejected: ${reason}`, budget);

/** The turn ended before the patch began. */
export const patchAbortedText = (by: StoppedBy): string => `${abortedWords[by]} before anything was changed`;
export const callPatchToolText =
  'apply_patch verification failed: this command is a patch, which no shell can run. Call the tool apply_patch with it.';
export const callEditToolText =
  'apply_patch verification failed: this command is a patch, which no shell can run. Change files with the tool edit_file.';
export const patchNotPossible =
  'patch rejected: this command is a patch, and no file may be changed under the permissions that hold now.';
export const patchFromCommandText = (answer: string): string => `Wall time: 0.0000 seconds\nOutput:\n${answer}`;
