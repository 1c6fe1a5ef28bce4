import { defined } from '../protocol/defined.ts';
import type { TurnFacts } from './facts.ts';
import type { Identity } from './identity.ts';
import type { CollaborationMode, OmittedContext, RealtimeSetting, TurnSettings } from './settings.ts';

/** How the model and the user work together. */
export interface Modes extends Pick<TurnSettings, 'personality' | 'outputSchema' | 'cyberAccessProgram'> {
  readonly collaboration: Collaboration;
  readonly realtime: RealtimeSetting;
  /** The turn reviews work and does none. */
  readonly review: boolean;
  /** How a checkpoint is asked for. */
  readonly compaction: NonNullable<TurnSettings['compaction']>;
  readonly leaveOut: readonly OmittedContext[];
}

export interface Collaboration {
  readonly mode: CollaborationMode;
  /** What was asked for, when the model cannot run it and the default took its place. */
  readonly asked?: CollaborationMode;
  /** Guidance of the model's record or of the client; absent when ours holds. */
  readonly instructions?: string;
  /** What the client gave, whether or not the model's own guidance comes before it. */
  readonly given?: string;
}

export function resolveModes(
  facts: TurnFacts,
  settings: TurnSettings,
  { identity }: { readonly identity: Identity },
): Modes {
  const { personality, realtime, outputSchema, cyberAccessProgram } = settings;
  // Other providers do not know such programs, and may refuse a request that names one.
  const known = cyberAccessProgram !== undefined && facts.provider?.accessPrograms === 'known';
  return {
    collaboration: collaborationFor(identity, settings),
    ...defined({ personality }),
    realtime: realtime ?? { active: false },
    review: false,
    ...defined({ outputSchema }),
    ...(known ? { cyberAccessProgram } : {}),
    compaction: settings.compaction ?? 'structured',
    leaveOut: settings.leaveOut ?? [],
  };
}

/** The model's own guidance for a mode comes before the client's; a mode that it does not have becomes the default. */
export function collaborationFor(
  { model }: Pick<Identity, 'model'>,
  { collaboration }: Pick<TurnSettings, 'collaboration'>,
): Collaboration {
  const asked = collaboration?.mode ?? 'default';
  const runs = asked === 'default' || model.modes[asked] !== undefined;
  const mode = runs ? asked : 'default';
  const given = collaboration?.instructions;
  const instructions = model.modes[mode]?.guidance ?? (runs ? given : undefined);
  return { mode, ...(runs ? {} : { asked }), ...defined({ instructions, given }) };
}
