import type { CheckpointReport } from '../protocol/checkpoint-report.ts';
import { isJsonObject, type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';

/** The report as it stands in a `compacted` line, under `capstan.checkpoint`; undefined where another program wrote the line. */
export function readCheckpoint(payload: JsonObject): CheckpointReport | undefined {
  const report = objectAt(objectAt(payload, 'capstan'), 'checkpoint');
  return report !== undefined && isWhole(report) ? (report as unknown as CheckpointReport) : undefined;
}

const texts = ['id', 'trigger', 'reason', 'phase', 'strategy', 'model'] as const;
const numbers = ['number', 'tokensBefore', 'tokensAfter', 'folded', 'requests'] as const;
const counts = ['input', 'cachedInput', 'cacheWriteInput', 'output', 'reasoningOutput', 'total'] as const;

/** Files are edited by hand: what is shown must be there. */
function isWhole(report: JsonObject): boolean {
  const { words, usage, mended, why, cachedShare, uncounted } = report;
  return (
    texts.every((name) => stringAt(report, name) !== undefined) &&
    hasNumbers(report, numbers) &&
    isJsonObject(words) &&
    hasNumbers(words, ['kept', 'cut', 'dropped']) &&
    isJsonObject(usage) &&
    hasNumbers(usage, counts) &&
    Array.isArray(mended) &&
    mended.every((each) => typeof each === 'string') &&
    (cachedShare === undefined || typeof cachedShare === 'number') &&
    (uncounted === undefined || typeof uncounted === 'number') &&
    (why === undefined ||
      (isJsonObject(why) && ['code', 'message', 'next'].every((name) => stringAt(why, name) !== undefined)))
  );
}

function hasNumbers(value: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => numberAt(value, name) !== undefined);
}
