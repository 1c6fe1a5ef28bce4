import { expect, test } from 'vitest';
import { decideApproval } from './approval.ts';

test.each([
  ['never', false, 'run'],
  ['never', true, 'refuse'],
  ['on-request', false, 'run'],
  ['on-request', true, 'ask'],
  ['untrusted', false, 'ask'],
  ['untrusted', true, 'ask'],
] as const)('%s, escalated %j: %s', (policy, escalated, decision) => {
  expect(decideApproval(policy, { kind: 'run', escalated })).toBe(decision);
});
