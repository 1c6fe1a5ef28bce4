import type { Personality } from '../../envelope/settings.ts';
import { render } from '../../fragments/text/define.ts';
import { personalityFragment, personalityText } from '../../fragments/sections/personality.ts';
import { defined } from '../../protocol/defined.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

export interface PersonalityFact {
  readonly model: string;
  /** Absent: none was chosen. */
  readonly personality?: Personality;
}

/** In the shape that other programs also write. */
interface StoredPersonality extends JsonObject {
  readonly model: string;
  readonly personality?: string;
}

/** How the model speaks. It changes no capability, so it comes after all that does. */
export const personalitySection: Section<PersonalityFact, StoredPersonality> = {
  id: 'personality',
  assumes: 'model, permissions and mode: it changes the voice and nothing else',
  kinds: { telling: [personalityFragment.id], withdrawing: [personalityFragment.withdrawn.id] },

  of: ({ envelope: { identity, modes } }) => ({
    model: identity.model.slug,
    ...defined({ personality: modes.personality }),
  }),

  stored: (fact) => ({ ...fact }),

  read(stored) {
    const model = isJsonObject(stored) ? stringAt(stored, 'model') : undefined;
    if (!isJsonObject(stored) || model === undefined) return undefined;
    const personality = stringAt(stored, 'personality');
    return { model, ...defined({ personality }) };
  },

  full: ({ personality }) => (personality === undefined ? [] : [told(personality)]),

  change(before, now) {
    const personality = now?.personality;
    if (before !== unknown && before.personality === personality) return [];
    return [personality === undefined ? render(personalityFragment.withdrawn, undefined) : told(personality)];
  },
};

function told(name: Personality) {
  return render(personalityFragment, { name, text: personalityText(name) });
}
