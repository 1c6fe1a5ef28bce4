import fc from 'fast-check';
import { expect, test } from 'vitest';
import { skillsCatalogueFragment } from '../world/sections/skills.ts';
import { renderFragment } from '../fragments/text/define-fragment.ts';
import { estimateTokens } from '../fragments/text/truncate.ts';
import { type OfferedSkill, selectSkills } from './select-skills.ts';

const offered = fc
  .array(
    fc.record({
      name: fc.string({ unit: fc.constantFrom('a', 'b', '-', '語', '<'), minLength: 1, maxLength: 64 }),
      description: fc.string({ unit: fc.constantFrom('word ', '語', '😀', '&', '\n'), maxLength: 600 }),
      root: fc.constantFrom('/home/user/.codex/skills', '/repo/.agents/skills'),
      scope: fc.constantFrom('bundled', 'machine', 'project', 'user'),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((skills) => skills.map((skill, at): OfferedSkill => ({ ...skill, path: `${skill.root}/${at}/SKILL.md` })));

const weightOf = (selected: ReturnType<typeof selectSkills>): number =>
  selected === undefined ? 0 : estimateTokens(renderFragment(skillsCatalogueFragment, selected.catalogue).text);

test('whatever there is, the list fits its budget; all are named before any has a long description', () => {
  fc.assert(
    fc.property(offered, fc.integer({ min: 1, max: 10_000 }), (skills, tokens) => {
      const selected = selectSkills(skills, tokens);
      expect(weightOf(selected)).toBeLessThanOrEqual(tokens);
      if (selected === undefined) return;
      const { catalogue, shortened, left } = selected;
      expect(catalogue.skills.length + left.length).toBe(skills.length);
      expect(catalogue.left).toBe(left.length);
      const lengths = catalogue.skills.map(({ description }) => [...description].length);
      expect(left.length > 0 && Math.max(0, ...lengths) > 0).toBe(false);
      // Descriptions are cut to one length, but for white space at the cut.
      const cut = catalogue.skills.filter(({ description }) => description.endsWith('…'));
      for (const { description } of cut)
        expect([...description].length).toBeGreaterThanOrEqual(Math.max(...lengths) - 1);
      expect(cut.length > 0 && shortened === 0).toBe(false);
      expect(selectSkills(skills.toReversed(), tokens)).toEqual(selected);
    }),
  );
});

test('folders get short names before descriptions are cut, and the first to go are those of the user', () => {
  const skills = Array.from({ length: 30 }, (_, at): OfferedSkill => ({
    name: `skill-${String(at).padStart(2, '0')}`,
    description: 'About it. '.repeat(5).trim(),
    path: `/home/someone/with/a/long/name/skills/skill-${at}/SKILL.md`,
    root: '/home/someone/with/a/long/name/skills',
    scope: at < 5 ? 'project' : 'user',
  }));
  const shape = (tokens: number) => {
    const selected = selectSkills(skills, tokens);
    if (selected === undefined) return 'nothing';
    const { catalogue, shortened, left } = selected;
    return `${catalogue.roots.length} roots, ${catalogue.skills.length} skills, ${shortened} shortened, ${left.length} left`;
  };
  expect([2000, 900, 600, 300, 150, 50].map(shape)).toEqual([
    '0 roots, 30 skills, 0 shortened, 0 left',
    '1 roots, 30 skills, 0 shortened, 0 left',
    '1 roots, 30 skills, 30 shortened, 0 left',
    '1 roots, 17 skills, 0 shortened, 13 left',
    '1 roots, 2 skills, 0 shortened, 28 left',
    'nothing',
  ]);
  const few = selectSkills(skills, 150)?.catalogue.skills.map(({ name }) => name);
  expect(few).toEqual(['skill-00', 'skill-01']);
});
