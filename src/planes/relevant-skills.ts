import type { ListedSkill } from '../envelope/facts.ts';
import type { OfferedSkill, SkillSelection } from './select-skills.ts';

/** More of them are no help. */
const most = 3;
/** What a word in the name of a skill counts, against one in its description. */
const nameWeight = 3;
/** Fewer words in common say nothing. */
const leastScore = 3;
const longestDescription = 400;

/** Words that fit every skill. */
const common = new Set(
  'this that with from into when then them they your what which have does make made need needs using used uses user skill skills file files please about work task tasks other some more also each only should would could'.split(
    ' ',
  ),
);

/**
 * Skills that a message seems to be about, and that the list does not fully describe: at most three, the best first. The
 * list itself depends on no message, so that it need not be sent again with each of them.
 */
export function relevantSkills(
  offered: readonly OfferedSkill[],
  { catalogue, left, shortened }: SkillSelection,
  text: string,
): readonly ListedSkill[] {
  if (left.length === 0 && shortened === 0) return [];
  const spoken = wordsOf(text);
  const listed = new Map(catalogue.skills.map(({ name, description }) => [name, description]));
  return offered
    .filter(({ name, description }) => listed.get(name) !== description)
    .map((skill) => ({ skill, score: scoreOf(skill, spoken) }))
    .filter(({ score }) => score >= leastScore)
    .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .slice(0, most)
    .map(({ skill: { name, description, path } }) => ({ name, description: cut(description), path }));
}

function scoreOf({ name, description }: OfferedSkill, spoken: ReadonlySet<string>): number {
  const [inName, inDescription] = [wordsOf(name), wordsOf(description)];
  const hits = (words: ReadonlySet<string>): readonly string[] => [...words].filter((word) => spoken.has(word));
  return nameWeight * hits(inName).length + hits(inDescription).filter((word) => !inName.has(word)).length;
}

/** Without the ending that makes several of one. */
function wordsOf(text: string): ReadonlySet<string> {
  const found =
    text
      .slice(0, 20_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]{4,40}/gu) ?? [];
  return new Set(found.filter((word) => !common.has(word)).map((word) => word.replace(/(?<=...)s$/, '')));
}

function cut(description: string): string {
  const characters = [...description];
  return characters.length <= longestDescription
    ? description
    : `${characters.slice(0, longestDescription - 1).join('')}…`;
}
