import type { ModelRecord } from './model-record.ts';

/** The effort as providers name it. Two of the names that can be chosen are of this side only. */
export function sentEffort({ supportedEfforts, defaultEffort }: ModelRecord, chosen: string): string {
  if (chosen === 'persistent') return 'disabled';
  if (chosen !== 'ultra') return chosen;
  return supportedEfforts.findLast((effort) => effort !== 'ultra') ?? defaultEffort ?? 'medium';
}
