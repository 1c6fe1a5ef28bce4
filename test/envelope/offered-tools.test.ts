import { expect, test } from 'vitest';
import { fullEnvelope } from './full-envelope.ts';
import type { GranularApproval } from '../../src/protocol/permissions.ts';
import { isToolOffered } from '../../src/core/envelope/capabilities.ts';

function granular(sandbox: boolean, permissions: boolean): GranularApproval {
  const off = { rules: false, skill_approval: false, mcp_elicitations: false };
  return { granular: { ...off, sandbox_approval: sandbox, request_permissions: permissions } };
}

test.each([
  ['never', false],
  ['on-request', true],
  [granular(false, false), false],
  [granular(true, false), true],
  [granular(false, true), true],
] as const)('a tool that changes files, in a read-only sandbox under %j: %s', (approval, expected) => {
  const { identity } = fullEnvelope();
  const offered = (more: object) =>
    isToolOffered(
      { name: 'apply_patch', effect: 'files' },
      identity,
      { approval, sandboxLevel: 'read-only', ...more },
      { mode: 'default', features: [], editTools: 'patch' },
    );
  expect(offered({ canAsk: true })).toBe(expected);
  expect(offered({})).toBe(false);
  expect(offered({ sandboxLevel: 'workspace-write' })).toBe(true);
});
