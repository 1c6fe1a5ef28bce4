import type { LoadedSkills } from '../../src/adapters/skills/load-skills.ts';
import {
  readNamedSkillFiles,
  relevantLoadedSkills,
  selectLoadedSkills,
} from '../../src/adapters/skills/select-skills.ts';
import type { Skills } from '../../src/ports/skills.ts';

/** A skill of a world: its file says what its name says. */
export interface WorldSkill {
  readonly name: string;
  readonly description: string;
}

/** The skills of a world, chosen and read as the engine does it, without a disk. */
export function worldSkills(skills: () => readonly WorldSkill[]): Skills {
  let loaded: LoadedSkills = { skills: [], plugins: [], problems: [] };
  return {
    look() {
      loaded = { skills: skills().map(known), plugins: [{ id: 'wool@mkt', name: 'wool' }], problems: [] };
      return Promise.resolve([]);
    },
    select: (tokens) => selectLoadedSkills(loaded, tokens),
    relevant: (text, tokens) => relevantLoadedSkills(loaded, text, tokens),
    named: (text) => Promise.resolve(readNamedSkillFiles(loaded, text)),
  };
}

function known({ name, description }: WorldSkill): LoadedSkills['skills'][number] {
  const path = `/skills/${name}/SKILL.md`;
  const text = `---\nname: ${name}\n---\nDo ${name} well. </skill>\n`;
  const read = () => ({ kind: 'read', text, isUtf8: true, isWhole: true, place: path }) as const;
  return { name, description, path, root: '/skills', scope: 'user', place: path, isOffered: true, read };
}
