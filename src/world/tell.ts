import type { Step } from '../envelope/step.ts';
import type { Baseline } from './baseline.ts';
import { buildBundle } from './bundle.ts';
import { buildDifference } from './difference.ts';
import type { AnySection } from './section.ts';
import type { StandsInHistory } from './stands-in-history.ts';
import type { Telling } from './telling.ts';

/** Everything, if nothing is proven to have been told; else what differs. */
export function tell(
  sections: readonly AnySection[],
  step: Step,
  baseline: Baseline,
  stands: StandsInHistory,
): Telling {
  return baseline.kind === 'none'
    ? buildBundle(sections, step, stands)
    : buildDifference(sections, step, baseline.state, stands);
}
