import type { Catalogue, CatalogueEntry } from '../../envelope/model-record.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';

/** What stands in a template where the model's manner of speaking goes. */
const personalityPlaceholder = '{{ personality }}';

/** A key of a record that holds something of the wrong sort. */
export interface RecordProblem {
  readonly key: string;
  /** The rest of a sentence that begins with "must be". */
  readonly expected: string;
}

/** One model of a catalogue file. What it does not say is as for an unknown model; unknown keys are ignored. */
export function catalogueEntry(record: JsonObject, fallback: Catalogue['fallback']): CatalogueEntry | RecordProblem {
  const problem = firstProblem(record);
  if (problem !== undefined) return problem;
  const most = positive(record, 'max_context_window');
  const autoCompactTokens = positive(record, 'auto_compact_token_limit');
  const defaultEffort = stringAt(record, 'default_reasoning_level');
  const defaultSummary = summaryOf(record);
  const compatibility = stringAt(record, 'comp_hash');
  // The provider's own default, where the record leaves it open.
  const verbosity =
    record['support_verbosity'] === true ? (stringAt(record, 'default_verbosity') ?? 'medium') : undefined;
  return {
    slug: stringAt(record, 'slug') ?? '',
    contextWindow: positive(record, 'context_window') ?? most ?? fallback.contextWindow,
    ...defined({ maxContextWindow: most }),
    effectivePercent: positive(record, 'effective_context_window_percent') ?? fallback.effectivePercent,
    ...defined({ autoCompactTokens }),
    truncation: truncationOf(record) ?? fallback.truncation,
    ...defined({ defaultEffort }),
    supportedEfforts: namesAt(record, 'supported_reasoning_levels', 'effort') ?? [],
    ...defined({ defaultSummary, defaultVerbosity: verbosity }),
    serviceTiers: namesAt(record, 'service_tiers', 'id') ?? [],
    modalities: namesAt(record, 'input_modalities', 'name') ?? fallback.modalities,
    imageGeneration: fallback.imageGeneration,
    webSearch: fallback.webSearch,
    modes: modesOf(record, fallback),
    ...defined({ compatibility }),
    instructions: instructionsOf(record) ?? fallback.instructions,
  };
}

const textKeys = [
  'default_reasoning_level',
  'default_reasoning_summary',
  'default_verbosity',
  'comp_hash',
  'base_instructions',
];
const numberKeys = [
  'context_window',
  'max_context_window',
  'effective_context_window_percent',
  'auto_compact_token_limit',
];
const flagKeys = ['support_verbosity', 'supports_reasoning_summary_parameter'];
const listKeys = [
  ['supported_reasoning_levels', 'effort'],
  ['service_tiers', 'id'],
  ['input_modalities', 'name'],
] as const;

/** `null` stands for absent: that is how such files are written. */
function firstProblem(record: JsonObject): RecordProblem | undefined {
  const wrong = (key: string, isRight: (value: Json) => boolean): boolean =>
    record[key] !== undefined && record[key] !== null && !isRight(record[key]);
  const found = (keys: readonly string[], isRight: (value: Json) => boolean, expected: string) =>
    keys.filter((key) => wrong(key, isRight)).map((key): RecordProblem => ({ key, expected }));
  return [
    ...found(textKeys, (value) => typeof value === 'string', 'a string'),
    ...found(numberKeys, (value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number from 1'),
    ...found(['effective_context_window_percent'], (value) => (value as number) <= 100, 'at most 100'),
    ...found(flagKeys, (value) => typeof value === 'boolean', 'true or false'),
    ...listKeys
      .filter(([key, name]) => wrong(key, () => namesAt(record, key, name) !== undefined))
      .map(([key, name]) => ({ key, expected: `a list of strings, or of objects with "${name}"` })),
    ...found(
      ['truncation_policy'],
      () => truncationOf(record) !== undefined,
      'an object with a mode (bytes or tokens) and a limit',
    ),
    ...found(['model_messages'], isJsonObject, 'an object'),
  ][0];
}

function positive(record: JsonObject, key: string): number | undefined {
  const value = record[key];
  return typeof value === 'number' ? value : undefined;
}

/** Lists of words come as such or as objects that explain each. */
function namesAt(record: JsonObject, key: string, name: string): readonly string[] | undefined {
  const list = record[key];
  if (!Array.isArray(list)) return undefined;
  const names = list.map((member: Json) => (isJsonObject(member) ? member[name] : member));
  return names.every((member) => typeof member === 'string') ? names : undefined;
}

function truncationOf(record: JsonObject): CatalogueEntry['truncation'] | undefined {
  const policy = objectAt(record, 'truncation_policy') ?? {};
  const { mode, limit } = policy;
  const isSound = (mode === 'bytes' || mode === 'tokens') && typeof limit === 'number' && limit >= 0;
  return isSound ? { mode, limit } : undefined;
}

/** A model that does not take the parameter must not get it by default. */
function summaryOf(record: JsonObject): string | undefined {
  if (record['supports_reasoning_summary_parameter'] === false) return 'none';
  return stringAt(record, 'default_reasoning_summary');
}

/** Every model can run every mode; what a record adds is its own guidance. An empty text is one, and says nothing. */
function modesOf(record: JsonObject, fallback: Catalogue['fallback']): CatalogueEntry['modes'] {
  const given = objectAt(objectAt(record, 'model_messages') ?? {}, 'collaboration_modes') ?? {};
  const modes = Object.keys(fallback.modes).map((mode) => {
    const guidance = stringAt(given, mode);
    return [mode, guidance === undefined ? {} : { guidance }];
  });
  return Object.fromEntries(modes);
}

function instructionsOf(record: JsonObject): string | undefined {
  const messages = objectAt(record, 'model_messages') ?? {};
  const template = stringAt(messages, 'instructions_template') ?? stringAt(record, 'base_instructions');
  const variables = objectAt(messages, 'instructions_variables');
  if (template === undefined || variables === undefined) return template;
  return template.replaceAll(personalityPlaceholder, () => stringAt(variables, 'personality_default') ?? '');
}
