import type { Config } from '../../core/config/config.ts';
import type { Catalogue, CatalogueEntry } from '../../core/envelope/model-record.ts';
import type { EditTools } from '../../core/envelope/settings.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { bundledCatalogue } from './bundled-models.ts';
import { type BoundedReading, readBounded } from '../disk/regular-files.ts';
import { readLimits } from './files/read-guard.ts';
import { defined } from '../../base/objects.ts';

export type CatalogueProblem = Outcome<`model-catalogue-${'unreadable' | 'empty' | 'wrong'}`>;

/** The models of the file in `model_catalog_json`, and no others; without the key, the bundled ones. */
export function loadCatalogue(
  config: Pick<Config, 'modelCatalogJson'>,
  rules: Pick<BoundedReading, 'denies'> = {},
): Catalogue | CatalogueProblem {
  const { modelCatalogJson: path } = config;
  const bundled = bundledCatalogue();
  if (path === undefined) return bundled;
  const parsed = parseFile(path, rules);
  if ('code' in parsed) return parsed;
  const list = isJsonObject(parsed.json) ? arrayAt(parsed.json, 'models') : undefined;
  if (list === undefined) return wrong(path, 'must be an object with a list "models"');
  const models: CatalogueEntry[] = [];
  for (const [at, record] of list.entries()) {
    const slug = isJsonObject(record) ? stringAt(record, 'slug') : undefined;
    if (!isJsonObject(record) || slug === undefined || slug.trim() === '')
      return wrong(path, `has a model without a name: models[${at}].slug must be a string that is not blank`);
    const entry = catalogueEntry(record, bundled.fallback);
    if ('expected' in entry)
      return wrong(path, `has a wrong value: ${entry.key} of "${slug}" must be ${entry.expected}`);
    models.push(entry);
  }
  const [first, ...others] = models;
  if (first !== undefined) return { models: [first, ...others], fallback: bundled.fallback };
  const next = 'Describe at least one model in it, or remove the key to use the bundled catalogue.';
  return { code: 'model-catalogue-empty', message: `The file in model_catalog_json has no models: ${path}`, next };
}

function parseFile(path: string, rules: Pick<BoundedReading, 'denies'>): { readonly json: Json } | CatalogueProblem {
  const file = readBounded(path, { ...rules, maxBytes: readLimits.catalogueBytes });
  if (file.kind !== 'read') {
    const fate = file.kind === 'missing' ? 'does not exist' : `cannot be read (${file.reason})`;
    const message = `The file in model_catalog_json ${fate}: ${path}`;
    const next = 'Set the key to a file that you can read, or remove it to use the bundled catalogue.';
    return { code: 'model-catalogue-unreadable', message, next };
  }
  try {
    return { json: JSON.parse(file.bytes.toString('utf8')) as Json };
  } catch (error) {
    return wrong(path, `is not JSON (${(error as SyntaxError).message})`);
  }
}

function wrong(path: string, what: string): CatalogueProblem {
  const message = `The file in model_catalog_json ${what}: ${path}`;
  const next = 'Correct it, or remove the key to use the bundled catalogue.';
  return { code: 'model-catalogue-wrong', message, next };
}

const personalityPlaceholder = '{{ personality }}';
/** A key with an invalid value. `expected` completes a sentence after "must be". */
type RecordProblem = { readonly key: string; readonly expected: string };

/** One model of a catalogue file. Missing keys are as for an unknown model; unknown keys are ignored. */
export function catalogueEntry(record: JsonObject, fallback: Catalogue['fallback']): CatalogueEntry | RecordProblem {
  const problem = firstProblem(record);
  if (problem !== undefined) return problem;
  const most = numberAt(record, 'max_context_window');
  // The provider's default, where the record leaves it open.
  const verbosity = stringAt(record, 'default_verbosity') ?? 'medium';
  return defined({
    slug: stringAt(record, 'slug') ?? '',
    contextWindow: numberAt(record, 'context_window') ?? most ?? fallback.contextWindow,
    maxContextWindow: most,
    effectivePercent: numberAt(record, 'effective_context_window_percent') ?? fallback.effectivePercent,
    autoCompactTokens: numberAt(record, 'auto_compact_token_limit'),
    maxOutputTokens: numberAt(record, 'max_output_tokens'),
    truncation: truncationOf(record) ?? fallback.truncation,
    defaultEffort: stringAt(record, 'default_reasoning_level'),
    supportedEfforts: namesAt(record, 'supported_reasoning_levels', 'effort') ?? [],
    defaultSummary: summaryOf(record),
    defaultVerbosity: record['support_verbosity'] === true ? verbosity : undefined,
    serviceTiers: namesAt(record, 'service_tiers', 'id') ?? [],
    modalities: namesAt(record, 'input_modalities', 'name') ?? fallback.modalities,
    imageGeneration: fallback.imageGeneration,
    webSearch: fallback.webSearch,
    editTools: editToolsOf(record) ?? fallback.editTools,
    parallelCalls: typeof record['parallel_calls'] === 'boolean' ? record['parallel_calls'] : undefined,
    modes: modesOf(record, fallback),
    compatibility: stringAt(record, 'comp_hash'),
    instructions: instructionsOf(record) ?? fallback.instructions,
  });
}

