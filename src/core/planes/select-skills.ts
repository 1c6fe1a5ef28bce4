import type { SkillCatalogue } from '../envelope/facts.ts';
import { renderFragment } from '../fragments/text/define-fragment.ts';
import { largestThatFits } from '../../base/largest-that-fits.ts';
import { byteLength, bytesPerToken } from '../fragments/text/truncate.ts';
import { rootLine, skillLine, skillsCatalogueFragment } from '../world/sections/skills.ts';

export interface OfferedSkill {
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  readonly root: string;
  readonly scope: SkillScope;
}

/** Order of listing, and of priority if not all fit. */
const scopes = ['bundled', 'machine', 'project', 'user'] as const;
export type SkillScope = (typeof scopes)[number];
export type SkillCuts = { readonly shortened: number; readonly left: readonly string[] };
type SkillSelection = SkillCuts & { readonly catalogue: SkillCatalogue };
/** More of a description is not read before its skill is chosen. */
const longestListedDescription = 1024;

/** To fit, folders get short names, then descriptions are cut to one length, then dropped, and only then skills. */
export function selectSkills(offered: readonly OfferedSkill[], tokens: number): SkillSelection | undefined {
  const skills = inOrder(offered);
  const space = tokens * bytesPerToken;
  const forms = [plainForm(skills), aliasedForm(skills)];
  for (const form of forms) {
    const whole = { ...form, left: 0 };
    if (bytesOf(whole) <= space) return { catalogue: whole, shortened: 0, left: [] };
  }
  const form = shortest(forms);
  if (bytesOf(form) > space) return fewer(skills, space);
  const described = form.roots.length === 0 ? forms[0]! : forms[1]!;
  const length = longestThatFits(described, space - bytesOf(form));
  const cut = described.skills.map((skill) => ({ ...skill, description: shorten(skill.description, length) }));
  const shortened = cut.filter(({ description }, at) => description !== described.skills[at]?.description).length;
  return { catalogue: { roots: form.roots, skills: cut, left: 0 }, shortened, left: [] };
}

function inOrder(skills: readonly OfferedSkill[]): readonly OfferedSkill[] {
  const key = ({ scope, name, path }: OfferedSkill): string => `${scopes.indexOf(scope)} ${name}\0${path}`;
  const keyed = skills.map((skill) => ({ key: key(skill), skill }));
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ skill }) => skill);
}

const plainForm = (skills: readonly OfferedSkill[]): SkillCatalogue => ({
  roots: [],
  skills: skills.map((skill) => listed(skill, skill.path)),
  left: 0,
});

/** Folders with several skills get short names, which paths begin with. */
function aliasedForm(skills: readonly OfferedSkill[]): SkillCatalogue {
  const byRoot = [...Map.groupBy(skills, ({ root }) => root)].filter(([, own]) => own.length > 1);
  const roots = byRoot.map(([path], at) => ({ alias: `r${at}`, path }));
  const short = ({ root, path }: OfferedSkill): string => {
    const alias = roots.find((each) => each.path === root)?.alias;
    return alias === undefined || !path.startsWith(`${root}/`) ? path : alias + path.slice(root.length);
  };
  return { roots, skills: skills.map((skill) => listed(skill, short(skill))), left: 0 };
}

const listed = ({ name, description }: OfferedSkill, path: string): SkillCatalogue['skills'][number] => ({
  name,
  description: shorten(description, longestListedDescription),
  path,
});

const shortest = (forms: readonly SkillCatalogue[]): SkillCatalogue =>
  forms
    .map((form) => ({ ...form, skills: form.skills.map((skill) => ({ ...skill, description: '' })) }))
    .toSorted((a, b) => bytesOf(a) - bytesOf(b))[0]!;

function fewer(skills: readonly OfferedSkill[], space: number): SkillSelection | undefined {
  const formOf = (count: number): SkillCatalogue => {
    const kept = skills.slice(0, count);
    return { ...shortest([plainForm(kept), aliasedForm(kept)]), left: skills.length - count };
  };
  const count = largestThatFits(0, skills.length - 1, (some) => bytesOf(formOf(some)) <= space);
  const catalogue = formOf(count);
  const left = skills.slice(count).map(({ name }) => name);
  return bytesOf(catalogue) > space ? undefined : { catalogue, shortened: 0, left };
}

function longestThatFits({ skills }: SkillCatalogue, space: number): number {
  const added = (length: number): number =>
    skills.reduce((sum, skill) => {
      const cut = { ...skill, description: shorten(skill.description, length) };
      return sum + byteLength(skillLine(cut)) - byteLength(skillLine({ ...skill, description: '' }));
    }, 0);
  return largestThatFits(0, longestListedDescription, (length) => added(length) <= space);
}

function shorten(text: string, length: number): string {
  const characters = [...text];
  if (characters.length <= length) return text;
  const head = characters.slice(0, length - 1).join('');
  return length < 2 ? '' : `${head.trimEnd()}…`;
}

/** Cuts a text to a number of characters, of which the last is the mark of the cut. */
function cutCharacters(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

const bytesOf = (catalogue: SkillCatalogue): number => byteLength(frame) + listBytes(catalogue);
const frame = renderFragment(skillsCatalogueFragment, { roots: [], skills: [], left: 0 }).text;
const leftBytes = 80;

function listBytes({ roots, skills, left }: SkillCatalogue): number {
  const lines = [...(roots.length === 0 ? [] : ['### Skill roots', ...roots.map(rootLine)]), ...skills.map(skillLine)];
  return lines.reduce((sum, line) => sum + byteLength(line) + 1, left === 0 ? 0 : leftBytes);
}

const most = 3;
const nameWeight = 3;
const leastScore = 3;
const longestHintDescription = 400;

const common = new Set(
  'this that with from into when then them they your what which have does make made need needs using used uses user skill skills file files please about work task tasks other some more also each only should would could'.split(
    ' ',
  ),
);

/** Up to three skills, best first, that a message seems to be about and the list describes only partly. */
export function relevantSkills(offered: readonly OfferedSkill[], selection: SkillSelection, text: string) {
  const { catalogue, left, shortened } = selection;
  if (left.length === 0 && shortened === 0) return [];
  const spoken = wordsOf(text);
  const listed = new Map(catalogue.skills.map(({ name, description }) => [name, description]));
  return offered
    .filter(({ name, description }) => listed.get(name) !== description)
    .map((skill) => ({ skill, score: scoreOf(skill, spoken) }))
    .filter(({ score }) => score >= leastScore)
    .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .slice(0, most)
    .map(({ skill: { name, description, path } }) => {
      return { name, description: cutCharacters(description, longestHintDescription), path };
    });
}

function scoreOf({ name, description }: OfferedSkill, spoken: ReadonlySet<string>): number {
  const [inName, inDescription] = [wordsOf(name), wordsOf(description)];
  const hits = (words: ReadonlySet<string>): readonly string[] => [...words].filter((word) => spoken.has(word));
  return nameWeight * hits(inName).length + hits(inDescription).filter((word) => !inName.has(word)).length;
}

/** Removes plural endings. */
function wordsOf(text: string): ReadonlySet<string> {
  const lower = text.slice(0, 20_000).toLowerCase();
  const found = lower.match(/[\p{L}\p{N}]{4,40}/gu) ?? [];
  return new Set(found.filter((word) => !common.has(word)).map((word) => word.replace(/(?<=...)s$/, '')));
}
