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
  const needs = { effect: 'program', ...(escalated ? { escalation: {} } : {}) } as const;
  expect(decideApproval(policy, needs)).toBe(decision);
});

test.each(['never', 'on-request', 'untrusted'] as const)('%s: what the policy does not govern runs', (policy) => {
  expect(decideApproval(policy, {})).toBe('run');
  expect(decideApproval(policy, { paths: [{ path: '/p.png', access: 'read' }] })).toBe('run');
});
