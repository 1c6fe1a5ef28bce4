import { defined } from '../protocol/defined.ts';
import type { TurnFacts } from './facts.ts';
import { type Collaboration, collaborationFor } from './collaboration.ts';
import type { Identity } from './identity.ts';
import type { OmittedContext, RealtimeSetting, TurnSettings } from './settings.ts';

/** How the model and the user work together. */
export interface Modes extends Pick<TurnSettings, 'personality' | 'outputSchema' | 'cyberAccessProgram'> {
  readonly collaboration: Collaboration;
  readonly realtime: RealtimeSetting;
  /** How a checkpoint is asked for. */
  readonly compaction: NonNullable<TurnSettings['compaction']>;
  readonly leaveOut: readonly OmittedContext[];
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
    ...defined({ outputSchema }),
    ...(known ? { cyberAccessProgram } : {}),
    compaction: settings.compaction ?? 'structured',
    leaveOut: settings.leaveOut ?? [],
  };
}
