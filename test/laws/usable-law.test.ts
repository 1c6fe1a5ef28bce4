import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { isMcpToolUsable } from '../../src/core/envelope/capabilities.ts';
import { decideMcp } from '../../src/core/policy/decide/decide-call.ts';
import type { ResolvedPolicy } from '../../src/protocol/permissions.ts';

const limited: ResolvedPolicy = {
  enforcement: 'managed',
  files: { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: false },
  network: 'restricted',
};
const unlimited: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
const levels = {
  'read-only': limited,
  'workspace-write': limited,
  'danger-full-access': unlimited,
} as const;
const hint = fc.option(fc.boolean(), { nil: undefined });

it('a tool of a server is shown exactly where a call of it would run or be asked about', () => {
  const granular = fc.record({
    sandbox_approval: fc.boolean(),
    rules: fc.boolean(),
    mcp_elicitations: fc.boolean(),
    request_permissions: fc.boolean(),
    skill_approval: fc.boolean(),
  });
  const given = fc.record({
    approval: fc.oneof(
      fc.constantFrom('untrusted' as const, 'on-request' as const, 'never' as const),
      granular.map((each) => ({ granular: each })),
    ),
    sandboxLevel: fc.constantFrom('read-only' as const, 'workspace-write' as const, 'danger-full-access' as const),
    canAsk: fc.boolean(),
    changesNothing: fc.constantFrom('thread' as const, 'mode' as const, undefined),
    mode: fc.constantFrom('auto' as const, 'prompt' as const, 'writes' as const, 'approve' as const),
    hints: fc.record({ readOnly: hint, destructive: hint, openWorld: hint }),
  });
  fc.assert(
    fc.property(given, ({ approval, sandboxLevel, canAsk, changesNothing, mode, hints }) => {
      const need = { server: 's', tool: 't', mode, hints: JSON.parse(JSON.stringify(hints)) as object };
      const isShown = isMcpToolUsable(need, {
        approval,
        sandboxLevel,
        ...(canAsk ? { canAsk: true as const } : {}),
        ...(changesNothing === undefined ? {} : { changesNothing }),
      });
      const policy = levels[sandboxLevel];
      const rules = { prefixes: [], hosts: [], executables: {} };
      const context = { approval, policy, rules, grants: [], canAsk, changesNothing: changesNothing === 'thread' };
      expect(isShown).toBe(decideMcp(context, need).kind !== 'refuse');
    }),
    { numRuns: 300 * inject('runFactor') },
  );
});
