import type { ClientFacts, Facts } from './facts.ts';
import { lookUpModel, type ModelRecord } from './model-record.ts';
import type { Settings } from './settings.ts';

/** Which model acts, by way of whom, thinking how hard, for which client. */
export interface Identity {
  readonly model: ModelRecord;
  readonly provider: string;
  readonly effort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
  readonly client: ClientFacts;
}

export function resolveIdentity(facts: Facts, settings: Settings): Identity {
  const model = lookUpModel(facts.catalogue, settings.model);
  const effort = settings.effort ?? model.defaultEffort;
  const summary = settings.summary ?? model.defaultSummary;
  const verbosity = model.defaultVerbosity === undefined ? undefined : (settings.verbosity ?? model.defaultVerbosity);
  return {
    model,
    provider: settings.provider,
    ...(effort === undefined ? {} : { effort }),
    ...(summary === undefined || summary === 'none' ? {} : { summary }),
    ...(verbosity === undefined ? {} : { verbosity }),
    client: facts.client,
  };
}
