import type { Settings } from '../core/envelope/settings.ts';
import { noOwnPlaces } from '../core/policy/paths/special-places.ts';
import type { PolicyDescription } from '../core/policy/profiles/describe-policy.ts';
import { readOnlyProfile } from '../core/policy/profiles/narrower-profile.ts';
import { resolvePolicy } from '../core/policy/profiles/resolve-policy.ts';
import { withNetworkRules } from '../core/policy/rules/rule-set.ts';
import type { ReadReport } from '../ports/thread-store.ts';
import { groupDigits } from '../protocol/outcome.ts';
import type { ResolvedPolicy } from '../protocol/permissions.ts';
import type { ThreadSummary } from '../protocol/thread.ts';

export function describeSkippedLines({ skipped, tooLong }: Pick<ReadReport, 'skipped' | 'tooLong'>): string {
  const lines = `${plural(skipped, 'line')} of the thread could not be read.`;
  return tooLong === undefined ? lines : `${lines} ${describeTooLongLines(tooLong)}`;
}

const mostNamed = 3;

export function describeTooLongLines(lines: NonNullable<ReadReport['tooLong']>): string {
  const named = lines
    .slice(0, mostNamed)
    .map(({ start, end }) => `The line at byte ${formatCount(start)} is too long (${formatBytes(end - start)}).`);
  return [
    ...named,
    ...(lines.length > mostNamed ? [`So are ${formatCount(lines.length - mostNamed)} more.`] : []),
  ].join(' ');
}

/** `1,234,567`. */
export const formatCount = (number: number): string => groupDigits(number);

/** `42 %` of a whole. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '-';
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? '<1 %' : `${Math.round(share)} %`;
}

/** `1, 3-5`. */
export function formatRanges(numbers: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

/** An estimate for people. Very small numbers are not rounded. */
export const approximateCount = (tokens: number): string =>
  tokens < 10 ? formatCount(tokens) : `about ${formatCount(tokens)}`;

/** `1 turn`, `2 turns`. */
export const plural = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;

/** Empty for a thread without turns that has something else to show: a review, a command of the user, a goal. */
export const describeTurnCount = ({ turns, preview }: Pick<ThreadSummary, 'turns' | 'preview'>): readonly string[] =>
  turns === 0 && preview !== '' ? [] : [plural(turns, 'turn')];

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** For example `3.4 MB`. */
export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

/** `0 s`, `12 s`, `2 min 5 s`, `1 h 4 min`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const words: Readonly<Record<string, string>> = {
  cwd: 'folder',
  approvals: 'approval',
  collaboration: 'mode',
  serviceTier: 'service tier',
  approvedPrefixes: 'approved commands',
  networkRules: 'network rules',
  developerInstructions: 'developer instructions',
  compactPrompt: 'compact prompt',
  onlyTools: 'only tools',
  withoutTools: 'tools left out',
  changesNothing: 'changes nothing',
};

export const settingLabel = (name: string): string => words[name] ?? name;

/** `a`, `a or b`, `a, b or c`. */
export function joinWithOr(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

type Named = Pick<PolicyDescription, 'mode' | 'network' | 'lists'>;
/** True if questions about hosts reach a user; otherwise such hosts are refused. */
type Asking = { readonly asksAboutRules: boolean };

/** A policy in a few words: the name of a user's profile, or the mode, then the part of the network that is open. */
export function policyWords(
  policy: Named,
  { profileName, ...asking }: Asking & { readonly profileName: string | undefined },
): string {
  const isOwn = profileName !== undefined && !profileName.startsWith(':');
  const name = isOwn ? `profile ${profileName}` : policy.mode;
  return policy.network === 'restricted' ? name : `${name}, ${networkWords(policy, asking)}`;
}

export function networkWords({ network, lists }: Pick<Named, 'network' | 'lists'>, { asksAboutRules }: Asking): string {
  if (network === 'restricted' || lists === undefined) return `network ${network}`;
  const { allow, deny, ask = [], local } = lists;
  const asked = ask.length === 0 ? '' : ` (${ask.length} ${asksAboutRules ? 'asked about' : 'refused'})`;
  if (!allow.includes('*')) return `${allow.length === 1 ? '1 host' : `${allow.length} hosts`}${asked}`;
  return `${local ? 'all hosts' : 'public hosts'}${deny.length === 0 ? '' : ` except ${deny.length}`}${asked}`;
}

/** A thread's policy for sentences, resolved without the machine's facts: git folders and Capstan's own places. */
export function policyInForce({
  cwd,
  sandbox,
  collaboration,
  changesNothing,
  networkRules = [],
}: Pick<Settings, 'cwd' | 'sandbox' | 'collaboration' | 'changesNothing' | 'networkRules'>): ResolvedPolicy {
  const places = { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
  const isReadOnly = changesNothing === true || collaboration?.mode === 'plan';
  return withNetworkRules(resolvePolicy(isReadOnly ? readOnlyProfile(sandbox) : sandbox, places), networkRules);
}
