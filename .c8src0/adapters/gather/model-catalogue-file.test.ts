import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lookUpModel } from '../../core/envelope/model-record.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { baseInstructions } from '../../core/world/sections/instructions.ts';
import type { Json } from '../../protocol/json.ts';
import { bundledCatalogue } from './bundled-models.ts';
import { loadCatalogue } from './model-catalogue-file.ts';
import { modelNotices } from '../../engine/thread/thread-settings.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-catalogue-'));
  file = join(folder, 'models.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(content: Json | undefined) {
  if (content !== undefined) writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return loadCatalogue({ modelCatalogJson: file });
}

test('without the key, the bundled catalogue', () => {
  expect(loadCatalogue({})).toBe(bundledCatalogue());
});

test('a whole record', () => {
  const catalogue = load({
    models: [
      {
        slug: 'mine',
        display_name: 'Mine',
        context_window: 32_000,
        max_context_window: 64_000,
        effective_context_window_percent: 90,
        auto_compact_token_limit: 20_000,
        truncation_policy: { mode: 'tokens', limit: 500 },
        input_modalities: ['text'],
        default_reasoning_level: 'low',
        supported_reasoning_levels: [{ effort: 'low', description: 'x' }, { effort: 'high' }],
        default_reasoning_summary: 'concise',
        support_verbosity: true,
        default_verbosity: 'high',
        service_tiers: [{ id: 'priority', name: 'x' }],
        comp_hash: '7',
        base_instructions: 'not these',
        model_messages: {
          instructions_template: 'Be {{ personality }} and {{ other }}.',
          instructions_variables: { personality_default: 'kind $&', personality_friendly: 'x' },
          collaboration_modes: { default: '', plan: 'Plan.' },
        },
      },
    ],
  });
  expect(catalogue).toEqual({
    models: [
      {
        slug: 'mine',
        contextWindow: 32_000,
        maxContextWindow: 64_000,
        effectivePercent: 90,
        autoCompactTokens: 20_000,
        truncation: { mode: 'tokens', limit: 500 },
        modalities: ['text'],
        defaultEffort: 'low',
        supportedEfforts: ['low', 'high'],
        defaultSummary: 'concise',
        defaultVerbosity: 'high',
        serviceTiers: ['priority'],
        compatibility: '7',
        imageGeneration: false,
        webSearch: false,
        editTools: 'edit',
        modes: { default: { guidance: '' }, plan: { guidance: 'Plan.' } },
        instructions: 'Be kind $& and {{ other }}.',
      },
    ],
    fallback: bundledCatalogue().fallback,
  });
});

test('what a record leaves open is as for an unknown model, with our instructions', () => {
  expect(load({ models: [{ slug: 'bare', context_window: null, support_verbosity: false }], etag: 1 })).toEqual({
    models: [{ slug: 'bare', ...bundledCatalogue().fallback }],
    fallback: bundledCatalogue().fallback,
  });
});

test.each<[string, Json, object]>([
  ['the old key holds the instructions', { base_instructions: 'Old.' }, { instructions: 'Old.' }],
  [
    'a template without variables is literal',
    { model_messages: { instructions_template: 'A {{ personality }}' } },
    { instructions: 'A {{ personality }}' },
  ],
  [
    'a missing variant is empty',
    { model_messages: { instructions_template: 'A {{ personality }}', instructions_variables: {} } },
    { instructions: 'A ' },
  ],
  ['the largest window stands in', { max_context_window: 9 }, { contextWindow: 9, maxContextWindow: 9 }],
  ['efforts may be plain words', { supported_reasoning_levels: ['a', 'b'] }, { supportedEfforts: ['a', 'b'] }],
  [
    'no summary where there is no such parameter',
    { supports_reasoning_summary_parameter: false },
    { defaultSummary: 'none' },
  ],
  ['a model that takes patches', { apply_patch_tool_type: 'freeform' }, { editTools: 'patch' }],
  ['tools that are named', { apply_patch_tool_type: 'freeform', edit_tools: 'edit' }, { editTools: 'edit' }],
  ['one call at a time', { parallel_calls: false }, { parallelCalls: false }],
  ['verbosity without a default', { support_verbosity: true }, { defaultVerbosity: 'medium' }],
])('%s', (_, record, expected) => {
  const catalogue = load({ models: [{ slug: 'm', ...(record as object) } as Json] });
  expect('models' in catalogue && catalogue.models[0]).toMatchObject(expected);
});

test('it replaces the bundled one', () => {
  const catalogue = load({ models: [{ slug: 'mine' }] });
  if ('code' in catalogue) throw new Error(catalogue.message);
  expect(lookUpModel(catalogue, 'gpt-5.5')).toMatchObject({ guessed: true, instructions: baseInstructions() });
  expect(lookUpModel(catalogue, 'mine-2')).toMatchObject({ guessed: false, slug: 'mine-2' });
});

