import type { StepFacts } from '../../envelope/facts.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadParts } from '../parts/parts.ts';
import { type Contract, windowNow } from './contract-now.ts';

/** Looks at which skills there are, for the turn that begins. Gives what is wrong with them. */
export async function lookForSkills({
  parts,
  envelope,
}: Contract & { readonly parts: Pick<ThreadParts, 'skills'> }): Promise<readonly Outcome[]> {
  const { workspace, policy } = envelope;
  return (await parts.skills?.look({ cwd: workspace.cwd, policy: policy.resolved })) ?? [];
}

/** The list of skills that fits now. */
export function skillsNow(contract: Contract): Pick<StepFacts, 'skills'> {
  const selected = contract.parts.skills?.select(windowNow(contract).skills);
  return selected === undefined ? {} : { skills: selected.catalogue };
}

/** What had to be left out of it. */
export function skillsCut(contract: Contract): Outcome | undefined {
  return contract.parts.skills?.select(windowNow(contract).skills)?.shortened;
}
