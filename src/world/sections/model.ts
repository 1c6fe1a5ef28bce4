import type { Step } from '../../envelope/step.ts';
import { type Fragment, render } from '../../fragments/text/define.ts';
import { modelSwitchFragment, type ModelSwitchText } from '../../fragments/sections/model-switch.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject, stringAt } from '../../protocol/json.ts';
import { textDigest } from '../../protocol/text-digest.ts';
import { type Section, unknown } from './section.ts';

export interface ModelFact {
  readonly model: string;
  /** `custom`: the user chose the instructions for every model, and a switch says nothing. */
  readonly guidance: ModelSwitchText['guidance'] | { readonly kind: 'custom' };
  /** Digest of the model's instructions, as the catalogue has them. */
  readonly digest: string;
}

interface ToldModel {
  readonly model: string;
  /** Absent: not known. */
  readonly digest?: string;
}

/**
 * Which model acts, and where its guidance stands. Instructions at the start of a request stay while history only
 * grows, so new guidance is given here; a further change takes it back. Where the digest is missing, nothing proves
 * that the guidance changed: it is stored, and not sent.
 */
export const modelSection: Section<ModelFact, string, ToldModel> = {
  id: 'model',
  assumes: 'nothing: it frames everything that follows',
  kinds: { telling: [modelSwitchFragment.id], withdrawing: [] },

  of: (step) => ({
    model: step.envelope.identity.model.slug,
    guidance: guidanceOf(step),
    digest: textDigest(step.envelope.identity.model.instructions),
  }),

  stored: ({ model }) => model,

  beside: { id: 'capstan.model', stored: ({ model, digest }) => ({ model, instructions: digest }) },

  read(stored, beside) {
    if (typeof stored !== 'string') return undefined;
    const digest = isJsonObject(beside) && beside['model'] === stored ? stringAt(beside, 'instructions') : undefined;
    return { model: stored, ...defined({ digest }) };
  },

  /** A reader who was told nothing goes by the instructions at the start. */
  full: (now) => (now.guidance.kind === 'text' ? told(now) : []),

  change(before, now) {
    if (now === undefined) return [];
    if (before === unknown || before.model !== now.model) return told(now);
    return before.digest === undefined || before.digest === now.digest ? [] : told(now, { revised: true });
  },
};

/** A checkpoint may have given the model its own instructions to begin with, also since the turn began. */
function guidanceOf({ envelope: { instructions }, facts }: Step): ModelFact['guidance'] {
  const { model } = instructions;
  const { text, provenance } = facts.base ?? instructions.base;
  if (provenance.type === 'custom') return { kind: 'custom' };
  return model === undefined || model === text ? { kind: 'base' } : { kind: 'text', text: model };
}

function told({ model, guidance }: ModelFact, revised: Pick<ModelSwitchText, 'revised'> = {}): readonly Fragment[] {
  return guidance.kind === 'custom' ? [] : [render(modelSwitchFragment, { model, guidance, ...revised })];
}
