import type { ModelRecord } from './model-record.ts';

/**
 * How hard a model shall think that takes over from another. It keeps the effort if it has it; else it thinks about as
 * hard as its middle one. Undefined is the model's own default.
 */
export function effortFor(
  { slug, supportedEfforts }: ModelRecord,
  before: { readonly model: string; readonly effort?: string },
): string | undefined {
  const { model, effort } = before;
  if (slug === model || effort === undefined || supportedEfforts.length === 0 || supportedEfforts.includes(effort)) {
    return effort;
  }
  return supportedEfforts[Math.floor((supportedEfforts.length - 1) / 2)];
}
