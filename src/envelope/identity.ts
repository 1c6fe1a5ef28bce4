import type { Facts } from './facts.ts';
import { lookUpModel, type ModelRecord } from './model-record.ts';
import type { Settings } from './settings.ts';

/** Which model acts, by way of whom, thinking how hard, for which client. */
export interface Identity {
  readonly model: ModelRecord;
  readonly provider: string;
  /** The dialect in which the provider is spoken to. */
  readonly modelClient: 'responses';
  readonly effort?: string;
  /** `none` when somebody chose that. */
  readonly summary?: string;
  readonly verbosity?: string;
  readonly serviceTier?: string;
  /** What was asked for, when requests go without it. */
  readonly askedTier?: string;
  readonly client: { readonly name: string; readonly version: string };
  /** How the process came to be. */
  readonly sessionSource: string;
  /** For whom the thread was started. */
  readonly threadSource: string;
}

export function resolveIdentity(facts: Facts, settings: Settings): Identity {
  const model = lookUpModel(facts.catalogue, settings.model);
  const effort = settings.effort ?? model.defaultEffort;
  const summary = settings.summary ?? model.defaultSummary;
  const verbosity = model.defaultVerbosity === undefined ? undefined : (settings.verbosity ?? model.defaultVerbosity);
  const serviceTier = tierFor(model, settings.serviceTier);
  const { name, version, source, threadSource } = facts.client;
  return {
    model,
    provider: settings.provider,
    modelClient: 'responses',
    ...(effort === undefined ? {} : { effort }),
    ...(summary === undefined ? {} : { summary }),
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(serviceTier !== undefined || settings.serviceTier === undefined ? {} : { askedTier: settings.serviceTier }),
    client: { name, version },
    sessionSource: source,
    threadSource: threadSource ?? 'user',
  };
}

/** `fast` is the old name of `priority`. A tier that a known model does not have is left out, and so is the default. */
function tierFor(model: ModelRecord, chosen: string | undefined): string | undefined {
  const tier = chosen === 'fast' ? 'priority' : chosen;
  if (tier === undefined || tier === 'default') return undefined;
  return model.guessed || model.serviceTiers.includes(tier) ? tier : undefined;
}
