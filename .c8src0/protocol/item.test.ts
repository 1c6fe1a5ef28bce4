import { expect, test } from 'vitest';
import { expectLinear } from '../testing/test-inputs.ts';
import { proposedPlan } from './item.ts';

test('a plan stands between two tags, each on a line of its own', () => {
  expect(proposedPlan('Here:\n<proposed_plan>\n# A\n\n- b\n</proposed_plan>\nDone.')).toBe('# A\n\n- b');
  expect(proposedPlan('<proposed_plan>\n</proposed_plan>')).toBe('');
  expect(proposedPlan('Write `<proposed_plan>` and `</proposed_plan>`.')).toBeUndefined();
  expect(proposedPlan('<proposed_plan>\nno end')).toBeUndefined();
  expect(proposedPlan('nothing')).toBeUndefined();
});

test('a text of many beginnings is read in one pass', () => {
  expect(expectLinear(20_000, (count) => proposedPlan('<proposed_plan>\n'.repeat(count)))).toBeUndefined();
});
