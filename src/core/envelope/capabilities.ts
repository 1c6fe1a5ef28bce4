import { defined } from '../../base/objects.ts';
import { openGateNames } from '../config/features.ts';
import { allowsAsking, type QuestionTopic } from '../policy/decide/approval-policy.ts';
import { asksAboutTool } from '../policy/decide/decide-call.ts';
import { isUnsandboxed } from '../policy/profiles/profile-entries.ts';
import type { FoundCapabilities, ToolTraits, TurnFacts, TurnOffering } from './facts.ts';
import { collaborationFor, type TurnIdentity } from './identity.ts';
import type { ModelRecord } from './model-record.ts';
import type { Policy } from './policy.ts';
import type { EditTools, Settings, ToolChoice } from './settings.ts';

/** Abilities of the turn: tools by name (the router builds them), gates, and optional abilities. */
export interface TurnCapabilities
  extends
    Pick<ModelRecord, 'modalities' | 'imageGeneration' | 'webSearch'>,
    Required<Pick<FoundCapabilities, 'apps' | 'plugins'>>,
    ToolChoice {
  readonly tools: readonly string[];
  /** Tools that the client defined. A turn's line holds their names. */
  readonly clientTools?: Settings['clientTools'];
  readonly features: readonly string[];
  readonly editTools: EditTools;
}

export function resolveCapabilities(
  facts: TurnFacts,
  settings: Settings,
  { identity, policy }: { readonly identity: TurnIdentity; readonly policy: Policy },
): TurnCapabilities {
  const { apps = false, plugins = false } = facts.found ?? {};
  const { model } = identity;
  const { onlyTools, withoutTools, clientTools } = settings;
  const features = openGateNames(settings.features);
  const editTools = settings.editTools ?? model.editTools;
  const { mode } = collaborationFor(identity, settings);
  const offered = facts.tools
    .filter((tool) => isToolOffered(tool, identity, policy, { mode, features, editTools }))
    .map(({ name }) => name);
  return {
    tools: offered,
    features,
    editTools,
    modalities: model.modalities,
    imageGeneration: model.imageGeneration,
    webSearch: model.webSearch,
    apps,
    plugins,
    ...defined({ onlyTools, withoutTools, clientTools }),
  };
}

/** A tool that could only refuse is not offered until a turn's policy lets it work. */
export function isToolOffered(
  { effect, asksAbout, givesPictures, deferred, offeredIn, mcp }: ToolTraits,
  { model }: Pick<TurnIdentity, 'model'>,
  policy: Pick<Policy, 'approval' | 'sandboxLevel' | 'canAsk' | 'hasUser' | 'changesNothing'>,
  work: Omit<TurnOffering, 'hasUser' | 'isUnlimited'>,
): boolean {
  const { approval, sandboxLevel, canAsk, hasUser = false } = policy;
  if (deferred === true) return false;
  if (offeredIn?.({ ...work, isUnlimited: isUnsandboxed(sandboxLevel), hasUser }) === false) return false;
  if (givesPictures === true && !model.modalities.includes('image')) return false;
  if (mcp !== undefined && !isMcpToolUsable(mcp, policy)) return false;
  if (asksAbout !== undefined && !canAskForMore(policy, asksAbout)) return false;
  if (effect === undefined) return true;
  if (approval === 'untrusted' && canAsk !== true) return false;
  if (effect !== 'files' || sandboxLevel !== 'read-only') return true;
  // In a read-only turn, patches are useful if the model can request a writable folder.
  return canAskForMore(policy, 'sandbox') || canAskForMore(policy, 'permissions');
}

/** True if the policy lets a server's tool run, at once or after a question. Ignores grants of earlier answers. */
export function isMcpToolUsable(
  need: NonNullable<ToolTraits['mcp']>,
  policy: Pick<Policy, 'approval' | 'sandboxLevel' | 'canAsk' | 'changesNothing'>,
): boolean {
  const { approval, canAsk, changesNothing } = policy;
  const isFree = approval === 'never' && isUnsandboxed(policy.sandboxLevel);
  if (!asksAboutTool(need, { isFree, changesNothing: changesNothing === 'thread' })) return true;
  return canAsk === true && allowsAsking(approval, 'mcp');
}

export function canAskForMore(
  { approval, sandboxLevel, canAsk }: Pick<Policy, 'approval' | 'sandboxLevel' | 'canAsk'>,
  about: QuestionTopic,
): boolean {
  return canAsk === true && !isUnsandboxed(sandboxLevel) && allowsAsking(approval, about);
}
