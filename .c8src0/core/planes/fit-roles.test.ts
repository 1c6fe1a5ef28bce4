import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitRoles, type ListedRole, countRoleTokens } from './fit-roles.ts';

const role = fc.record({
  name: fc.stringMatching(/^[a-z]{1,20}$/),
  description: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }),
  fixed: fc.constantFrom('read-only', 'model small, effort low'),
});

test('roles fit, in their order; a description is whole or begins as it did and has a mark, and what is fixed is whole', () => {
  fc.assert(
    fc.property(fc.array(role, { maxLength: 40 }), fc.nat(4000), (roles, tokens) => {
      const { listed, cut, leftOut } = fitRoles(roles, tokens);
      expect(countRoleTokens(listed)).toBeLessThanOrEqual(tokens);
      expect(listed.length + leftOut).toBe(roles.length);
      const changed = listed.filter(({ description }, at) => description !== roles[at]!.description);
      const begin = ({ name, description, fixed = '' }: ListedRole, at: number): boolean =>
        name === roles[at]!.name &&
        fixed === roles[at]!.fixed &&
        roles[at]!.description.startsWith(description.replace(/…$/u, ''));
      expect(listed.every(begin)).toBe(true);
      expect(changed.every(({ description }) => description.endsWith('…'))).toBe(true);
      expect(changed.length).toBe(cut);
    }),
  );
});

test('nothing is cut where all fit, and no more than is needed otherwise', () => {
  const roles = ['a', 'b'].map((name) => ({ name, description: `${'All about it. '.repeat(20)}` }));
  const whole = countRoleTokens(roles);
  expect(fitRoles(roles, whole)).toEqual({ listed: roles, cut: 0, leftOut: 0 });
  const { listed } = fitRoles(roles, whole - 10);
  expect(countRoleTokens(listed)).toBeGreaterThanOrEqual(whole - 11);
});
