import { defineFragment } from './define.ts';
import { quote } from './markup.ts';

export interface ModelSwitchText {
  readonly model: string;
  /** `base`: the instructions at the start of the request were written for this model. */
  readonly guidance: { readonly kind: 'base' } | { readonly kind: 'text'; readonly text: string };
}

export const modelSwitchFragment = defineFragment<ModelSwitchText>({
  id: 'model-switch',
  purpose: 'Another model goes on from here, and the guidance that holds for it.',
  role: 'developer',
  markers: ['<model_switch>', '</model_switch>'],
  capTokens: 10_000,
  separate: true,
  section: 'model',
  body({ model, guidance }) {
    const notice = `The model is now ${quote(model)}. Guidance given for earlier models, also in earlier messages of this kind, no longer holds.`;
    const holds =
      guidance.kind === 'base'
        ? 'The instructions at the start of the request hold.'
        : `This guidance holds in the place of the instructions at the start of the request:\n\n${guidance.text}`;
    return `\n${notice} ${holds}\n`;
  },
});
