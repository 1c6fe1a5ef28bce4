import { defined } from '../../base/objects.ts';
import type { AgentBounds } from '../../ports/agents.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import { providerName, type ProviderName } from '../../protocol/provider-name.ts';
import { type TurnCapabilities, resolveCapabilities } from './capabilities.ts';
import type { StepFacts, TurnFacts } from './facts.ts';
import { type Collaboration, collaborationFor, type TurnIdentity, resolveTurnIdentity } from './identity.ts';
import { type Policy, resolvePolicyGroup } from './policy.ts';
import type { OmittedContext, RealtimeSetting, Settings, TurnSettings } from './settings.ts';
import { resolveContextWindow, type ContextWindow } from './window.ts';
import { keepsOtherInstructions, resolveInstructions, resolveWorkspace } from './workspace-and-instructions.ts';
import type { TurnInstructions, TurnWorkspace } from './workspace-and-instructions.ts';

/** The bounds of a turn's agents, which may do no more than the turn. */
export function resolveAgentBounds({ workspace, identity, policy, capabilities, modes }: Envelope): AgentBounds {
  const { effort } = identity.chosen;
  const { onlyTools, withoutTools } = capabilities;
  return {
    cwd: workspace.cwd,
    provider: identity.provider,
    model: identity.model.slug,
    approval: policy.approval,
    // The profile before the mode's overrides: these end with the mode, for agents as well.
    profile: policy.askedProfile ?? policy.profile,
    mode: modes.collaboration.mode,
    ...(policy.changesNothing === 'thread' ? { changesNothing: true } : {}),
    ...defined({ effort, onlyTools, withoutTools }),
  };
}

/** The contract of one turn: prompt, tools, sandbox and rollout read nothing else. Deeply frozen. */
export interface Envelope {
  readonly identity: TurnIdentity;
  readonly workspace: TurnWorkspace;
  readonly instructions: TurnInstructions;
  readonly policy: Policy;
  readonly capabilities: TurnCapabilities;
  readonly modes: Modes;
  readonly telemetry: Telemetry;
  readonly window: ContextWindow;
}

/** A group may see earlier ones: identity, workspace, instructions, policy, capabilities, modes, telemetry, window. */
export function resolveEnvelope(facts: TurnFacts, settings: TurnSettings): Envelope {
  const identity = resolveTurnIdentity(facts, settings);
  const workspace = resolveWorkspace(facts, settings);
  const instructions = resolveInstructions(facts, settings, { identity, workspace });
  const policy = resolvePolicyGroup(facts, settings, { workspace, identity });
  const capabilities = resolveCapabilities(facts, settings, { identity, policy });
  const modes = resolveModes(facts, settings, identity);
  const telemetry = resolveTelemetry(facts, settings, identity);
  const window = resolveContextWindow(facts, settings, { identity });
  return deepFreeze({ identity, workspace, instructions, policy, capabilities, modes, telemetry, window });
}

/** Deeply freezes a value. A part that is already frozen is assumed to be deeply so. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) if (typeof member === 'object') deepFreeze(member);
  return value;
}

interface Modes extends Pick<TurnSettings, 'personality' | 'outputSchema' | 'cyberAccessProgram'> {
  readonly collaboration: Collaboration;
  readonly realtime: RealtimeSetting;
  readonly compaction: NonNullable<TurnSettings['compaction']>;
  readonly leaveOut: readonly OmittedContext[];
}

function resolveModes(facts: TurnFacts, settings: TurnSettings, identity: TurnIdentity): Modes {
  const { personality, realtime, outputSchema, cyberAccessProgram } = settings;
  // Other providers do not know such programs and may refuse a request that names one.
  const known = cyberAccessProgram !== undefined && facts.provider?.accessPrograms === 'known';
  return {
    collaboration: collaborationFor(identity, settings),
    ...defined({ personality }),
    realtime: realtime ?? { active: false },
    ...defined({ outputSchema }),
    ...(known ? { cyberAccessProgram } : {}),
    compaction: settings.compaction ?? 'structured',
    leaveOut: settings.leaveOut ?? [],
  };
}

interface Telemetry {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  /** 32 hexadecimal digits: the caller's trace, or one derived from the turn. */
  readonly traceId: string;
  readonly startedAt: number;
  /** Engine parts that were still starting when the turn began, by name. */
  readonly readiness: Readonly<Record<string, 'ready' | 'starting'>>;
  /** The layer that decided each non-default setting, by the setting's name. */
  readonly origins: Readonly<Record<string, string>>;
}

function resolveTelemetry(facts: TurnFacts, settings: Settings, identity: TurnIdentity): Telemetry {
  const { id, turnId } = facts.thread;
  return {
    threadId: id,
    turnId,
    traceId: facts.traceId ?? turnId.replaceAll('-', ''),
    startedAt: facts.time.epochMs,
    readiness: facts.readiness ?? {},
    // A choice made after the thread got its instructions is not in force.
    origins: keepsOtherInstructions(facts, settings, identity)
      ? { ...settings.origins, baseInstructions: 'thread' }
      : (settings.origins ?? {}),
  };
}

export function turnProvider({ identity }: Envelope): ProviderName {
  const { address, modelClient, model } = identity;
  const { slug, compatibility } = model;
  return providerName(identity.provider, { ...defined({ address, compatibility }), wire: modelClient, model: slug });
}

/** One model request: the turn's envelope and what may have changed since the previous request. */
export interface Step {
  readonly envelope: Envelope;
  /** 0 for the first request of the turn. */
  readonly index: number;
  readonly facts: StepFacts;
  /** The envelope's budgets, or narrower ones if a server has named its window since. */
  readonly window: ContextWindow;
  readonly tools: readonly ToolSpec[];
}
