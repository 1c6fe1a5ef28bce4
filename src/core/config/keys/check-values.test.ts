import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance } from '../../../base/edit-distance.ts';
import { nearestConfigKey } from './check-values.ts';

const keys = ['model', 'model_provider', 'approval_policy', 'sandbox_mode'];

test.each([
  ['modle', 'model'],
  ['aproval_policy', 'approval_policy'],
  ['approval-policy', 'approval_policy'],
  ['APPROVAL_POLICY', 'approval_policy'],
  ['sandbox_mod', 'sandbox_mode'],
  ['model_providers', 'model_provider'],
  ['colour', undefined],
  ['', undefined],
])('%s is taken for %s', (written, expected) => {
  expect(nearestConfigKey(written, keys)).toBe(expected);
});

test('the distance is symmetric, and 0 only between equal texts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
    }),
  );
});

test('one swap of neighbours is one step', () => {
  expect(editDistance('modle', 'model')).toBe(1);
  expect(editDistance('ca', 'abc')).toBe(3);
});
