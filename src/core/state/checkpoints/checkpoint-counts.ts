import { hasTexts, type JsonObject, numberAt, objectAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { addUsage, noUsage, tokenCountNames, type Usage } from '../../../protocol/usage.ts';
import { readUsage, usageFields } from '../drafts/usage-and-failure-fields.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';

export interface CheckpointCounts {
  readonly count: number;
  /** Automatic checkpoints that failed since the last success. */
  readonly failures: number;
  readonly spent: Usage;
  /** Entries in history at the first request after the newest checkpoint; `not-yet` before it. Absent: no checkpoint. */
  readonly seen?: number | 'not-yet';
  /** A window is the span between two checkpoints. Absent until it has a name. */
  readonly window?: WindowName;
}

interface WindowName {
  readonly first: string;
  readonly id: string;
  /** Counted from 0. */
  readonly number: number;
}

export const noCheckpoints: CheckpointCounts = { count: 0, failures: 0, spent: noUsage };
const patience = 2;
export const isCompactionPaused = ({ failures }: CheckpointCounts): boolean => failures >= patience;

export function foldCheckpoint(checkpoints: CheckpointCounts, payload: JsonObject): CheckpointCounts {
  const spent = readCheckpointReport(payload)?.usage ?? noUsage;
  const count = checkpoints.count + 1;
  const window = windowName(payload['first_window_id'], payload['window_id'], payload['window_number'] ?? count);
  const total = addUsage(checkpoints.spent, spent);
  return { count, failures: 0, seen: 'not-yet', spent: total, window: window ?? checkpoints.window };
}

/** Folds the line of a request, or of a provider's count of it. `length`: entries in history. */
export const foldRequestSeen = (checkpoints: CheckpointCounts, length: number): CheckpointCounts =>
  checkpoints.seen === 'not-yet' ? { ...checkpoints, seen: length } : checkpoints;

/** State after a rollback to a place with `length` entries. Counts and costs of later checkpoints remain. */
export function checkpointsAfterRollback(now: CheckpointCounts, then: CheckpointCounts, length: number) {
  const seen = now.count === then.count ? now.seen : then.seen;
  return { ...now, seen: typeof seen === 'number' ? Math.min(seen, length) : seen };
}

export interface FailedCompaction {
  readonly id: string;
  readonly turnId: string;
  readonly trigger: 'manual' | 'auto';
  readonly outcome: Outcome;
  readonly usage: Usage;
  readonly requests: number;
  readonly paused: boolean;
}

export function compactionFailedLine(failed: FailedCompaction): LineDraft {
  const { id, turnId, trigger, usage, requests, paused } = failed;
  const { code, message, next } = failed.outcome;
  const why = { outcome: { code, message, next }, paused: paused || undefined };
  const payload = { id, turn_id: turnId, trigger, ...why, usage: usageFields(usage), requests };
  return { type: lineType.compaction, payload };
}

export function willPauseCompaction(
  checkpoints: CheckpointCounts,
  failed: Pick<FailedCompaction, 'trigger' | 'outcome'>,
) {
  const payload = { trigger: failed.trigger, outcome: { code: failed.outcome.code } };
  return failed.trigger === 'auto' && isCompactionPaused(foldFailed(checkpoints, payload));
}

const passing: ReadonlySet<unknown> = new Set(['aborted', 'connection-failed', 'usage-limit', 'compaction-would-grow']);
/** Temporary causes: interruption, no network, exhausted quota, or a history that was too short. */
export const isTransientFailure = (code: unknown): boolean => passing.has(code);

/** Folds a failure. Manual attempts and temporary causes say nothing about the next automatic one. */
export function foldFailed(checkpoints: CheckpointCounts, payload: JsonObject): CheckpointCounts {
  const counts = payload['trigger'] === 'auto' && !isTransientFailure(objectAt(payload, 'outcome')?.['code']);
  const failures = checkpoints.failures + (counts ? 1 : 0);
  return { ...checkpoints, failures, spent: addUsage(checkpoints.spent, readUsage(payload['usage'])) };
}

export function checkpointsToJson({ count, failures, spent, window }: CheckpointCounts): JsonObject {
  return { count, failures, spent: usageFields(spent), window: window && { ...window } };
}

export function checkpointsFromJson(value: JsonObject | undefined): CheckpointCounts {
  if (value === undefined) return noCheckpoints;
  const count = numberAt(value, 'count') ?? 0;
  const { first, id, number = count } = objectAt(value, 'window') ?? {};
  const failures = numberAt(value, 'failures') ?? 0;
  return { count, failures, spent: readUsage(value['spent']), window: windowName(first, id, number) };
}

function windowName(first: unknown, id: unknown, number: unknown): WindowName | undefined {
  if (typeof first !== 'string' || typeof id !== 'string' || typeof number !== 'number') return undefined;
  return { first, id, number };
}

/** Reads `capstan.checkpoint` of a `compacted` line; undefined if another program wrote the line. */
export function readCheckpointReport(payload: JsonObject): CheckpointReport | undefined {
  const report = objectAt(objectAt(payload, 'capstan'), 'checkpoint');
  return report !== undefined && isWhole(report) ? (report as unknown as CheckpointReport) : undefined;
}

/** Files are edited by hand: all fields that are shown must be present. */
function isWhole(report: JsonObject): boolean {
  const { mended, cachedShare = 0, uncounted = 0 } = report;
  return (
    hasTexts(report, 'id', 'trigger', 'reason', 'phase', 'strategy', 'model') &&
    hasNumbers(report, ['number', 'tokensBefore', 'tokensAfter', 'folded', 'requests']) &&
    hasNumbers(objectAt(report, 'words'), ['kept', 'cut', 'dropped']) &&
    hasNumbers(objectAt(report, 'usage'), tokenCountNames) &&
    Array.isArray(mended) &&
    mended.every((each) => typeof each === 'string') &&
    typeof cachedShare === 'number' &&
    typeof uncounted === 'number' &&
    (report['why'] === undefined || hasTexts(report['why'], 'code', 'message', 'next'))
  );
}

const hasNumbers = (value: JsonObject | undefined, names: readonly string[]): boolean =>
  names.every((name) => numberAt(value, name) !== undefined);
