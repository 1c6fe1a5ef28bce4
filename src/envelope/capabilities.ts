import { openGates } from '../config/feature-gates.ts';
import { defined } from '../protocol/defined.ts';
import type { FoundCapabilities, TurnFacts } from './facts.ts';
import type { ModelRecord } from './model-record.ts';
import type { Identity } from './identity.ts';
import { collaborationFor } from './collaboration.ts';
import type { Policy } from './policy.ts';
import type { EditTools, Settings } from './settings.ts';
import { isOffered } from './offered-tools.ts';
import type { ToolChoice } from './tool-choice.ts';

/** What the turn can do: tools by name (the router builds them), gates, and optional abilities. */
export interface Capabilities
  extends
    Pick<ModelRecord, 'modalities' | 'imageGeneration' | 'webSearch'>,
    Required<Pick<FoundCapabilities, 'apps' | 'plugins'>>,
    ToolChoice {
  readonly tools: readonly string[];
  /** Tools that the client defined. A line of a turn has their names. */
  readonly clientTools?: Settings['clientTools'];
  /** Gates that are open. */
  readonly features: readonly string[];
  /** How the model edits files in this turn. */
  readonly editTools: EditTools;
}

export function resolveCapabilities(
  facts: TurnFacts,
  settings: Settings,
  { identity, policy }: { readonly identity: Identity; readonly policy: Policy },
): Capabilities {
  const { apps = false, plugins = false } = facts.found ?? {};
  const { model } = identity;
  const { onlyTools, withoutTools, clientTools } = settings;
  const features = openGates(settings.features);
  const editTools = settings.editTools ?? model.editTools;
  const { mode } = collaborationFor(identity, settings);
  const offered = facts.tools
    .filter((tool) => isOffered(tool, identity, policy, { mode, features, editTools }))
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
