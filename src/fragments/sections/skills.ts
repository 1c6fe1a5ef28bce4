import { defineFragment, defineWithdrawal } from '../text/define.ts';

export interface SkillsCatalogueText {
  /** Written by the room that knows the skills, within their budget. */
  readonly body: string;
}

export const skillsCatalogueFragment = defineFragment<SkillsCatalogueText>({
  id: 'skills-catalogue',
  purpose: 'Which skills there are and where they can be read.',
  role: 'developer',
  markers: ['<skills_instructions>', '</skills_instructions>'],
  capTokens: 10_000,
  section: 'skills',
  body: ({ body }) => `\n${body}\n`,
});

export const skillsWithdrawnFragment = defineWithdrawal(skillsCatalogueFragment, {
  id: 'skills-withdrawn',
  body: '\nThe skills listed before are no longer offered; there are none now.\n',
});
