import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { command, toldScene } from '../harness/told-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const config = 'approval_policy = "on-request"\n';
const granular = (sandbox: boolean, rules: boolean) =>
  `approval_policy = { granular = { sandbox_approval = ${sandbox}, rules = ${rules}, mcp_elicitations = false } }\n`;
const echoes = 'prefix_rule(pattern = ["echo", "zz"], decision = "allow")\n';
const listed = `${config}default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.network]
enabled = true
domains = { "listed.invalid" = "allow", "both.invalid" = "allow" }
`;

test('without anyone to ask, `untrusted` offers no commands, and says nothing about how they would run', async () => {
  const scene = await toldScene({ config: 'approval_policy = "untrusted"\n', rules: echoes });
  const [output] = await scene.calls('echo zz');
  expect(scene.told()).toContain('None can run: say what is needed.');
  expect(scene.told()).not.toContain('zz');
  expect(scene.told()).not.toContain('How a script is read');
  expect(output).toContain('There is no tool named "exec_command".');
});

test('an allowed command stays inside where commands can change what it starts, as the text says', async ({ skip }) => {
  skip(noNamespaces);
  const scene = await toldScene({
    config,
    rules: 'prefix_rule(pattern = [["tool", "touch"]], decision = "allow")\n',
    answers: [],
  });
  const { workspace } = scene.live.place;
  mkdirSync(join(workspace, 'bin'));
  writeFileSync(join(workspace, 'bin/tool'), '#!/bin/sh\ntouch "$1"\n', { mode: 0o755 });
  const outside = mkdtempSync('/var/tmp/capstan-told-');
  whenTestEnds(() => void import('node:fs').then((fs) => fs.rmSync(outside, { recursive: true, force: true })));
  const outputs = await scene.calls(`bin/tool ${outside}/a`, `touch ${outside}/b`);
  expect(scene.told()).toContain(
    '\nWhere sandboxed commands can change neither the programs that a script starts nor its git repository, it runs outside the sandbox',
  );
  expect(outputs[0]).toContain('Read-only file system');
  expect(outputs[1]).toContain('Process exited with code 0');
});

test('where hosts are asked about while a command runs, the text does not tell to ask for the network first', async ({
  skip,
}) => {
  skip(noNamespaces);
  const scene = await toldScene({ config: listed, answers: [{ kind: 'allowed' }] });
  await scene.calls('curl -sS https://new.invalid/');
  expect(scene.told()).toContain('run the command without asking first.');
  expect(scene.told()).not.toContain('needs the network');
  expect(scene.told()).not.toContain('or the network is all');
  expect(scene.asked.map(({ kind }) => kind)).toEqual(['network']);
  const closed = await toldScene({ config, answers: [] });
  await closed.calls('true');
  expect(closed.told()).toContain('it needs the network, writes outside');
});

test.each([
  [true, true, 'the user declined it'],
  [false, true, 'turns off questions about leaving the sandbox (sandbox_approval)'],
  [true, false, 'turns off questions about commands that a rule asks about (rules)'],
] as const)(
  'a command that a rule holds back and that wants out needs both flags: %s, %s',
  async (sandbox, rules, met) => {
    const scene = await toldScene({
      config: granular(sandbox, rules),
      rules: 'prefix_rule(pattern = ["echo"], decision = "prompt")\n',
      answers: [],
    });
    const escalated = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
    const [output] = await scene.calls(command('echo x', escalated));
    expect(output).toContain(met);
    expect(scene.asked).toHaveLength(sandbox && rules ? 1 : 0);
  },
);

test('a request for what the session has names no scope of its own', async () => {
  const scene = await toldScene({ config, answers: [{ kind: 'allowed', scope: 'session' }] });
  const wanted = callTool('request_permissions', { permissions: { network: { enabled: true } } });
  const [first = '', again = ''] = await scene.calls(wanted, wanted);
  expect(JSON.parse(first)).toEqual({ permissions: { network: { enabled: true } }, scope: 'session' });
  expect(JSON.parse(again)).toEqual({ permissions: { network: { enabled: true } } });
  expect(scene.asked).toHaveLength(1);
});

