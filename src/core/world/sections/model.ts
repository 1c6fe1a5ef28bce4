import { shortTextHash } from '../../../base/digest.ts';
import { defined } from '../../../base/objects.ts';
import { isJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Step } from '../../envelope/envelope.ts';
import { defineFragment, type Fragment, renderFragment } from '../../fragments/text/define-fragment.ts';
import { quote } from '../../fragments/text/escape-markup.ts';
import { type Section, unknownState } from './section.ts';

interface ModelSwitchText {
  readonly model: string;
  /** `base`: the instructions at the start of the request were written for this model. */
  readonly guidance: { readonly kind: 'base' } | { readonly kind: 'text'; readonly text: string };
  /** The model is unchanged, and only its guidance is new. */
  readonly revised?: true;
}

export const modelSwitchFragment = defineFragment<ModelSwitchText>({
  id: 'model-switch',
  purpose: 'Guidance for another model that takes over, or new guidance for the same one.',
  capTokens: 10_000,
  separate: true,
  section: 'model',
  body({ model, guidance, revised }) {
    const notice =
      revised === true
        ? `The guidance for the model ${quote(model)} has changed. Guidance given in earlier messages of this kind no longer holds.`
        : `The model is now ${quote(model)}. Guidance given for earlier models, also in earlier messages of this kind, no longer holds.`;
    const holds =
      guidance.kind === 'base'
        ? 'The instructions at the start of the request hold.'
        : `This guidance holds in the place of the instructions at the start of the request:\n\n${guidance.text}`;
    return `\n${notice} ${holds}\n`;
  },
});

export interface ModelFact {
  readonly model: string;
  /** `custom`: the user chose the instructions for every model, and a switch sends nothing. */
  readonly guidance: ModelSwitchText['guidance'] | { readonly kind: 'custom' };
  readonly digest: string;
}

interface ToldModel {
  readonly model: string;
  /** Absent: unknown. */
  readonly digest?: string;
}

/**
 * The active model, and where its guidance is. Instructions at the start of a request stay while history only grows, so
 * new guidance is sent here; a further change withdraws it. Without a digest nothing proves that the guidance changed:
 * it is stored, not sent.
 */
export const modelSection: Section<ModelFact, string, ToldModel> = {
  id: 'model',
  assumes: 'nothing: it frames everything that follows',
  family: modelSwitchFragment,
  of: (step) => ({
    model: step.envelope.identity.model.slug,
    guidance: guidanceOf(step),
    digest: shortTextHash(step.envelope.identity.model.instructions),
  }),
  stored: ({ model }) => model,
  beside: { id: 'capstan.model', stored: ({ model, digest }) => ({ model, instructions: digest }) },
  read(stored, beside) {
    if (typeof stored !== 'string') return undefined;
    const digest = isJsonObject(beside) && beside['model'] === stored ? stringAt(beside, 'instructions') : undefined;
    return { model: stored, ...defined({ digest }) };
  },
  /** A new reader follows the instructions at the start. */
  full: (now) => (now.guidance.kind === 'text' ? renderModel(now) : []),
  change(before, now) {
    if (now === undefined) return [];
    if (before === unknownState || before.model !== now.model) return renderModel(now);
    return before.digest === undefined || before.digest === now.digest ? [] : renderModel(now, true);
  },
};

/** A checkpoint may have put the model's own instructions at the start, even since the turn began. */
function guidanceOf({ envelope: { instructions }, facts }: Step): ModelFact['guidance'] {
  const { model } = instructions;
  const { text, provenance } = facts.base ?? instructions.base;
  if (provenance.type === 'custom') return { kind: 'custom' };
  return model === undefined || model === text ? { kind: 'base' } : { kind: 'text', text: model };
}

const renderModel = ({ model, guidance }: ModelFact, revised?: true): readonly Fragment[] =>
  guidance.kind === 'custom' ? [] : [renderFragment(modelSwitchFragment, { model, guidance, revised })];
