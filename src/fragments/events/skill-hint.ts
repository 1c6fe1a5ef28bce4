import type { JsonObject } from '../../protocol/json.ts';
import { skillLine } from '../sections/skills.ts';
import { defineFragment } from '../text/define.ts';

/** Skills that a message seems to be about. */
export interface SkillHintText extends JsonObject {
  readonly skills: readonly { readonly name: string; readonly description: string; readonly path: string }[];
}

export const skillHintFragment = defineFragment<SkillHintText>({
  id: 'skill-hint',
  purpose: 'Skills that a message may concern and that the list does not fully describe.',
  role: 'developer',
  markers: ['<skill_hint>', '</skill_hint>'],
  capTokens: 800,
  body: ({ skills }) =>
    `\nThe message may concern these skills, which the list of skills does not fully describe:\n${skills.map(skillLine).join('\n')}\n`,
});
