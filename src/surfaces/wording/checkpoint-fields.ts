import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { usageForPrograms } from './money-words.ts';
import { snakeCased } from './snake-cased.ts';

/** The report on a checkpoint as programs read it. */
export function checkpointFields(report: CheckpointReport): JsonObject {
  return { ...snakeCased(report), usage: usageForPrograms(report.usage) };
}
