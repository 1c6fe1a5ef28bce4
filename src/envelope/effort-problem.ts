import type { Outcome } from '../protocol/outcome.ts';
import type { ModelRecord } from './model-record.ts';

/** Names of this side, which stand for what a model has (`sent-effort.ts`). */
const everywhere: ReadonlySet<string> = new Set(['ultra', 'persistent']);

/** Why a model cannot think as hard as somebody wants; undefined when it can, or when nothing is known about it. */
export function effortProblem(
  { slug, supportedEfforts, guessed }: ModelRecord,
  effort: string,
): Outcome<'effort-unsupported'> | undefined {
  if (guessed || supportedEfforts.length === 0 || supportedEfforts.includes(effort) || everywhere.has(effort))
    return undefined;
  return {
    code: 'effort-unsupported',
    message: `The model ${slug} has no reasoning effort ${JSON.stringify(effort)}.`,
    next: `Choose one of these: ${supportedEfforts.join(', ')}.`,
  };
}
