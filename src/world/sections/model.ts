import type { Instructions } from '../../envelope/instructions.ts';
import { type Fragment, render } from '../../fragments/define.ts';
import { modelSwitchFragment, type ModelSwitchText } from '../../fragments/model-switch.ts';
import type { Section } from '../section.ts';

export interface ModelFact {
  readonly model: string;
  /** `custom`: somebody chose the instructions for every model, and a switch says nothing. */
  readonly guidance: ModelSwitchText['guidance'] | { readonly kind: 'custom' };
}

/**
 * Which model acts, and where its guidance stands. Instructions at the start of a request stay as they are while history
 * only grows, so another model's guidance is told here; a further switch takes it back.
 */
export const modelSection: Section<ModelFact, string> = {
  id: 'model',
  assumes: 'nothing: it frames everything that follows',
  kinds: { telling: [modelSwitchFragment.id], withdrawing: [] },

  of: ({ envelope: { identity, instructions } }) => ({
    model: identity.model.slug,
    guidance: guidanceOf(instructions),
  }),

  stored: ({ model }) => model,

  read: (stored) => (typeof stored === 'string' ? stored : undefined),

  /** A reader who was told nothing goes by the instructions at the start. */
  full: (now) => (now.guidance.kind === 'text' ? told(now) : []),

  change(before, now) {
    return now === undefined || before === now.model ? [] : told(now);
  },
};

function guidanceOf({ base, model }: Instructions): ModelFact['guidance'] {
  if (base.provenance.type === 'custom') return { kind: 'custom' };
  return model === undefined ? { kind: 'base' } : { kind: 'text', text: model };
}

function told({ model, guidance }: ModelFact): readonly Fragment[] {
  return guidance.kind === 'custom' ? [] : [render(modelSwitchFragment, { model, guidance })];
}
