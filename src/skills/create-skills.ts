import { nearestKey } from '../config/nearest-key.ts';
import { relevantSkills } from '../planes/relevant-skills.ts';
import { selectSkills } from '../planes/select-skills.ts';
import type { NamedSkill, NamedSkills, SelectedSkills, Skills } from '../ports/skills.ts';
import { defined } from '../protocol/defined.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { KnownSkill, LoadedSkills } from './load-skills.ts';
import { pluginMentions } from './plugin-mentions.ts';
import { skillMentions } from './skill-mentions.ts';
import { ambiguousSkill, shortenedSkills, unknownSkill, unreadSkill } from './skill-problems.ts';

/** A longer skill is not for reading. */
const bodyBytes = 1024 * 1024;

export function selectLoaded({ skills }: LoadedSkills, tokens: number): SelectedSkills | undefined {
  const offered = skills.filter(({ isOffered }) => isOffered);
  if (offered.length === 0) return undefined;
  const selected = selectSkills(offered, tokens);
  if (selected === undefined) return undefined;
  return { catalogue: selected.catalogue, ...defined({ shortened: shortenedSkills(selected) }) };
}

export function relevantLoaded({ skills }: LoadedSkills, text: string, tokens: number): ReturnType<Skills['relevant']> {
  const offered = skills.filter(({ isOffered }) => isOffered);
  const selected = offered.length === 0 ? undefined : selectSkills(offered, tokens);
  return selected === undefined ? [] : relevantSkills(offered, selected, text);
}

/** What a text names, each skill once. A name that several skills have names none of them. */
export function readNamed({ skills, plugins }: LoadedSkills, text: string): NamedSkills {
  const { names, paths } = skillMentions(text);
  const inPlugins = pluginMentions(text, plugins).map(({ name }) => {
    const skillPrefix = `${name}:`;
    return { name, ...(skills.some((skill) => skill.name.startsWith(skillPrefix)) ? { skillPrefix } : {}) };
  });
  const problems: Outcome[] = [];
  const named = new Set<KnownSkill>();
  for (const path of paths) {
    const skill = skills.find((each) =>
      [each.path, each.place].some((own) => own === path || own === `${path}/SKILL.md`),
    );
    if (skill !== undefined) named.add(skill);
  }
  for (const name of names) {
    const found = skillsOfName(skills, name);
    if (found.length === 1) named.add(found[0]!);
    const nearest = found.length === 0 ? misspelt(skills, name) : undefined;
    if (nearest !== undefined) problems.push(unknownSkill(name, nearest));
    if (found.length > 1 && !found.some((each) => named.has(each)))
      problems.push(
        ambiguousSkill(
          name,
          found.map(({ path }) => path),
        ),
      );
  }
  const read = [...named].flatMap((skill): readonly NamedSkill[] => {
    const file = skill.read(bodyBytes);
    if (file.kind === 'read' && file.isWhole && file.isUtf8 && !file.text.includes('\0'))
      return [{ name: skill.name, path: skill.path, contents: file.text }];
    problems.push(unreadSkill(skill.path, whyNot(file)));
    return [];
  });
  return { skills: read, plugins: inPlugins, problems };
}

/** A sign behind the name may belong to the sentence. */
function skillsOfName(skills: readonly KnownSkill[], name: string): readonly KnownSkill[] {
  const found = skills.filter((skill) => skill.name === name);
  const bare = name.replace(/[:_-]+$/, '');
  return found.length > 0 || bare === name ? found : skills.filter((skill) => skill.name === bare);
}

/** The skill that a name is probably a misspelling of. People write of variables and prices, too: other names are theirs. */
function misspelt(skills: readonly KnownSkill[], name: string): string | undefined {
  if (name.length < shortestMisspelt || !/[a-z]/.test(name)) return undefined;
  return nearestKey(
    name,
    skills.map((skill) => skill.name),
  );
}

/** Shorter names are near to each other by chance. */
const shortestMisspelt = 4;

function whyNot(file: ReturnType<KnownSkill['read']>): string {
  if (file.kind === 'unread') return file.reason;
  if (file.kind === 'missing') return 'it is gone';
  if (!file.isWhole) return 'it is larger than 1 MB';
  return file.isUtf8 ? 'it is not a text' : 'it is not UTF-8';
}
