import type { SkillCuts } from '../planes/select-skills.ts';
import type { Outcome } from '../protocol/outcome.ts';

export function wrongSkill(path: string, reason: string): Outcome<'skill-wrong'> {
  return {
    code: 'skill-wrong',
    message: `The skill ${path} is left out: ${reason}.`,
    next: 'Correct it, or remove it.',
  };
}

export function skillLeavesProject({ path, place }: { readonly path: string; readonly place: string }): Outcome {
  const message = `The skill folder ${path} is left out: it leads out of the project, to ${place}.`;
  return { code: 'skill-outside', message, next: 'Copy the folder into the project, or link it from your own skills.' };
}

export function tooManyFolders(root: string): Outcome<'skills-cut-short'> {
  const message = `There are too many folders in ${root}. Skills in some of them are left out.`;
  return { code: 'skills-cut-short', message, next: 'Keep only skills there: up to 2,000 folders and 20,000 files.' };
}

export function ambiguousSkill(name: string, paths: readonly string[]): Outcome<'skill-ambiguous'> {
  const message = `Several skills are named ${name}: ${paths.join(', ')}.`;
  return { code: 'skill-ambiguous', message, next: `Name one by its file: [$${name}](${paths[0] ?? ''})` };
}

export function unknownSkill(name: string, nearest: string): Outcome<'skill-unknown'> {
  const message = `There is no skill ${name}, so nothing was sent for $${name}.`;
  return { code: 'skill-unknown', message, next: `Did you mean $${nearest}?` };
}

export function unreadSkill(path: string, reason: string): Outcome<'skill-unread'> {
  const message = `The skill ${path} cannot be read: ${reason}.`;
  return { code: 'skill-unread', message, next: 'The model did not get it. Check the file.' };
}

/** The first of them, and how many there are besides. */
export function manyProblems(problems: readonly Outcome[], most: number): readonly Outcome[] {
  if (problems.length <= most) return problems;
  const message = `${problems.length - most} more skills are left out.`;
  return [...problems.slice(0, most), { code: 'skills-left-out', message, next: 'Correct the ones above first.' }];
}

/** Undefined where the list is whole. */
export function shortenedSkills({ shortened, left }: SkillCuts): Outcome<'skills-shortened'> | undefined {
  if (shortened === 0 && left.length === 0) return undefined;
  const next =
    'Disable skills that you do not need (skills.config), or raise skills.max_context_tokens. You can name any skill: $name.';
  if (left.length === 0) {
    const what = shortened === 1 ? 'A description is' : `${shortened} descriptions are`;
    return { code: 'skills-shortened', message: `The list of skills exceeds its budget. ${what} shortened.`, next };
  }
  const named = left.slice(0, 10).join(', ');
  const more = left.length > 10 ? ` and ${left.length - 10} more` : '';
  const message = `The list of skills exceeds its budget. It has no descriptions and leaves out: ${named}${more}.`;
  return { code: 'skills-shortened', message, next };
}
