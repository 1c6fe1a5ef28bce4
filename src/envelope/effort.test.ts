import { expect, test } from 'vitest';
import type { ModelRecord } from './model-record.ts';
import { sentEffort } from './effort.ts';

const unknown: ModelRecord = {
  slug: 'm',
  contextWindow: 1000,
  effectivePercent: 95,
  truncation: { mode: 'bytes', limit: 100 },
  supportedEfforts: [],
  serviceTiers: [],
  modalities: ['text'],
  imageGeneration: false,
  webSearch: false,
  editTools: 'patch',
  modes: {},
  instructions: '',
  guessed: true,
};
const known = { ...unknown, defaultEffort: 'low', supportedEfforts: ['low', 'max', 'ultra'] };

test('two efforts are sent under another name, all others as they are', () => {
  const chosen = ['minimal', 'max', 'ultra', 'persistent', 'of its own'];
  expect(chosen.map((effort) => sentEffort(known, effort))).toEqual([
    'minimal',
    'max',
    'max',
    'disabled',
    'of its own',
  ]);
  expect(sentEffort({ ...known, supportedEfforts: [] }, 'ultra')).toBe('low');
  expect(sentEffort(unknown, 'ultra')).toBe('medium');
});