test.each<[string, Json | undefined, string, string]>([
  ['no file', undefined, 'model-catalogue-unreadable', 'does not exist'],
  ['no models', { models: [] }, 'model-catalogue-empty', 'has no models'],
  ['no list', { model: [] }, 'model-catalogue-wrong', 'must be an object with a list "models"'],
  ['no object', [], 'model-catalogue-wrong', 'must be an object'],
  ['no JSON', '{', 'model-catalogue-wrong', 'is not JSON'],
  ['no name', { models: [{ slug: 'a' }, { slug: ' ' }] }, 'model-catalogue-wrong', 'models[1].slug'],
  ['no record', { models: ['a'] }, 'model-catalogue-wrong', 'models[0].slug'],
  [
    'a text for a window',
    { models: [{ slug: 'a', context_window: '9' }] },
    'model-catalogue-wrong',
    'context_window of "a"',
  ],
  [
    'more than all',
    { models: [{ slug: 'a', effective_context_window_percent: 200 }] },
    'model-catalogue-wrong',
    'at most 100',
  ],
  [
    'half a policy',
    { models: [{ slug: 'a', truncation_policy: { mode: 'x' } }] },
    'model-catalogue-wrong',
    'truncation_policy',
  ],
  [
    'a number among efforts',
    { models: [{ slug: 'a', supported_reasoning_levels: [1] }] },
    'model-catalogue-wrong',
    'supported_reasoning_levels',
  ],
  [
    'other tools',
    { models: [{ slug: 'a', edit_tools: 'sed' }] },
    'model-catalogue-wrong',
    'edit_tools of "a" must be "patch" or "edit"',
  ],
  [
    'a number for a text',
    { models: [{ slug: 'a', comp_hash: 1 }] },
    'model-catalogue-wrong',
    'comp_hash of "a" must be a string',
  ],
])('%s is an error that says what to do', (_, content, code, message) => {
  expect(load(content)).toEqual({
    code,
    message: expect.stringContaining(message),
    next: expect.stringContaining('remove'),
  });
});

const settings = { model: 'gpt-5.5', window: {} } as Settings;

test('a notice says how to describe an unknown model', () => {
  const notices = (changes: Partial<Settings>) => modelNotices(bundledCatalogue(), { ...settings, ...changes });
  expect(notices({ model: 'qwen:latest' })).toEqual([
    {
      code: 'model-unknown',
      message:
        'Capstan does not know the model qwen:latest. It uses general values, such as a window of 272,000 tokens.',
      next: 'Set model_context_window to its real window, or describe the model in a file and set model_catalog_json to it.',
    },
  ]);
  expect(notices({ model: 'qwen:latest', window: { contextWindow: 8000 } })).toEqual([]);
  expect(notices({})).toEqual([]);
});

test('a window that is larger than the model has is reported; of an unknown model every window is taken', () => {
  const notices = (model: string, window: Settings['window']) =>
    modelNotices(bundledCatalogue(), { ...settings, model, window: window ?? {} });
  expect(notices('gpt-5.5', { contextWindow: 1_000_000 })).toEqual([
    {
      code: 'window-too-large',
      message:
        'model_context_window is 1000000, but the model gpt-5.5 has a window of 272,000 tokens. Capstan uses 272,000.',
      next: 'Set it to 272000 or less, or describe the model in a file and set model_catalog_json to it.',
    },
  ]);
  expect(notices('gpt-5.4', { effectiveTokens: 300_000 })).toEqual([
    {
      code: 'window-too-large',
      message:
        'window.effective_tokens is 300000, but the model gpt-5.4 has a window of 272,000 tokens. Capstan uses 272,000.',
      next: 'Set it to 272000 or less, or model_context_window to 1000000 or less.',
    },
  ]);
  expect(notices('gpt-5.4', { contextWindow: 900_000, effectiveTokens: 300_000 })).toEqual([]);
  expect(notices('qwen:latest', { contextWindow: 1_000_000 })).toEqual([]);
  expect(notices('qwen:latest', { effectiveTokens: 1_000_000 })).toEqual([]);
});

test('a tier that the model does not have is reported', () => {
  const notices = (model: string, serviceTier: string) =>
    modelNotices(bundledCatalogue(), { ...settings, model, serviceTier });
  expect(notices('gpt-5.2', 'fast')).toEqual([
    {
      code: 'service-tier-unused',
      message: 'The model gpt-5.2 has no service tier "priority". Capstan sends requests without one.',
      next: 'It has none. Set service_tier to one of them, or to "default".',
    },
  ]);
  expect([notices('gpt-5.5', 'fast'), notices('gpt-5.2', 'default'), notices('gpt-5.5', 'flex')]).toEqual([[], [], []]);
});
