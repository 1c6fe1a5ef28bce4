import { decideApproval } from '../policy/approval.ts';
import type { Identity } from './identity.ts';
import type { Policy } from './policy.ts';
import type { ToolTraits } from './facts.ts';

/** A tool that could do nothing but refuse is not offered. It comes back with the turn whose policy lets it work. */
export function isOffered(
  { effect, givesPictures }: ToolTraits,
  { model }: Pick<Identity, 'model'>,
  { approval, sandboxLevel }: Pick<Policy, 'approval' | 'sandboxLevel'>,
): boolean {
  if (givesPictures === true && !model.modalities.includes('image')) return false;
  if (effect === undefined) return true;
  if (decideApproval(approval, { effect }) !== 'run') return false;
  return effect !== 'files' || sandboxLevel !== 'read-only';
}
