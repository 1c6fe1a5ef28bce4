import { expect, test } from 'vitest';
import { type OfferedSkill, relevantSkills, selectSkills } from './select-skills.ts';

const skill = (name: string, description: string): OfferedSkill => ({
  name,
  description,
  path: `/skills/${name}/SKILL.md`,
  root: '/skills',
  scope: 'user',
});

const skills = [
  skill('pdf-forms', `Fills forms in PDF documents. ${'More of it. '.repeat(30)}`),
  skill('release', `Tags, changelogs and versions of packages. ${'More of it. '.repeat(30)}`),
  skill('wool:dye', `Colours wool with plants. ${'More of it. '.repeat(30)}`),
];

test.each([
  ['Fill the forms, please', ['pdf-forms']],
  ['Write changelogs for new versions of both packages', ['release']],
  ['Make a release of the wool shop', ['release', 'wool:dye']],
  ['Use more of it', []],
  ['', []],
  ['語'.repeat(50_000), []],
])('finds what %j is about', (text, names) => {
  const cut = selectSkills(skills, 200)!;
  expect(relevantSkills(skills, cut, text).map(({ name }) => name)).toEqual(names);
});

test('says nothing where the list is whole', () => {
  const whole = selectSkills(skills, 5000)!;
  expect(relevantSkills(skills, whole, 'Make a release')).toEqual([]);
});
