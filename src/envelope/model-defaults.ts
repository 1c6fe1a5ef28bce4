import { defined } from '../protocol/defined.ts';
import type { ModelRecord } from './model-record.ts';

/** What a model has defaults for, and the user may choose instead. */
export interface ModelChoices {
  readonly effort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
}

/** What holds where nothing is chosen. */
export function modelDefaults({ defaultEffort, defaultSummary, defaultVerbosity }: ModelRecord): ModelChoices {
  return {
    ...defined({ effort: defaultEffort, summary: defaultSummary, verbosity: defaultVerbosity }),
  };
}
