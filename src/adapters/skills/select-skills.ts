import { nearestConfigKey } from '../../core/config/keys/check-values.ts';
import { relevantSkills, selectSkills } from '../../core/planes/select-skills.ts';
import type { NamedSkill, NamedSkills, SelectedSkills } from '../../ports/skills.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { ambiguousSkill, shortenedSkills, unknownSkill, unreadSkill } from './load-skills.ts';
import type { KnownPlugin, KnownSkill, LoadedSkills } from './load-skills.ts';

const bodyBytes = 1024 * 1024;

function selectOffered({ skills }: LoadedSkills, tokens: number) {
  const offered = skills.filter(({ isOffered }) => isOffered);
  const selected = offered.length === 0 ? undefined : selectSkills(offered, tokens);
  return selected && { offered, selected };
}

export function selectLoadedSkills(loaded: LoadedSkills, tokens: number): SelectedSkills | undefined {
  const { selected } = selectOffered(loaded, tokens) ?? {};
  return selected && { catalogue: selected.catalogue, shortened: shortenedSkills(selected) };
}

export function relevantLoadedSkills(loaded: LoadedSkills, text: string, tokens: number) {
  const found = selectOffered(loaded, tokens);
  return found === undefined ? [] : relevantSkills(found.offered, found.selected, text);
}

/** Reads the skills that a text names, each once. An ambiguous name selects none. */
export function readNamedSkillFiles({ skills, plugins }: LoadedSkills, text: string): NamedSkills {
  const { names, paths } = skillMentions(text);
  const inPlugins = pluginMentions(text, plugins).map(({ name }) => {
    const skillPrefix = `${name}:`;
    return { name, ...(skills.some((skill) => skill.name.startsWith(skillPrefix)) ? { skillPrefix } : {}) };
  });
  const problems: Outcome[] = [];
  const named = new Set<KnownSkill>();
  for (const path of paths) {
    const files = [path, `${path}/SKILL.md`];
    const skill = skills.find((each) => files.includes(each.path) || files.includes(each.place));
    if (skill !== undefined) named.add(skill);
  }
  for (const name of names) {
    const found = skillsOfName(skills, name);
    if (found.length === 1) named.add(found[0]!);
    const nearest = found.length === 0 ? misspelt(skills, name) : undefined;
    if (nearest !== undefined) problems.push(unknownSkill(name, nearest));
    const places = found.map(({ path }) => path);
    if (found.length > 1 && !found.some((each) => named.has(each))) problems.push(ambiguousSkill(name, places));
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

/** Punctuation after the name may belong to the sentence. */
function skillsOfName(skills: readonly KnownSkill[], name: string): readonly KnownSkill[] {
  const found = skills.filter((skill) => skill.name === name);
  const bare = name.replace(/[:_-]+$/, '');
  return found.length > 0 || bare === name ? found : skills.filter((skill) => skill.name === bare);
}

/** Finds the skill that a name probably misspells. Other names may be variables or prices. */
function misspelt(skills: readonly KnownSkill[], name: string): string | undefined {
  const names = skills.map((skill) => skill.name);
  return name.length < shortestMisspelt || !/[a-z]/.test(name) ? undefined : nearestConfigKey(name, names);
}

/** Shorter names resemble each other by chance. */
const shortestMisspelt = 4;

function whyNot(file: ReturnType<KnownSkill['read']>): string {
  if (file.kind === 'unread') return file.reason;
  if (file.kind === 'missing') return 'it is gone';
  if (!file.isWhole) return 'it is larger than 1 MB';
  return file.isUtf8 ? 'it is not a text' : 'it is not UTF-8';
}

const pluginLink = /plugin:\/\/([\w.-]{1,100}@[\w.-]{1,100})/g;
const at = /(?:^|[\s([{"'])@([A-Za-z\d][\w.-]{0,99})(?![\w./@-])/g;

/** Finds `@name` and links to `plugin://name@marketplace`, but no mail addresses. */
export function pluginMentions<Plugin extends KnownPlugin>(text: string, plugins: readonly Plugin[]) {
  const ids = new Set([...text.matchAll(pluginLink)].map(([, id]) => id));
  const names = new Set([...text.matchAll(at)].map(([, name = '']) => name.replace(/[.-]+$/, '')));
  return plugins.filter(({ id, name }) => ids.has(id) || names.has(name));
}

const variables = new Set(
  'PATH HOME USER SHELL PWD TMPDIR TEMP TMP LANG TERM XDG_CONFIG_HOME EDITOR LOGNAME OLDPWD'.split(' '),
);

const skillLink = /\[\$[\w:-]{1,200}\]\(([^()\s]{1,4096})\)/g;
const name = /\$([A-Za-z\d][\w:-]{0,199})/g;

/** Finds `[$name](path)` and `$name`, each once, in the order of the text. */
function skillMentions(text: string) {
  const paths = [...text.matchAll(skillLink)].map(([, path = '']) => path.replace(/^skill:\/\//, ''));
  const plain = text.replace(skillLink, ' ');
  const names = [...plain.matchAll(name)].map(([, word = '']) => word).filter((word) => !variables.has(word));
  return { names: [...new Set(names)], paths: [...new Set(paths)].filter(isPath) };
}

const isPath = (target: string): boolean => !/^[a-z][a-z\d+.-]*:\/\//i.test(target);
