import type { Catalogue } from '../../src/core/envelope/model-record.ts';

/** A model that can do everything and is in no catalogue. */
const fallback: Catalogue['fallback'] = {
  contextWindow: 272_000,
  effectivePercent: 95,
  truncation: { mode: 'bytes', limit: 10_000 },
  supportedEfforts: [],
  serviceTiers: [],
  modalities: ['text', 'image'],
  imageGeneration: false,
  webSearch: false,
  editTools: 'patch',
  modes: { default: {}, plan: {} },
  instructions: 'You are a model in a test.',
};

/**
 * Each with instructions of its own. `blind` takes no pictures, `doer` makes no plans, `planner` has its own way, little
 * fits into `small`, and `other` cannot read what `doer` has made.
 */
const models: Catalogue['models'] = [
  {
    ...fallback,
    slug: 'planner',
    instructions: 'You are the planner.\nThink first.',
    modes: { default: { guidance: '' }, plan: { guidance: 'Plan as planners do.' } },
  },
  { ...fallback, slug: 'blind', instructions: 'You are blind.', modalities: ['text'] },
  {
    ...fallback,
    slug: 'doer',
    instructions: 'You are the doer.',
    modes: { default: {} },
    compatibility: 'a',
  },
  { ...fallback, slug: 'small', instructions: 'You are small.', contextWindow: 3000 },
  { ...fallback, slug: 'other', instructions: 'You are another.', compatibility: 'b' },
];

export const worldModels: Catalogue = { models, fallback };
