import { type Sampling, samplingFor } from '../config/provider-sampling.ts';
import { defined } from '../protocol/defined.ts';
import { collaborationFor } from './collaboration.ts';
import { effortProblem } from './effort.ts';
import type { Facts } from './facts.ts';
import { lookUpModel, type ModelChoices, modelChoices, type ModelRecord } from './model-record.ts';
import { findPrice, type Price } from './price.ts';
import type { Settings } from './settings.ts';

/** Which model acts, by way of whom, thinking how hard, for which client. */
export interface Identity extends Pick<Settings, 'provider' | 'serviceTier'>, ModelChoices {
  readonly model: ModelRecord;
  /** Where it is reached, without anything secret: the same id at another address is another provider. */
  readonly address?: string;
  /** What its tokens cost. Absent: not known. */
  readonly price?: Price;
  /** How it chooses its words, where that is configured. */
  readonly sampling?: Sampling;
  /** The wire format that the provider speaks. */
  readonly modelClient: string;
  /** What was chosen of effort, summary and verbosity. What is absent is the default of the model, and changes with the model. */
  readonly chosen: ModelChoices;
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
  const choices = modelChoices(model, settings);
  const effort = planEffort(model, settings) ?? choices.effort;
  const serviceTier = tierFor(model, settings.serviceTier);
  const { name, version, source, threadSource } = facts.client;
  const { address, wire = 'responses' } = facts.provider ?? {};
  const { provider } = settings;
  const price = findPrice(facts.prices ?? [], { provider, model: model.slug, address, serviceTier });
  return {
    model,
    provider,
    ...defined({ address, price, sampling: samplingFor(facts.provider?.sampling, model.slug) }),
    modelClient: wire,
    ...choices,
    ...defined({ effort }),
    chosen: defined({ effort: settings.effort, summary: settings.summary, verbosity: settings.verbosity }),
    ...defined({ serviceTier }),
    ...(serviceTier !== undefined || settings.serviceTier === undefined ? {} : { askedTier: settings.serviceTier }),
    client: { name, version },
    sessionSource: source,
    threadSource: threadSource ?? 'user',
  };
}

/** What is chosen for plans, where the model has it. It ends with the mode. */
function planEffort(model: ModelRecord, settings: Settings): string | undefined {
  const { planEffort: effort } = settings;
  if (effort === undefined || collaborationFor({ model }, settings).mode !== 'plan') return undefined;
  return effortProblem(model, effort) === undefined ? effort : undefined;
}

/** `fast` is the old name of `priority`. A tier that a known model does not have is left out, and so is the default. */
export function tierFor(model: ModelRecord, chosen: string | undefined): string | undefined {
  const tier = chosen === 'fast' ? 'priority' : chosen;
  if (tier === undefined || tier === 'default') return undefined;
  return model.guessed || model.serviceTiers.includes(tier) ? tier : undefined;
}
