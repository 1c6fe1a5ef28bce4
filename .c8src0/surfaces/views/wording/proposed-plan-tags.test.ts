import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlanTagStream, withoutPlanTags } from './proposed-plan-tags.ts';

test('the lines of the tags are left out, and nothing else', () => {
  const plan = '<proposed_plan>\n# A\n\n- b\n</proposed_plan>';
  expect(withoutPlanTags(plan)).toBe('# A\n\n- b');
  expect(withoutPlanTags(`Here:\n\n${plan}\nDone.\n`)).toBe('Here:\n\n# A\n\n- b\nDone.\n');
  expect(withoutPlanTags(`  <proposed_plan> \r\nx\r\n</proposed_plan>`)).toBe('x\r');
  const others = 'Write `<proposed_plan>`.\n</proposed_plan>\n  <propo';
  expect(withoutPlanTags(others)).toBe(others);
  // A second one is no plan.
  expect(withoutPlanTags(`${plan}\n${plan}`)).toBe(`# A\n\n- b\n${plan}`);
});

test('a text that arrives in pieces gives what the whole text gives, and holds back no more than a line', () => {
  const part = fc.constantFrom('<proposed_plan>', '</proposed_plan>', '\n', ' ', 'a', '<prop', 'b\n', '<');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 6 }), (parts, places) => {
      const text = parts.join('');
      const cuts = [0, ...places.map((place) => Math.min(place, text.length)).toSorted((a, b) => a - b), text.length];
      const stream = new PlanTagStream();
      const pieces = cuts.slice(1).map((to, at) => stream.push(text.slice(cuts[at], to)));
      expect([...pieces, stream.end()].join('')).toBe(withoutPlanTags(text));
    }),
  );
});

test('a text without tag lines stays as it is', () => {
  const text = fc
    .array(fc.constantFrom('\n', ' ', 'a', '<proposed_plan> a', '</proposed_plan>'))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, (given) => {
      expect(withoutPlanTags(given)).toBe(given);
    }),
  );
});
