import type { CheckpointReport } from '../../protocol/checkpoint-report.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { usageFields } from '../../state/usage-fields.ts';
import { snakeCased } from './snake-cased.ts';

/** The report on a checkpoint as programs read it. */
export function checkpointFields(report: CheckpointReport): JsonObject {
  return { ...snakeCased(report), usage: usageFields(report.usage) };
}
