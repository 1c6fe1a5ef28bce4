import { defined } from '../../base/objects.ts';
import type { BaseInstructions, GatheredFacts, TimeFacts, TurnFacts } from './facts.ts';
import type { TurnIdentity } from './identity.ts';
import type { InstructionRules, Settings } from './settings.ts';

/** Texts that neither the model nor the turn's user wrote. Each step reads AGENTS.md; the turn only says where. */
export interface TurnInstructions {
  /** The beginning of requests when the turn starts. After a checkpoint, the thread's state has the valid one. */
  readonly base: BaseInstructions;
  /** The instructions of the turn's model, if they differ from `base` and `base` was not chosen by the user. */
  readonly model?: string;
  readonly developer?: string;
  readonly managed?: string;
  readonly user: InstructionRules;
  readonly compactPrompt?: string;
}

const defaultRules = { maxBytes: 32_768, fallbackFilenames: [], rootMarkers: ['.git'] } as const;

export function resolveInstructions(
  facts: TurnFacts,
  settings: Settings,
  { identity, workspace }: { identity: TurnIdentity; workspace: TurnWorkspace },
): TurnInstructions {
  const base = facts.thread.base ?? ownInstructions(settings, identity);
  const model = guidanceBesides(base, identity);
  const { developerInstructions, managedInstructions, compactPrompt } = settings;
  return {
    base,
    ...defined({ model, developer: developerInstructions, managed: managedInstructions }),
    user: { ...defaultRules, ...settings.instructionRules, cwd: workspace.cwd, trusted: workspace.trust },
    ...defined({ compactPrompt }),
  };
}

/** True if the thread keeps base instructions that a new thread would not get. */
export function keepsOtherInstructions(facts: TurnFacts, settings: Settings, identity: TurnIdentity): boolean {
  const { base } = facts.thread;
  return base !== undefined && base.text !== ownInstructions(settings, identity).text;
}

function ownInstructions(settings: Pick<Settings, 'baseInstructions'>, { model }: TurnIdentity): BaseInstructions {
  if (settings.baseInstructions !== undefined)
    return { text: settings.baseInstructions, provenance: { type: 'custom' } };
  return { text: model.instructions, provenance: { type: 'model', model: model.slug } };
}

function guidanceBesides({ text, provenance }: BaseInstructions, { model }: TurnIdentity): string | undefined {
  if (provenance.type === 'custom') return undefined;
  return model.instructions === text || model.instructions === '' ? undefined : model.instructions;
}

export interface TurnWorkspace
  extends Pick<GatheredFacts, 'places' | 'trust' | 'shell'>, Pick<TimeFacts, 'date' | 'timezone'> {
  /** The machine or container that runs commands. Only this one is supported. */
  readonly environment: 'local';
  readonly cwd: string;
  readonly roots: readonly string[];
}

export function resolveWorkspace(facts: GatheredFacts, settings: Settings): TurnWorkspace {
  return {
    environment: 'local',
    cwd: settings.cwd,
    roots: facts.places.workspaceRoots,
    places: facts.places,
    trust: facts.trust,
    shell: facts.shell,
    date: facts.time.date,
    timezone: facts.time.timezone,
  };
}
