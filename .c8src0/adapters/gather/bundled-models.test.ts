import { expect, test } from 'vitest';
import { lookUpModel } from '../../core/envelope/model-record.ts';
import { baseInstructions } from '../../core/world/sections/instructions.ts';
import { bundledCatalogue } from './bundled-models.ts';

test('a known model', () => {
  expect(lookUpModel(bundledCatalogue(), 'gpt-5.5')).toEqual({
    slug: 'gpt-5.5',
    contextWindow: 272_000,
    effectivePercent: 95,
    truncation: { mode: 'tokens', limit: 10_000 },
    defaultEffort: 'medium',
    supportedEfforts: ['low', 'medium', 'high', 'xhigh'],
    defaultVerbosity: 'low',
    compatibility: '2911',
    serviceTiers: ['priority', 'flex'],
    modalities: ['text', 'image'],
    imageGeneration: false,
    webSearch: false,
    editTools: 'patch',
    modes: { default: {}, plan: {} },
    instructions: baseInstructions(),
    guessed: false,
  });
});

test('the first is the default of threads without a named model', () => {
  expect(bundledCatalogue().models[0]).toMatchObject({
    slug: 'gpt-6.1-sol',
    defaultEffort: 'low',
    supportedEfforts: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
    compatibility: '3000',
    serviceTiers: ['priority'],
  });
});

test.each([
  ['gpt-6.1-terra', { contextWindow: 500_000, maxContextWindow: 872_000, defaultEffort: 'low' }],
  ['gpt-6-luna', { defaultEffort: 'medium', supportedEfforts: ['low', 'medium', 'high', 'xhigh', 'max'] }],
  [
    'gpt-5.6-sol',
    {
      contextWindow: 272_000,
      maxContextWindow: 872_000,
      defaultEffort: 'low',
      compatibility: '3000',
      serviceTiers: ['priority', 'flex', 'ultrafast'],
    },
  ],
  ['gpt-5.6-terra', { defaultEffort: 'medium', supportedEfforts: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'] }],
  ['gpt-5.4', { maxContextWindow: 1_000_000, serviceTiers: ['priority', 'flex'] }],
  ['gpt-5.6-luna', { supportedEfforts: ['low', 'medium', 'high', 'xhigh', 'max'] }],
  ['gpt-5.4-mini', { slug: 'gpt-5.4-mini', defaultVerbosity: 'medium', serviceTiers: [] }],
  ['gpt-5.4-test', { slug: 'gpt-5.4-test', defaultVerbosity: 'low', guessed: false }],
  ['proxy/gpt-5.2', { slug: 'proxy/gpt-5.2', truncation: { mode: 'bytes', limit: 10_000 }, guessed: false }],
  ['a/b/gpt-5.2', { guessed: true }],
  ['gpt-oss:20b', { contextWindow: 131_072, modalities: ['text'], guessed: false }],
  [
    'claude-sonnet-4-5-20250929',
    { contextWindow: 200_000, effectivePercent: 82, maxOutputTokens: 32_000, defaultEffort: 'medium', guessed: false },
  ],
  [
    'claude-opus-4-6',
    { defaultEffort: 'high', defaultSummary: 'auto', supportedEfforts: ['low', 'medium', 'high', 'max'] },
  ],
  ['claude-opus-9', { maxOutputTokens: 32_000, defaultEffort: 'high', guessed: false }],
  ['anthropic/claude-3-5-haiku', { maxOutputTokens: 8192, effectivePercent: 93, supportedEfforts: [] }],
  ['openai/gpt-oss-20b', { contextWindow: 131_072, supportedEfforts: ['low', 'medium', 'high'], guessed: false }],
])('%s', (name, expected) => {
  expect(lookUpModel(bundledCatalogue(), name)).toMatchObject(expected);
});

test('an unknown model gets general values', () => {
  expect(lookUpModel(bundledCatalogue(), 'qwen:latest')).toEqual({
    slug: 'qwen:latest',
    contextWindow: 272_000,
    effectivePercent: 95,
    truncation: { mode: 'bytes', limit: 10_000 },
    supportedEfforts: [],
    serviceTiers: [],
    modalities: ['text', 'image'],
    imageGeneration: false,
    webSearch: false,
    editTools: 'edit',
    modes: { default: {}, plan: {} },
    instructions: baseInstructions(),
    guessed: true,
  });
});
