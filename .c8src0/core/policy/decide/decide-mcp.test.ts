import { describe, expect, test } from 'vitest';
import type { ApprovalPolicy, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { CallNeeds, DecisionContext } from './call-decision.ts';
import { decideMcp } from './decide-call.ts';
import { mcpToolDigest, mcpToolGrantKey } from '../grants/grants.ts';

type Need = NonNullable<CallNeeds['mcp']>;

const sandboxed: ResolvedPolicy = {
  enforcement: 'managed',
  files: { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: false },
  network: 'restricted',
};
const open: ResolvedPolicy = { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };

function decide(need: Partial<Need>, more: Partial<DecisionContext> = {}) {
  const rules = { prefixes: [], hosts: [], executables: {} };
  const context = { approval: 'on-request', policy: sandboxed, rules, grants: [], canAsk: true, ...more } as const;
  return decideMcp(context, { server: 's', tool: 't', hints: {}, mode: 'auto', ...need });
}

const hints: Readonly<Record<string, Need['hints']>> = {
  'says nothing': {},
  reads: { readOnly: true },
  'reads and destroys': { readOnly: true, destructive: true },
  'destroys nothing': { destructive: false },
  'stays in its world': { openWorld: false },
  'neither destroys nor leaves': { destructive: false, openWorld: false },
};

describe.each<[Need['mode'], readonly string[]]>([
  ['auto', ['says nothing', 'reads and destroys', 'destroys nothing', 'stays in its world']],
  ['prompt', Object.keys(hints)],
  ['writes', ['says nothing', 'destroys nothing', 'stays in its world', 'neither destroys nor leaves']],
  ['approve', []],
])('the mode %s', (mode, asked) => {
  test.each(Object.entries(hints))('and a tool that %s', (name, given) => {
    expect(decide({ mode, hints: given }).kind).toBe(asked.includes(name) ? 'ask' : 'run');
  });
});

test('only in the mode auto does a yes hold for longer than its call', () => {
  const grants = [{ key: mcpToolGrantKey({ server: 's', tool: 't', digest: mcpToolDigest({ hints: {} }) }) }];
  expect(decide({}, { grants }).kind).toBe('run');
  expect(decide({ tool: 'other' }, { grants }).kind).toBe('ask');
  expect(decide({ mode: 'prompt' }, { grants }).kind).toBe('ask');
  expect(decide({})).toMatchObject({ question: { scopes: ['call', 'session', 'rule'] }, grantKeys: [grants[0]!.key] });
  expect(decide({ mode: 'writes' })).toMatchObject({ question: { scopes: ['call'] } });
});

test('a yes holds for the tool as its server described it, and the next question says that it changed', () => {
  const described = { description: 'Writes a note.', parameters: {} };
  const key = mcpToolGrantKey({ server: 's', tool: 't', digest: mcpToolDigest({ described, hints: {} }) });
  const grants = [{ key }];
  expect(decide({ described }, { grants }).kind).toBe('run');
  const others = [
    { described: { ...described, description: 'Deletes everything.' } },
    { described: { ...described, parameters: { properties: { target: {} } } } },
    { described, hints: { destructive: true } },
  ];
  for (const other of others) {
    const reason = expect.stringContaining(' The server changed the tool since you allowed it. ');
    expect(decide(other, { grants })).toMatchObject({ kind: 'ask', question: { reason } });
  }
});

test('the digest of a tool does not depend on the order of members, and has its version in front', () => {
  const text = { type: 'string' };
  const described = { description: 'd', parameters: { type: 'object', properties: { a: text, b: text } } };
  const reordered = { parameters: { properties: { b: text, a: text }, type: 'object' }, description: 'd' };
  expect(mcpToolDigest({ described, hints: { readOnly: true } })).toBe('2-5d210daf5caf4d8e04bc4635d65a5991');
  expect(mcpToolDigest({ described: reordered, hints: { readOnly: true } })).toBe('2-5d210daf5caf4d8e04bc4635d65a5991');
  const grants = [
    { key: mcpToolGrantKey({ server: 's', tool: 't', digest: mcpToolDigest({ described, hints: {} }) }) },
  ];
  expect(decide({ described: reordered }, { grants }).kind).toBe('run');
  const older = [{ key: mcpToolGrantKey({ server: 's', tool: 't', digest: '0123456789abcdef0123456789abcdef' }) }];
  const asked = decide({ described }, { grants: older });
  expect(asked).toMatchObject({ kind: 'ask', question: { reason: expect.not.stringContaining('changed') as string } });
});

test('in a thread that changes nothing, only the user lets a tool run that may write, one call at a time', () => {
  const changesNothing = true;
  const grants = [{ key: mcpToolGrantKey({ server: 's', tool: 't', digest: mcpToolDigest({ hints: {} }) }) }];
  const modes = ['auto', 'writes', 'approve'] as const;
  for (const mode of modes)
    for (const [name, given] of Object.entries(hints))
      expect(decide({ mode, hints: given }, { changesNothing, grants }).kind, `${mode}, ${name}`).toBe(
        name === 'reads' ? 'run' : 'ask',
      );
  expect(decide({ mode: 'approve' }, { changesNothing })).toMatchObject({
    question: { scopes: ['call'], reason: expect.stringContaining('does not say that it only reads') as string },
  });
  expect(decide({}, { changesNothing })).toMatchObject({ question: { scopes: ['call'] } });
  expect(decide({ mode: 'approve' }, { changesNothing, approval: 'never' }).kind).toBe('refuse');
});

test('where no one is asked, a call is refused, unless nothing is confined anyway', () => {
  const never: ApprovalPolicy = 'never';
  expect(decide({}, { approval: never })).toMatchObject({
    kind: 'refuse',
    why: expect.stringContaining('"t" of the MCP server "s"') as string,
  });
  expect(decide({}, { approval: never, policy: open }).kind).toBe('run');
  expect(decide({}, { policy: open }).kind).toBe('ask');
  expect(decide({}, { canAsk: false }).kind).toBe('refuse');
  const flags = { sandbox_approval: true, rules: true, skill_approval: true, request_permissions: true };
  expect(decide({}, { approval: { granular: { ...flags, mcp_elicitations: false } } }).kind).toBe('refuse');
});
