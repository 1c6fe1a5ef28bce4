import { type Capabilities, resolveCapabilities } from './capabilities.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { TurnFacts } from './facts.ts';
import { type Identity, resolveIdentity } from './identity.ts';
import { type Instructions, resolveInstructions } from './instructions.ts';
import { type Modes, resolveModes } from './modes.ts';
import { type Policy, resolvePolicyGroup } from './policy.ts';
import type { TurnSettings } from './settings.ts';
import { resolveTelemetry, type Telemetry } from './telemetry.ts';
import { resolveWindow, type Window } from './window.ts';
import { resolveWorkspace, type Workspace } from './workspace.ts';

/** The contract of one turn: prompt, tools, sandbox and rollout read nothing else. Frozen all the way down. */
export interface Envelope {
  readonly identity: Identity;
  readonly workspace: Workspace;
  readonly instructions: Instructions;
  readonly policy: Policy;
  readonly capabilities: Capabilities;
  readonly modes: Modes;
  readonly telemetry: Telemetry;
  readonly window: Window;
}

/** Each group may see the groups before it: identity, workspace, instructions, policy, capabilities, modes, telemetry. */
export function resolveEnvelope(facts: TurnFacts, settings: TurnSettings): Envelope {
  const identity = resolveIdentity(facts, settings);
  const workspace = resolveWorkspace(facts, settings);
  const instructions = resolveInstructions(facts, settings, { identity, workspace });
  const policy = resolvePolicyGroup(facts, settings, { workspace, identity });
  const capabilities = resolveCapabilities(facts, settings, { identity, policy });
  const modes = resolveModes(facts, settings, { identity });
  const telemetry = resolveTelemetry(facts, settings, { identity });
  const window = resolveWindow(facts, settings, { identity });
  return deepFreeze({ identity, workspace, instructions, policy, capabilities, modes, telemetry, window });
}
