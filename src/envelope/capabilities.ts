import { decideApproval } from '../policy/approval.ts';
import type { TurnFacts } from './facts.ts';
import type { Identity } from './identity.ts';
import type { Instructions } from './instructions.ts';
import type { Policy } from './policy.ts';
import type { Settings } from './settings.ts';
import type { Workspace } from './workspace.ts';

/** What the turn can do: tools by name (the router builds them), gates, and optional abilities. */
export interface Capabilities {
  readonly tools: readonly string[];
  /** Tools that a client brought along; among `tools` too. */
  readonly dynamicTools: readonly string[];
  /** Gates that are open. */
  readonly features: readonly string[];
  /** What the model can take in. */
  readonly modalities: readonly string[];
  readonly imageGeneration: boolean;
  readonly webSearch: boolean;
  readonly apps: boolean;
  readonly plugins: boolean;
  readonly skills?: string;
  readonly hooks: { readonly sessionContext: readonly string[] };
}

export function resolveCapabilities(
  facts: TurnFacts,
  settings: Settings,
  {
    identity: { model },
    policy,
  }: { identity: Identity; workspace: Workspace; instructions: Instructions; policy: Policy },
): Capabilities {
  const { skills, sessionContext = [], apps = false, plugins = false, dynamicTools = [] } = facts.found ?? {};
  const sees = model.modalities.includes('image');
  const forbidden = forbiddenBy(policy);
  return {
    tools: [...facts.tools, ...dynamicTools].filter(
      (name) => (sees || !needsEyes.has(name)) && !forbidden.includes(name),
    ),
    dynamicTools,
    features: Object.entries(settings.features ?? {}).flatMap(([name, open]) => (open ? [name] : [])),
    modalities: model.modalities,
    imageGeneration: model.imageGeneration,
    webSearch: model.webSearch,
    apps,
    plugins,
    ...(skills === undefined ? {} : { skills }),
    hooks: { sessionContext },
  };
}

/** A model that takes no pictures has no use for these. */
const needsEyes: ReadonlySet<string> = new Set(['view_image']);

/** Tools that could do nothing but refuse. They come back with the turn whose policy lets them work. */
function forbiddenBy({ approval, sandboxLevel }: Policy): readonly string[] {
  if (decideApproval(approval, { kind: 'run', escalated: false }) !== 'run') return ['exec_command', 'apply_patch'];
  return sandboxLevel === 'read-only' ? ['apply_patch'] : [];
}