test('a host that a rule asks about is not asked about again after a yes for the session', async ({ skip }) => {
  skip(noNamespaces);
  const rules = 'network_rule("listed.invalid", "http", "prompt")\nnetwork_rule("both.invalid", "http", "deny")\n';
  const scene = await toldScene({ config: listed, rules, answers: [{ kind: 'allowed', scope: 'session' }] });
  await scene.calls('curl -sS http://listed.invalid/', 'curl -sS http://listed.invalid/');
  expect(scene.asked).toHaveLength(1);
  expect(scene.told()).toContain('\nAsked about, because of a rule: "listed.invalid"\n');
  expect(scene.told()).toContain('beyond the limits of the sandbox: connecting to: "listed.invalid:80".');
  const environment = scene.texts().find((text) => text.startsWith('<environment_context>'));
  expect(environment).not.toContain('<allowed_domains>');
  expect(environment).toContain('<denied_domains><domain>both.invalid</domain></denied_domains>');
});

test('where reads are denied, a retry names the sandbox that stays, and a rule that means the same is offered', async ({
  skip,
}) => {
  skip(noNamespaces);
  const denying = `${config}default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.filesystem]
"/etc/hostname" = "deny"
`;
  const scene = await toldScene({ config: denying, answers: [{ kind: 'allowed' }] });
  const outside = mkdtempSync('/var/tmp/capstan-told-');
  whenTestEnds(() => void import('node:fs').then((fs) => fs.rmSync(outside, { recursive: true, force: true })));
  const [output = ''] = await scene.calls(`touch ${outside}/a`);
  const place = 'in a sandbox that only hides denied paths';
  expect(scene.asked[0]).toMatchObject({ kind: 'retry', reason: expect.stringContaining(place) });
  expect(scene.asked[0]?.scopes).toEqual(['call', 'session', 'rule']);
  expect(output).toContain(`the user let it run again ${place}. This is the second run.`);
});

test('the note about what stays closed outside says how it fails, as it does', async ({ skip }) => {
  skip(noNamespaces);
  const denying = `${config}default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.filesystem]
"/etc/hostname" = "deny"
"/etc/ssl" = "deny"
`;
  const scene = await toldScene({ config: denying, answers: [{ kind: 'allowed' }] });
  const escalated = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  const [output = ''] = await scene.calls(command('cat /etc/hostname; ls /etc/ssl', escalated));
  expect(output).toContain('stays closed: opening it fails, mostly with "Permission denied".');
  expect(output.match(/(?:hostname|ssl).*: Permission denied/g)).toHaveLength(2);
});

test('the answer to a command without a prepared one says why it needs one, and the way out', async () => {
  const scene = await toldScene({ config, answers: [{ kind: 'declined', by: 'default' }] });
  const [output] = await scene.calls('rm -rf q');
  expect(output).toBe(
    'Not run: no answer was prepared for this run that would allow it. `rm -rf q` removes files by force. It would run inside the sandbox. A yes counts for this call alone. Remove what you mean by name and without -f, or tell the user what to remove.',
  );
});

test.each([
  ['a person may save it', '', true],
  ['a reviewer answers', 'approvals_reviewer = "auto_review"\n', false],
] as const)('a rule is proposed where %s', async (_who, more, isOffered) => {
  const scene = await toldScene({ config: `${config}${more}`, answers: [] });
  await scene.calls();
  const { tools } = scene.live.model.requests.at(-1)!.body;
  expect([scene.told().includes('`prefix_rule`'), JSON.stringify(tools).includes('"prefix_rule"')]).toEqual([
    isOffered,
    isOffered,
  ]);
});
