import type { ThreadId, TurnId } from '../protocol/ids.ts';
import { type Capabilities, resolveCapabilities } from './capabilities.ts';
import type { Facts } from './facts.ts';
import { type Identity, resolveIdentity } from './identity.ts';
import { type Instructions, type InstructionsSoFar, resolveInstructions } from './instructions.ts';
import { type Modes, resolveModes, type TurnModes } from './modes.ts';
import { type Policy, resolvePolicyGroup } from './policy.ts';
import type { Settings } from './settings.ts';
import { resolveTelemetry, type Telemetry } from './telemetry.ts';
import { resolveWindow, type Window } from './window.ts';
import { resolveWorkspace, type Workspace } from './workspace.ts';

/**
 * The contract of one turn. Prompt, tools, sandbox and rollout read it and nothing else. It is frozen all the way down
 * and never changes after it was resolved.
 */
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

export interface EnvelopeInput {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly facts: Facts;
  readonly settings: Settings;
  readonly instructionsSoFar: InstructionsSoFar;
  /** Names of the tools that exist. */
  readonly tools: readonly string[];
  readonly modes: TurnModes;
}

/** Each group sees the groups before it: identity, workspace, instructions, policy, capabilities, modes, telemetry. */
export function resolveEnvelope(input: EnvelopeInput): Envelope {
  const { threadId, turnId, facts, settings, instructionsSoFar, tools } = input;
  const identity = resolveIdentity(facts, settings);
  const workspace = resolveWorkspace(facts, settings, { identity });
  const instructions = resolveInstructions(instructionsSoFar, settings, { identity, workspace });
  const policy = resolvePolicyGroup(settings, { identity, workspace, instructions });
  const capabilities = resolveCapabilities(tools, { policy });
  const modes = resolveModes(input.modes, { identity });
  const telemetry = resolveTelemetry(facts, { threadId, turnId });
  const window = resolveWindow(identity.model, settings);
  return deepFreeze({ identity, workspace, instructions, policy, capabilities, modes, telemetry, window });
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
