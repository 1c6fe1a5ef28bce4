import type { JsonObject } from '../../protocol/json.ts';
import type { CollaborationMode, EditTools, Settings } from './settings.ts';
import { defined } from '../../base/objects.ts';

/** What the catalogue knows about a model. */
export interface ModelRecord {
  /** The name as it was asked for; it is what the provider gets. */
  readonly slug: string;
  /** Read by `window.ts` alone. */
  readonly contextWindow: number;
  /** The most that `model_context_window` may ask for, when that is more than the window. */
  readonly maxContextWindow?: number;
  readonly effectivePercent: number;
  readonly autoCompactTokens?: number;
  /** The most tokens that an answer may have. Sent to providers whose wire format must name it. */
  readonly maxOutputTokens?: number;
  /** How much of one tool output the model takes. */
  readonly truncation: { readonly mode: 'bytes' | 'tokens'; readonly limit: number };
  readonly defaultEffort?: string;
  readonly supportedEfforts: readonly string[];
  readonly defaultSummary?: string;
  readonly defaultVerbosity?: string;
  readonly serviceTiers: readonly string[];
  /** What the model can take in: `text`, `image`, `audio`. */
  readonly modalities: readonly string[];
  readonly imageGeneration: boolean;
  readonly webSearch: boolean;
  /** Modes of working together that the model can run, with its own guidance where it has some; empty text is none. */
  readonly modes: Readonly<Partial<Record<CollaborationMode, { readonly guidance?: string }>>>;
  /** Opaque: two models with different values cannot read each other's checkpoints. */
  readonly compatibility?: string;
  readonly instructions: string;
  /** How it edits files best. */
  readonly editTools: EditTools;
  /** The model may ask for several calls in one answer. Absent: it may. */
  readonly parallelCalls?: boolean;
  /** Where fields come from that are not the catalogue's, by name. */
  readonly sources?: Readonly<Partial<Record<keyof KnownFields, string>>>;
  /** The catalogue did not know the name and general values were taken. */
  readonly guessed: boolean;
}

/** A catalogue entry: a record for every name that begins with its slug. */
export type CatalogueEntry = Omit<ModelRecord, 'guessed' | 'sources'>;

/** What can be known of a model beside its entry. */
export type KnownFields = Partial<
  Pick<ModelRecord, 'contextWindow' | 'maxOutputTokens' | 'modalities' | 'parallelCalls'>
>;

/** What was learned of one model at one provider, and from whom. */
export interface KnownModel {
  /** Its whole name. */
  readonly slug: string;
  readonly fields: KnownFields;
  /** Shown with each field, such as `ollama /api/ps`. */
  readonly source: string;
}

/** What a provider cannot do, whatever its models can. */
export interface ProviderLimits {
  readonly pictures?: false;
  readonly parallelCalls?: false;
  readonly source: string;
}

/** Facts about the models that are known without asking a server. */
export interface Catalogue {
  /** The first is the default of threads without a named model. */
  readonly models: readonly [CatalogueEntry, ...CatalogueEntry[]];
  /** For a name that no entry fits. */
  readonly fallback: Omit<CatalogueEntry, 'slug'>;
  /** What is known of models of the provider besides; later ones over earlier ones. */
  readonly known?: readonly KnownModel[];
  readonly limits?: ProviderLimits;
}

/**
 * The longest slug that begins the name; else the same without one `namespace/`; else the fallback. What is known of the
 * model besides stands over it, within what its provider can do.
 */
export function lookUpModel(catalogue: Catalogue, name: string): ModelRecord {
  const known = (catalogue.known ?? []).filter(({ slug }) => slug === name).reduce(refined, entryFor(catalogue, name));
  return limited(known, catalogue.limits);
}

function refined(record: ModelRecord, { fields, source }: KnownModel): ModelRecord {
  const { maxContextWindow: _, ...narrow } = record;
  const base = fields.contextWindow === undefined ? record : narrow;
  const named = Object.fromEntries(Object.keys(fields).map((field) => [field, source]));
  return { ...base, ...fields, sources: { ...record.sources, ...named } };
}

function limited(record: ModelRecord, limits: ProviderLimits | undefined): ModelRecord {
  const hidesPictures = limits?.pictures === false && record.modalities.includes('image');
  const separates = limits?.parallelCalls === false;
  if (limits === undefined || !(hidesPictures || separates)) return record;
  const { source } = limits;
  return {
    ...record,
    ...(hidesPictures && { modalities: record.modalities.filter((each) => each !== 'image') }),
    ...(separates && { parallelCalls: false }),
    sources: {
      ...record.sources,
      ...(hidesPictures && { modalities: source }),
      ...(separates && { parallelCalls: source }),
    },
  };
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

/** The compaction-compatibility value in the key that other programs read. */
export function compatibilityField(record: ModelRecord): JsonObject {
  return record.compatibility === undefined ? {} : { comp_hash: record.compatibility };
}

/** What a model has defaults for, and the user may choose instead. */
export type ModelChoices = Pick<Settings, 'effort' | 'summary' | 'verbosity'>;

/** What holds where nothing is chosen. */
export function modelDefaults({ defaultEffort, defaultSummary, defaultVerbosity }: ModelRecord): ModelChoices {
  return defined({ effort: defaultEffort, summary: defaultSummary, verbosity: defaultVerbosity });
}

/** What holds with a model, given what was chosen. One that has no verbosity takes none. */
export function modelChoices(model: ModelRecord, chosen: ModelChoices): ModelChoices {
  const defaults = modelDefaults(model);
  const verbosity = defaults.verbosity === undefined ? undefined : (chosen.verbosity ?? defaults.verbosity);
  return defined({
    effort: chosen.effort ?? defaults.effort,
    summary: chosen.summary ?? defaults.summary,
    verbosity,
  });
}
