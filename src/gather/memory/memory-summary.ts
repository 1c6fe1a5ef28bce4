import type { StepFacts } from '../../envelope/facts.ts';
import { readTextIfPossible } from '../../disk/read-bounded.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { inside } from '../files/project-folders.ts';
import { readGuard } from '../files/read-guard.ts';
import { readLimits } from '../files/read-limits.ts';

/** What earlier threads left for the model. Nothing where the policy keeps the folder from it. */
export function readMemory(home: string, policy: ResolvedPolicy): Pick<StepFacts, 'memory'> {
  const folder = `${inside(home)}memories`;
  const { deniesModel: denies } = readGuard(policy);
  const summary = readTextIfPossible(`${folder}/memory_summary.md`, { maxBytes: readLimits.instructionsBytes, denies });
  return summary === undefined || summary.trim() === '' ? {} : { memory: { summary: summary.trim(), folder } };
}
