import type { ConfigLayer } from '../../config/config-layer.ts';
import { effortFor, effortNote, effortProblem } from '../../envelope/effort.ts';
import { type Catalogue, lookUpModel } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { inFiles, providerInFiles } from '../../gather/settings/moved-thread.ts';
import { defaultModel } from '../../gather/settings/settings.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { LastSettings } from '../../state/resumed-settings.ts';

/** What users do about an effort that the model does not have. */
export const setEffort = 'Set model_reasoning_effort to it, or remove it.';

interface EffortSources {
  /** Absent: the thread is new. */
  readonly resumed?: LastSettings;
  readonly layers: readonly ConfigLayer[];
  readonly catalogue: Catalogue;
}

interface FittingEffort {
  readonly settings: Settings;
  readonly notices: readonly Outcome[];
}

/**
 * An effort that was chosen for another model becomes one that the thread's model has. One that a user chose for this
 * model, and that it lacks, is a slip.
 */
export function withFittingEffort(settings: Settings, sources: EffortSources): FittingEffort | Outcome {
  const { resumed, catalogue } = sources;
  const record = lookUpModel(catalogue, settings.model);
  const model = modelOfEffort(settings, sources);
  const { effort: had, origins = {}, ...rest } = settings;
  const before = { model: model ?? settings.model, ...defined({ effort: had }) };
  const effort = effortFor(record, before);
  // The turn that changes the model of a thread says it itself.
  const note = resumed === undefined ? effortNote(record, before, effort) : undefined;
  const { effort: origin, ...others } = origins;
  const problem =
    effort === undefined || origin === 'thread' || origin === 'managed' ? undefined : effortProblem(record, effort);
  if (problem !== undefined) return { ...problem, next: `${problem.next} ${setEffort}` };
  const fitting = effort === undefined ? { ...rest, origins: others } : { ...rest, origins, effort };
  return { settings: effort === had ? settings : fitting, notices: note === undefined ? [] : [note] };
}

/** The model for which the effort was chosen: that of the thread, or of the files. Undefined: the one that holds now. */
function modelOfEffort(
  { origins, effort }: Settings,
  { resumed, layers, catalogue }: EffortSources,
): string | undefined {
  const origin = origins?.['effort'];
  if (origin === 'thread') return resumed?.model;
  if (effort === undefined || origin === 'flags' || origin === 'managed') return undefined;
  return inFiles(layers, 'model') ?? defaultModel(providerInFiles(layers), catalogue);
}
