import { defined } from '../../base/objects.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type Sampling, samplingFor } from '../config/providers/provider-config.ts';
import type { GatheredFacts } from './facts.ts';
import { lookUpModel, type ModelChoices, modelChoices, type ModelRecord } from './model-record.ts';
import { findPrice, type ModelPrice } from './prices.ts';
import type { CollaborationMode, Settings } from './settings.ts';

export interface TurnIdentity extends Pick<Settings, 'provider' | 'serviceTier'>, ModelChoices {
  readonly model: ModelRecord;
  /** Contains no secrets. The same id at another address is another provider. */
  readonly address?: string;
  readonly price?: ModelPrice;
  readonly sampling?: Sampling;
  readonly modelClient: string;
  /** The user's choice of effort, summary and verbosity. Absent values follow the model's defaults. */
  readonly chosen: ModelChoices;
  readonly askedTier?: string;
  readonly client: { readonly name: string; readonly version: string };
  readonly sessionSource: string;
  readonly threadSource: string;
}

export function resolveTurnIdentity(facts: GatheredFacts, settings: Settings): TurnIdentity {
  const model = lookUpModel(facts.catalogue, settings.model);
  const choices = modelChoices(model, settings);
  const effort = planEffort(model, settings) ?? choices.effort;
  const serviceTier = serviceTierFor(model, settings.serviceTier);
  const { name, version, source, threadSource } = facts.client;
  const { address, wire = 'responses' } = facts.provider ?? {};
  const { provider } = settings;
  const price = findPrice(facts.prices ?? [], { provider, model: model.slug, address, serviceTier });
  const askedTier = serviceTier === undefined ? settings.serviceTier : undefined;
  return {
    model,
    provider,
    ...defined({ address, price, sampling: samplingFor(facts.provider?.sampling, model.slug) }),
    modelClient: wire,
    ...choices,
    ...defined({ effort }),
    chosen: defined({ effort: settings.effort, summary: settings.summary, verbosity: settings.verbosity }),
    ...defined({ serviceTier, askedTier }),
    client: { name, version },
    sessionSource: source,
    threadSource: threadSource ?? 'user',
  };
}

/** The effort chosen for plans, if the model has it. It ends with the mode. */
function planEffort(model: ModelRecord, settings: Settings): string | undefined {
  const { planEffort: effort } = settings;
  if (effort === undefined || collaborationFor({ model }, settings).mode !== 'plan') return undefined;
  return effortProblem(model, effort) === undefined ? effort : undefined;
}

/** `fast` is the old name of `priority`. Leaves out the default, and a tier that a known model does not have. */
export function serviceTierFor(model: ModelRecord, chosen: string | undefined): string | undefined {
  const tier = chosen === 'fast' ? 'priority' : chosen;
  if (tier === undefined || tier === 'default') return undefined;
  return model.guessed || model.serviceTiers.includes(tier) ? tier : undefined;
}

export interface Collaboration {
  readonly mode: CollaborationMode;
  /** The requested mode, when the model cannot run it and the default took its place. */
  readonly asked?: CollaborationMode;
  /** Guidance from the model's record or the client; absent when ours is used. */
  readonly instructions?: string;
  /** The client's guidance, even if the model's own takes precedence. */
  readonly given?: string;
}

/** The model's own guidance for a mode takes precedence over the client's; an unsupported mode becomes the default. */
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

const levels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'];
type EffortBefore = { readonly model: string; readonly effort?: string };

/**
 * The effort after a switch of models: the chosen one if supported, else the nearest; undefined: the model's default.
 * Models without known efforts get none: many servers refuse an effort they do not know.
 */
export function effortFor(record: ModelRecord, { model, effort }: EffortBefore): string | undefined {
  const { slug, supportedEfforts, guessed } = record;
  if (slug === model || effort === undefined) return effort;
  if (guessed || supportedEfforts.length === 0) return undefined;
  return effortProblem(record, effort) === undefined ? effort : nearest(supportedEfforts, effort);
}

/** The lower of two equally near ones; the middle for a name that has no rank. */
function nearest(supported: readonly string[], effort: string): string | undefined {
  const middle = supported[Math.floor((supported.length - 1) / 2)];
  const place = levels.indexOf(effort);
  const known = supported.filter((each) => levels.includes(each));
  if (place < 0 || known.length === 0) return middle;
  const distance = (each: string): number => Math.abs(levels.indexOf(each) - place);
  return known.toSorted((a, b) => distance(a) - distance(b) || levels.indexOf(a) - levels.indexOf(b))[0];
}

/** Says that a model runs with another effort than the one chosen for the previous model; undefined if it does not. */
export function effortNote(
  record: ModelRecord,
  before: EffortBefore,
  now: string | undefined,
): Outcome<'effort-changed'> | undefined {
  const fitting = effortFor(record, before);
  if (before.effort === undefined || fitting === before.effort || fitting !== now) return undefined;
  const { slug, supportedEfforts, guessed } = record;
  const had = JSON.stringify(before.effort);
  if (guessed) {
    const message = `Capstan does not know the reasoning efforts of the model ${slug}, so it sends none instead of ${had}.`;
    // The setting belongs to the previous model. After an automatic switch, only a catalogue gives another effort.
    const next =
      'If it has efforts, list them in a catalogue of your own (model_catalog_json). Where you choose the model yourself, you can instead choose an effort with it.';
    return { code: 'effort-changed', message, next };
  }
  const used = fitting === undefined ? 'Capstan sends none.' : `Capstan uses ${JSON.stringify(fitting)}.`;
  const next =
    supportedEfforts.length === 0
      ? 'Nothing needs to be done.'
      : `It has ${supportedEfforts.join(', ')}. Set model_reasoning_effort to choose another one.`;
  return { code: 'effort-changed', message: `The model ${slug} has no reasoning effort ${had}. ${used}`, next };
}

/** Our own name, sent as `disabled`; no catalogue lists it. */
const unlisted = 'persistent';

export function effortProblem(
  { slug, supportedEfforts, guessed }: ModelRecord,
  effort: string,
): Outcome<'effort-unsupported'> | undefined {
  if (guessed || supportedEfforts.length === 0 || supportedEfforts.includes(effort) || effort === unlisted)
    return undefined;
  const message = `The model ${slug} has no reasoning effort ${JSON.stringify(effort)}.`;
  return { code: 'effort-unsupported', message, next: `Choose one of these: ${supportedEfforts.join(', ')}.` };
}

/** As `effortProblem`, for typed input: a word that no provider uses as an effort is a typing error. */
export function typedEffortProblem(record: ModelRecord, effort: string): Outcome<'effort-unsupported'> | undefined {
  const problem = effortProblem(record, effort);
  const isKnown = [...levels, ...record.supportedEfforts, unlisted].includes(effort);
  if (problem !== undefined || isKnown) return problem;
  const message = `There is no reasoning effort ${JSON.stringify(effort)}.`;
  const next = `Choose one of these: ${levels.join(', ')}. If ${record.slug} has others, list them in a catalogue of your own (model_catalog_json).`;
  return { code: 'effort-unsupported', message, next };
}

/** The effort as providers name it. Two of the choices exist only on our side. */
export function sentEffort({ supportedEfforts, defaultEffort }: ModelRecord, chosen: string): string {
  if (chosen === unlisted) return 'disabled';
  if (chosen !== 'ultra') return chosen;
  return supportedEfforts.findLast((effort) => effort !== 'ultra') ?? defaultEffort ?? 'medium';
}
