import type { ModelRecord } from './model-record.ts';
import type { Outcome } from '../protocol/outcome.ts';

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

/** A name of this side, sent as `disabled`: no catalogue lists it. */
const unlisted = 'persistent';

/** Why a model cannot have the effort that was chosen; undefined when it can, or when nothing is known about it. */
export function effortProblem(
  { slug, supportedEfforts, guessed }: ModelRecord,
  effort: string,
): Outcome<'effort-unsupported'> | undefined {
  if (guessed || supportedEfforts.length === 0 || supportedEfforts.includes(effort) || effort === unlisted)
    return undefined;
  return {
    code: 'effort-unsupported',
    message: `The model ${slug} has no reasoning effort ${JSON.stringify(effort)}.`,
    next: `Choose one of these: ${supportedEfforts.join(', ')}.`,
  };
}

/** The effort as providers name it. Two of the names that can be chosen are of this side only. */
export function sentEffort({ supportedEfforts, defaultEffort }: ModelRecord, chosen: string): string {
  if (chosen === unlisted) return 'disabled';
  if (chosen !== 'ultra') return chosen;
  return supportedEfforts.findLast((effort) => effort !== 'ultra') ?? defaultEffort ?? 'medium';
}
