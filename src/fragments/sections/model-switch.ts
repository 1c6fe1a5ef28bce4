import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

export interface ModelSwitchText {
  readonly model: string;
  /** `base`: the instructions at the start of the request were written for this model. */
  readonly guidance: { readonly kind: 'base' } | { readonly kind: 'text'; readonly text: string };
  /** The model is the one from before, and only its guidance is new. */
  readonly revised?: true;
}

export const modelSwitchFragment = defineFragment<ModelSwitchText>({
  id: 'model-switch',
  purpose: 'Guidance for another model that takes over, or new guidance for the same one.',
  role: 'developer',
  markers: ['<model_switch>', '</model_switch>'],
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
