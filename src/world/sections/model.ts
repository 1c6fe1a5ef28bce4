import { render } from '../../fragments/define.ts';
import { modelSwitchFragment, type ModelSwitchText } from '../../fragments/model-switch.ts';
import type { Section } from '../section.ts';

/**
 * Which model acts, and where its guidance stands. Instructions at the start of a request stay as they are while history
 * only grows, so another model's guidance is told here; a further switch takes it back.
 */
export const modelSection: Section<ModelSwitchText, string> = {
  id: 'model',
  assumes: 'nothing: it frames everything that follows',
  kinds: { telling: [modelSwitchFragment.id], withdrawing: [] },

  of: ({ envelope: { identity, instructions } }) => ({
    model: identity.model.slug,
    guidance: instructions.model === undefined ? { kind: 'base' } : { kind: 'text', text: instructions.model },
  }),

  stored: ({ model }) => model,

  read: (stored) => (typeof stored === 'string' ? stored : undefined),

  /** A reader who was told nothing goes by the instructions at the start. */
  full: (now) => (now.guidance.kind === 'base' ? [] : [render(modelSwitchFragment, now)]),

  change(before, now) {
    return now === undefined || before === now.model ? [] : [render(modelSwitchFragment, now)];
  },
};
