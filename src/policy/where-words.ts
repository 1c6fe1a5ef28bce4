import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { needsSandbox } from './access.ts';
import { deniesReading } from './granted-policy.ts';

/** Where commands run that leave the sandbox of a policy that denies reading. */
export const widerSandbox = 'in a sandbox that only hides denied paths';

/** Where a command runs that the user lets out of the sandbox. What is denied to read, no answer opens. */
export function outsideWords(policy: ResolvedPolicy): string {
  return deniesReading(policy) ? widerSandbox : 'outside the sandbox';
}

/** Whether commands that a saved rule allows stay in such a sandbox. Undefined: they do not, or no rule is offered. */
export function ruleConfines(policy: ResolvedPolicy, prefix: readonly string[] | undefined): true | undefined {
  return (prefix !== undefined && deniesReading(policy)) || undefined;
}

/** Where commands run that nothing lets out. */
export function insideWords(policy: ResolvedPolicy): string {
  return needsSandbox(policy) ? 'inside the sandbox' : 'without a sandbox';
}
