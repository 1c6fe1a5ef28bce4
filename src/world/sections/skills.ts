import type { SkillCatalogue } from '../../envelope/facts.ts';
import { render } from '../../fragments/text/define.ts';
import { fingerprint } from '../../fragments/text/fingerprint.ts';
import { skillsCatalogueFragment } from '../../fragments/sections/skills.ts';
import { isJsonObject, type JsonObject, stringAt } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

interface StoredSkills extends JsonObject {
  /** Digest; the catalogue itself stands in its message (I9). */
  readonly capstan_catalogue: string;
}

/** Which skills there are. The catalogue is one text: a change tells it anew. */
export const skillsSection: Section<SkillCatalogue, StoredSkills> = {
  id: 'skills',
  assumes: 'plugins, which a skill may come from',
  kinds: { telling: [skillsCatalogueFragment.id], withdrawing: [skillsCatalogueFragment.withdrawn.id] },

  of: ({ facts, envelope: { modes } }) => (modes.leaveOut.includes('skills') ? undefined : facts.skills),

  stored: (fact) => ({ capstan_catalogue: fingerprint(render(skillsCatalogueFragment, fact)) }),

  read(stored) {
    const digest = isJsonObject(stored) ? stringAt(stored, 'capstan_catalogue') : undefined;
    return digest === undefined ? undefined : { capstan_catalogue: digest };
  },

  full: (now) => [render(skillsCatalogueFragment, now)],

  change(before, now) {
    if (now === undefined) return [render(skillsCatalogueFragment.withdrawn, undefined)];
    const same = before !== unknown && before.capstan_catalogue === skillsSection.stored(now).capstan_catalogue;
    return same ? [] : skillsSection.full(now);
  },
};
