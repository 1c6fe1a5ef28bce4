import { isJsonObject, type JsonObject, stringAt } from '../../../protocol/json.ts';
import type { ListedSkill, SkillCatalogue } from '../../envelope/facts.ts';
import {
  defineWithdrawableFragment,
  defineFragment,
  fingerprint,
  renderFragment,
} from '../../fragments/text/define-fragment.ts';
import { escapeText, withoutLineBreaks } from '../../fragments/text/escape-markup.ts';
import { type Section, unknownState } from './section.ts';

/** Writes `$name` as the user types it, and the file's name as the list of skills shows it. */
const guidance =
  'A skill is a folder with instructions for one kind of task in its file SKILL.md. When the user names a skill ' +
  '(`$name`), or the task fits a description, read that file before you begin and follow it. Paths in it start from its ' +
  'folder. The newest list of skills is the one that holds.';

export const skillsCatalogueFragment = defineWithdrawableFragment<SkillCatalogue>({
  id: 'skills-catalogue',
  purpose: 'The available skills, and where to read them.',
  markers: ['<skills_instructions>', '</skills_instructions>'],
  capTokens: 10_000,
  section: 'skills',
  body: (catalogue) => `\n${catalogueLines(catalogue).join('\n')}\n`,
  withdrawn: '\nThe skills listed before are no longer offered; there are none now.\n',
  withdrawnId: 'skills-withdrawn',
});

const catalogueLines = ({ roots, skills, left }: SkillCatalogue): readonly string[] => [
  '## Skills',
  guidance,
  ...(roots.length === 0 ? [] : ['### Skill roots', ...roots.map(rootLine)]),
  '### Available skills',
  ...skills.map(skillLine),
  ...(left === 0 ? [] : [leftLine(left)]),
];

/** A line of the list, also used to weigh it in advance. */
export function skillLine({ name, description, path }: ListedSkill): string {
  const said = description === '' ? '' : `: ${inLine(description)}`;
  return `- ${inLine(name)}${said} (file: ${inLine(path)})`;
}

export const rootLine = ({ alias, path }: SkillCatalogue['roots'][number]): string => `- ${alias} = ${inLine(path)}`;
const leftLine = (left: number): string => `… and ${left} more that are not listed here. The user can name them.`;
/** Names and descriptions are untrusted: they stay on their line, and contain no tag. */
const inLine = (text: string): string => escapeText(withoutLineBreaks(text));

interface StoredSkills extends JsonObject {
  /** Digest; the catalogue itself is in its message (I9). */
  readonly capstan_catalogue: string;
}

/** The available skills. The catalogue is one text: any change sends it again. */
export const skillsSection: Section<SkillCatalogue, StoredSkills> = {
  id: 'skills',
  assumes: 'plugins, which a skill may come from',
  family: skillsCatalogueFragment,
  of: ({ facts, envelope: { modes } }) => (modes.leaveOut.includes('skills') ? undefined : facts.skills),
  stored: (fact) => ({ capstan_catalogue: fingerprint(renderFragment(skillsCatalogueFragment, fact)) }),
  read(stored) {
    const digest = isJsonObject(stored) ? stringAt(stored, 'capstan_catalogue') : undefined;
    return digest === undefined ? undefined : { capstan_catalogue: digest };
  },
  full: (now) => [renderFragment(skillsCatalogueFragment, now)],
  change(before, now) {
    if (now === undefined) return [renderFragment(skillsCatalogueFragment.withdrawn, undefined)];
    const same = before !== unknownState && before.capstan_catalogue === skillsSection.stored(now).capstan_catalogue;
    return same ? [] : skillsSection.full(now);
  },
};

export interface SkillHintText extends JsonObject {
  readonly skills: readonly { readonly name: string; readonly description: string; readonly path: string }[];
}

export const skillHintFragment = defineFragment<SkillHintText>({
  id: 'skill-hint',
  purpose: 'Skills that a message may concern and that the list does not fully describe.',
  capTokens: 800,
  body: ({ skills }) =>
    `\nThe message may concern these skills, which the list of skills does not fully describe:\n${skills.map(skillLine).join('\n')}\n`,
});
