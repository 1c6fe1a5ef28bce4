import type { Outcome } from '../protocol/outcome.ts';
import type { ModelRecord } from './model-record.ts';

/** A name of this side, sent as `disabled` (`sent-effort.ts`): no catalogue lists it. */
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
