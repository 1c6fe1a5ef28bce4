import type { JsonObject } from '../../protocol/json.ts';
import type { CollaborationMode, EditTools, Settings } from './settings.ts';
import { defined } from '../../base/objects.ts';

export interface ModelRecord {
  /** The name as requested and as sent to the provider. */
  readonly slug: string;
  /** Read by `window.ts` alone. */
  readonly contextWindow: number;
  /** Upper bound for `model_context_window`, when larger than the window. */
  readonly maxContextWindow?: number;
  readonly effectivePercent: number;
  readonly autoCompactTokens?: number;
  /** Upper bound for an answer. Sent to providers whose wire format requires it. */
  readonly maxOutputTokens?: number;
  readonly truncation: { readonly mode: 'bytes' | 'tokens'; readonly limit: number };
  readonly defaultEffort?: string;
  readonly supportedEfforts: readonly string[];
  readonly defaultSummary?: string;
  readonly defaultVerbosity?: string;
  readonly serviceTiers: readonly string[];
  readonly modalities: readonly string[];
  readonly imageGeneration: boolean;
  readonly webSearch: boolean;
  /** Collaboration modes that the model supports, with its own guidance if any; empty text is none. */
  readonly modes: Readonly<Partial<Record<CollaborationMode, { readonly guidance?: string }>>>;
  /** Opaque: two models with different values cannot read each other's checkpoints. */
  readonly compatibility?: string;
  readonly instructions: string;
  readonly editTools: EditTools;
  /** Several calls in one answer are allowed. Absent: yes. */
  readonly parallelCalls?: boolean;
  /** Sources of fields that do not come from the catalogue, by name. */
  readonly sources?: Readonly<Partial<Record<keyof KnownFields, string>>>;
  readonly guessed: boolean;
}

/** Applies to every name that begins with its slug. */
export type CatalogueEntry = Omit<ModelRecord, 'guessed' | 'sources'>;

export type KnownFields = Partial<
  Pick<ModelRecord, 'contextWindow' | 'maxOutputTokens' | 'modalities' | 'parallelCalls'>
>;

export interface KnownModel {
  readonly slug: string;
  readonly fields: KnownFields;
  /** Shown with each field, such as `ollama /api/ps`. */
  readonly source: string;
}

/** Limits of a provider, whatever its models can do. */
export type ProviderLimits = { readonly pictures?: false; readonly parallelCalls?: false; readonly source: string };

export interface Catalogue {
  /** The first is the default of threads without a named model. */
  readonly models: readonly [CatalogueEntry, ...CatalogueEntry[]];
  readonly fallback: Omit<CatalogueEntry, 'slug'>;
  /** Further facts about the provider's models; later ones override earlier ones. */
  readonly known?: readonly KnownModel[];
  readonly limits?: ProviderLimits;
}

/** Tries the longest slug that begins the name, then without one `namespace/`, then the fallback. Known facts win. */
export function lookUpModel(catalogue: Catalogue, name: string): ModelRecord {
  const known = (catalogue.known ?? []).filter(({ slug }) => slug === name).reduce(refined, entryFor(catalogue, name));
  return limited(known, catalogue.limits);
}

function refined(record: ModelRecord, { fields, source }: Omit<KnownModel, 'slug'>): ModelRecord {
  const { maxContextWindow: _, ...narrow } = record;
  const base = fields.contextWindow === undefined ? record : narrow;
  const named = Object.fromEntries(Object.keys(fields).map((field) => [field, source]));
  return { ...base, ...fields, sources: { ...record.sources, ...named } };
}

function limited(record: ModelRecord, limits: ProviderLimits | undefined): ModelRecord {
  const hidesPictures = limits?.pictures === false && record.modalities.includes('image');
  const separates = limits?.parallelCalls === false;
  if (limits === undefined || !(hidesPictures || separates)) return record;
  const fields = {
    ...(hidesPictures && { modalities: record.modalities.filter((each) => each !== 'image') }),
    ...(separates && { parallelCalls: false }),
  };
  return refined(record, { fields, source: limits.source });
}

function entryFor(catalogue: Catalogue, name: string): ModelRecord {
  const found = longestPrefix(catalogue, name) ?? longestPrefix(catalogue, withoutNamespace(name));
  if (found === undefined) return { ...catalogue.fallback, slug: name, guessed: true };
  return { ...found, slug: name, guessed: false };
}

function longestPrefix(catalogue: Catalogue, name: string | undefined): CatalogueEntry | undefined {
  if (name === undefined) return undefined;
  return catalogue.models
    .filter((model) => name.startsWith(model.slug))
    .toSorted((a, b) => b.slug.length - a.slug.length)[0];
}

function withoutNamespace(name: string): string | undefined {
  return /^[A-Za-z0-9_-]+\/(?<rest>[^/]+)$/.exec(name)?.groups?.['rest'];
}

/** Under the key that other programs read. */
export function compatibilityField(record: ModelRecord): JsonObject {
  return record.compatibility === undefined ? {} : { comp_hash: record.compatibility };
}

export type ModelChoices = Pick<Settings, 'effort' | 'summary' | 'verbosity'>;

export function modelDefaults({ defaultEffort, defaultSummary, defaultVerbosity }: ModelRecord): ModelChoices {
  return defined({ effort: defaultEffort, summary: defaultSummary, verbosity: defaultVerbosity });
}

/** The effective choices for a model. A model without verbosity gets none. */
export function modelChoices(model: ModelRecord, chosen: ModelChoices): ModelChoices {
  const defaults = modelDefaults(model);
  const verbosity = defaults.verbosity === undefined ? undefined : (chosen.verbosity ?? defaults.verbosity);
  return defined({ effort: chosen.effort ?? defaults.effort, summary: chosen.summary ?? defaults.summary, verbosity });
}
