import { expect, test } from 'vitest';
import { decideCall } from '../../policy/decide/decide-call.ts';
import { noRules } from '../../policy/rules/rule-set.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { approvalLines } from './approvals.ts';

const unlimited: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
const approval = {
  granular: {
    sandbox_approval: false,
    rules: true,
    skill_approval: false,
    request_permissions: true,
    mcp_elicitations: false,
  },
} as const;

test('without a sandbox the text and the refusal name what is refused, and no sandbox', () => {
  const [line] = approvalLines({ mode: 'danger-full-access', network: 'enabled', approval, canAsk: true });
  expect(line).toBe(
    'Approval: granular. The user is asked about: commands that a rule asks about. Refused without a question: commands that remove files by force or destroy what may not come back.',
  );
  const words = ['rm', '-rf', 'x'];
  const danger = { kind: 'forced-removal', words } as const;
  const analysis = { commands: [words], seen: [words], isReadOnly: false, danger };
  const context = { approval, policy: unlimited, rules: noRules, grants: [], canAsk: true, analysis };
  expect(decideCall(context, { effect: 'program', argv: words, cwd: '/' })).toMatchObject({
    kind: 'refuse',
    why: expect.stringContaining('turns off questions about commands that destroy (sandbox_approval).'),
  });
});

test('without a sandbox a policy that asks about what destroys says so', () => {
  const [line] = approvalLines({
    mode: 'danger-full-access',
    network: 'enabled',
    approval: 'on-request',
    canAsk: true,
  });
  expect(line).toContain('Before a command that removes files by force or destroys');
});
