import { allowsAsking, type AskedAbout } from '../policy/approval-policy.ts';
import { asksAboutTool } from '../policy/decide-mcp.ts';
import { isUnlimited } from '../policy/profile-width.ts';
import { defined } from '../protocol/defined.ts';
import type { Identity } from './identity.ts';
import type { Policy } from './policy.ts';
import type { ToolTraits, TurnOffering } from './facts.ts';

/** A tool that could do nothing but refuse is not offered. It comes back with the turn whose policy lets it work. */
export function isOffered(
  { effect, asksAbout, givesPictures, deferred, offeredIn, mcp }: ToolTraits,
  { model }: Pick<Identity, 'model'>,
  {
    approval,
    sandboxLevel,
    canAsk,
    hasUser,
    changesNothing,
  }: Pick<Policy, 'approval' | 'sandboxLevel' | 'canAsk' | 'hasUser' | 'changesNothing'>,
  work: Omit<TurnOffering, 'hasUser' | 'isUnlimited'>,
): boolean {
  if (deferred === true) return false;
  if (offeredIn?.({ ...work, isUnlimited: isUnlimited(sandboxLevel), hasUser: hasUser === true }) === false)
    return false;
  if (givesPictures === true && !model.modalities.includes('image')) return false;
  const policy = { approval, sandboxLevel, ...defined({ canAsk, changesNothing }) };
  if (mcp !== undefined && !isUsable(mcp, policy)) return false;
  if (asksAbout !== undefined && !canBeWidened(policy, asksAbout)) return false;
  if (effect === undefined) return true;
  if (approval === 'untrusted' && canAsk !== true) return false;
  if (effect !== 'files' || sandboxLevel !== 'read-only') return true;
  // A folder that was requested is open to patches as to commands.
  return canBeWidened(policy, 'sandbox') || canBeWidened(policy, 'permissions');
}

/** Whether the policy lets calls of a server's tool run, at once or after a question. Grants of earlier answers aside. */
export function isUsable(
  need: NonNullable<ToolTraits['mcp']>,
  {
    approval,
    sandboxLevel,
    canAsk,
    changesNothing,
  }: Pick<Policy, 'approval' | 'sandboxLevel' | 'canAsk' | 'changesNothing'>,
): boolean {
  const isFree = approval === 'never' && isUnlimited(sandboxLevel);
  if (!asksAboutTool(need, { isFree, changesNothing: changesNothing === 'thread' })) return true;
  return canAsk === true && allowsAsking(approval, 'mcp');
}

/** Whether a call may ask for more than the policy grants: there is a user to ask, and something left to ask for. */
export function canBeWidened(
  { approval, sandboxLevel, canAsk }: Pick<Policy, 'approval' | 'sandboxLevel' | 'canAsk'>,
  about: AskedAbout,
): boolean {
  return canAsk === true && !isUnlimited(sandboxLevel) && allowsAsking(approval, about);
}