const texts = 'default_reasoning_level default_reasoning_summary default_verbosity comp_hash base_instructions';
const numbers =
  'context_window max_context_window effective_context_window_percent auto_compact_token_limit max_output_tokens';
const flags = 'support_verbosity supports_reasoning_summary_parameter parallel_calls';
const lists = { supported_reasoning_levels: 'effort', service_tiers: 'id', input_modalities: 'name' } as const;

/** Such files write `null` for absent. */
function firstProblem(record: JsonObject): RecordProblem | undefined {
  const found = (keys: string, isRight: (value: Json) => boolean, expected: string): readonly RecordProblem[] =>
    keys
      .split(' ')
      .filter((key) => record[key] !== undefined && record[key] !== null && !isRight(record[key]))
      .map((key) => ({ key, expected }));
  return [
    ...found(texts, (value) => typeof value === 'string', 'a string'),
    ...found(numbers, (value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number of at least 1'),
    ...found('effective_context_window_percent', (value) => (value as number) <= 100, 'at most 100'),
    ...found(flags, (value) => typeof value === 'boolean', 'true or false'),
    ...Object.entries(lists).flatMap(([key, name]) => {
      const expected = `a list of strings, or of objects with "${name}"`;
      return found(key, () => namesAt(record, key, name) !== undefined, expected);
    }),
    ...found(
      'truncation_policy',
      () => truncationOf(record) !== undefined,
      'an object with a mode (bytes or tokens) and a limit',
    ),
    ...found('model_messages', isJsonObject, 'an object'),
    ...found('edit_tools', () => editToolsOf(record) !== undefined, '"patch" or "edit"'),
  ][0];
}

/** Items are strings, or objects that explain each string. */
function namesAt(record: JsonObject, key: string, name: string): readonly string[] | undefined {
  const list = record[key];
  if (!Array.isArray(list)) return undefined;
  const names = list.map((member: Json) => (isJsonObject(member) ? member[name] : member));
  return names.every((member) => typeof member === 'string') ? names : undefined;
}

function truncationOf(record: JsonObject): CatalogueEntry['truncation'] | undefined {
  const { mode, limit } = objectAt(record, 'truncation_policy') ?? {};
  const isSound = (mode === 'bytes' || mode === 'tokens') && typeof limit === 'number' && limit >= 0;
  return isSound ? { mode, limit } : undefined;
}

/** Files of other programs name the patch format that a model takes, or omit it. */
function editToolsOf(record: JsonObject): EditTools | undefined {
  const named = record['edit_tools'];
  if (named === 'patch' || named === 'edit') return named;
  return named === undefined && stringAt(record, 'apply_patch_tool_type') !== undefined ? 'patch' : undefined;
}

/** A model that rejects the parameter must not get it by default. */
function summaryOf(record: JsonObject): string | undefined {
  if (record['supports_reasoning_summary_parameter'] === false) return 'none';
  return stringAt(record, 'default_reasoning_summary');
}

/** Every model can run every mode; a record only adds guidance. An empty text counts as guidance that says nothing. */
function modesOf(record: JsonObject, fallback: Catalogue['fallback']): CatalogueEntry['modes'] {
  const given = objectAt(objectAt(record, 'model_messages') ?? {}, 'collaboration_modes') ?? {};
  const modes = Object.keys(fallback.modes).map((mode) => [mode, defined({ guidance: stringAt(given, mode) })]);
  return Object.fromEntries(modes);
}

function instructionsOf(record: JsonObject): string | undefined {
  const messages = objectAt(record, 'model_messages') ?? {};
  const template = stringAt(messages, 'instructions_template') ?? stringAt(record, 'base_instructions');
  const variables = objectAt(messages, 'instructions_variables');
  if (template === undefined || variables === undefined) return template;
  return template.replaceAll(personalityPlaceholder, () => stringAt(variables, 'personality_default') ?? '');
}
