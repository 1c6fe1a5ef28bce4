import type { ListedSkill, SkillCatalogue } from '../../envelope/facts.ts';
import { defineFamily } from '../text/define.ts';
import { escapeText, withoutLineBreaks } from '../text/markup.ts';

/** `$name` and the file are spelled here as the user and the list spell them. */
const guidance =
  'A skill is a folder with instructions for one kind of task in its file SKILL.md. When the user names a skill ' +
  '(`$name`), or the task fits a description, read that file before you begin and follow it. Paths in it start from its ' +
  'folder. The newest list of skills is the one that holds.';

export const skillsCatalogueFragment = defineFamily<SkillCatalogue>({
  id: 'skills-catalogue',
  purpose: 'The available skills, and where to read them.',
  role: 'developer',
  markers: ['<skills_instructions>', '</skills_instructions>'],
  capTokens: 10_000,
  section: 'skills',
  body: (catalogue) => `\n${catalogueLines(catalogue).join('\n')}\n`,
  withdrawn: '\nThe skills listed before are no longer offered; there are none now.\n',
  withdrawnId: 'skills-withdrawn',
});

function catalogueLines({ roots, skills, left }: SkillCatalogue): readonly string[] {
  return [
    '## Skills',
    guidance,
    ...(roots.length === 0 ? [] : ['### Skill roots', ...roots.map(rootLine)]),
    '### Available skills',
    ...skills.map(skillLine),
    ...(left === 0 ? [] : [leftLine(left)]),
  ];
}

/** A line of the list, also to know beforehand what it weighs. */
export function skillLine({ name, description, path }: ListedSkill): string {
  const said = description === '' ? '' : `: ${inLine(description)}`;
  return `- ${inLine(name)}${said} (file: ${inLine(path)})`;
}

export function rootLine({ alias, path }: SkillCatalogue['roots'][number]): string {
  return `- ${alias} = ${inLine(path)}`;
}

function leftLine(left: number): string {
  return `… and ${left} more that are not listed here. The user can name them.`;
}

/** Names and descriptions come from strangers: they stay in their line, and no tag stands in them. */
function inLine(text: string): string {
  return escapeText(withoutLineBreaks(text));
}
