import type { ModelRecord } from './model-record.ts';

/**
 * The effort of a model that takes over from another. It keeps the one that was chosen if it has it, or if nothing is
 * known about the model; else its middle one holds. A model that has none is sent none. Undefined is its own default.
 */
export function effortFor(
  { slug, supportedEfforts, guessed }: ModelRecord,
  before: { readonly model: string; readonly effort?: string },
): string | undefined {
  const { model, effort } = before;
  if (slug === model || effort === undefined || guessed || supportedEfforts.includes(effort)) return effort;
  return supportedEfforts[Math.floor((supportedEfforts.length - 1) / 2)];
}
