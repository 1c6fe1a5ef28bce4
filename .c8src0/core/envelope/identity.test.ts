import { describe, expect, test } from 'vitest';
import type { ModelRecord } from './model-record.ts';
import { effortFor, effortNote, sentEffort, typedEffortProblem } from './identity.ts';

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

test('a typed word that no model has as an effort is a slip', () => {
  const record = { ...unknown, supportedEfforts: ['of its own'], guessed: false };
  const problems = (of: ModelRecord) =>
    ['low', 'hi', 'persistent', 'of its own'].filter((effort) => typedEffortProblem(of, effort) !== undefined);
  expect(problems(unknown)).toEqual(['hi', 'of its own']);
  expect(problems(record)).toEqual(['low', 'hi']);
  expect(problems({ ...unknown, guessed: false })).toEqual(['hi', 'of its own']);
});

describe('the effort of a model that takes over from another', () => {
  const record = (...supportedEfforts: readonly string[]): ModelRecord => ({
    ...unknown,
    guessed: false,
    supportedEfforts,
  });
  const all = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra', 'persistent', 'of its own'];

  test.each<[string, ModelRecord, readonly (string | undefined)[]]>([
    [
      'is the nearest one, and the lower of two',
      record('low', 'medium', 'high'),
      ['low', 'low', 'low', 'medium', 'high', 'high', 'high', 'high', 'persistent', 'medium'],
    ],
    [
      'is one of few',
      record('low', 'high'),
      ['low', 'low', 'low', 'low', 'high', 'high', 'high', 'high', 'persistent', 'low'],
    ],
    [
      'is the middle one of names of its own',
      record('a', 'b', 'c'),
      [...all.slice(0, 8).map(() => 'b'), 'persistent', 'b'],
    ],
    ['is none where it has none', record(), all.map(() => undefined)],
    ['is none where nothing is known', unknown, all.map(() => undefined)],
  ])('%s', (_, model, expected) => {
    expect(all.map((effort) => effortFor(model, { model: 'other', effort }))).toEqual(expected);
    expect(all.map((effort) => effortFor(model, { model: 'm', effort }))).toEqual(all);
    expect(effortFor(model, { model: 'other' })).toBeUndefined();
  });

  test('is reported where it is another one because of the model', () => {
    const before = { model: 'other', effort: 'xhigh' };
    const three = record('low', 'medium', 'high');
    expect(effortNote(three, before, 'high')).toEqual({
      code: 'effort-changed',
      message: 'The model m has no reasoning effort "xhigh". Capstan uses "high".',
      next: 'It has low, medium, high. Set model_reasoning_effort to choose another one.',
    });
    expect(effortNote(record(), before, undefined)?.message).toBe(
      'The model m has no reasoning effort "xhigh". Capstan sends none.',
    );
    expect(effortNote(unknown, before, undefined)).toEqual({
      code: 'effort-changed',
      message: 'Capstan does not know the reasoning efforts of the model m, so it sends none instead of "xhigh".',
      next: 'If it has efforts, list them in a catalogue of your own (model_catalog_json). Where you choose the model yourself, you can instead choose an effort with it.',
    });
    // The user chose another one, nothing was chosen, or it has it.
    expect(effortNote(three, before, 'low')).toBeUndefined();
    expect(effortNote(three, { model: 'other' }, undefined)).toBeUndefined();
    expect(effortNote(three, { model: 'other', effort: 'low' }, 'low')).toBeUndefined();
  });
});
