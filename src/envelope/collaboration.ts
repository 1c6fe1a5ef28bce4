import { defined } from '../protocol/defined.ts';
import type { ModelRecord } from './model-record.ts';
import type { CollaborationMode, Settings } from './settings.ts';

export interface Collaboration {
  readonly mode: CollaborationMode;
  /** What was asked for, when the model cannot run it and the default took its place. */
  readonly asked?: CollaborationMode;
  /** Guidance of the model's record or of the client; absent when ours holds. */
  readonly instructions?: string;
  /** What the client gave, whether or not the model's own guidance comes before it. */
  readonly given?: string;
}

/** The model's own guidance for a mode comes before the client's; a mode that it does not have becomes the default. */
export function collaborationFor(
  { model }: { readonly model: ModelRecord },
  { collaboration }: Pick<Settings, 'collaboration'>,
): Collaboration {
  const asked = collaboration?.mode ?? 'default';
  const runs = asked === 'default' || model.modes[asked] !== undefined;
  const mode = runs ? asked : 'default';
  const given = collaboration?.instructions;
  const instructions = model.modes[mode]?.guidance ?? (runs ? given : undefined);
  return { mode, ...(runs ? {} : { asked }), ...defined({ instructions, given }) };
}
