import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { noNamespaces } from '../harness/namespaces.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const done = answer({ items: [say('Done.')] });
const patch = '*** Begin Patch\n*** Add File: p.txt\n+x\n*** End Patch\n';
const calls = [
  callTool('exec_command', { cmd: 'echo a > written' }),
  callTool('exec_command', { cmd: 'rm -rf written' }),
  { type: 'custom_tool_call', name: 'apply_patch', input: patch } as const,
];

const sandboxed =
  'this run has the policy never. Commands and patches run inside the sandbox without a question. Capstan refuses those that need more, commands that destroy, and those that a rule asks about.';
const unsandboxed =
  'this run has the policy never. Commands and patches run without a sandbox and without a question. Capstan refuses only commands that destroy, and those that a rule asks about.';

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

it.for([
  ['-a', { more: '', words: ['-a', 'untrusted'] }, `-a untrusted has no effect without --approvals: ${sandboxed}`],
  [
    'config.toml',
    { more: 'approval_policy = "untrusted"', words: [] },
    `The approval policy untrusted has no effect without --approvals: ${sandboxed}`,
  ],
  [
    'full access',
    { more: 'approval_policy = "untrusted"', words: ['-s', 'danger-full-access'] },
    `The approval policy untrusted has no effect without --approvals: ${unsandboxed}`,
  ],
] as const)(
  'untrusted by %s without anyone to ask is never, and the warning says what runs',
  async ([, given, warning], { skip }) => {
    skip(noNamespaces && warning.endsWith(sandboxed));
    const { model, place } = await scene(
      [answer({ items: [calls[0]!] }), answer({ items: calls.slice(1) }), done],
      given.more,
    );
    const { code, stderr } = await place.run('exec', ...given.words, 'go');
    expect(code, stderr).toBe(0);
    expect(oneLine(stderr).split(warning)).toHaveLength(2);
    const outputs = textsOf(inputOf(model, 2)).join('\n');
    expect(
      ['written', 'p.txt'].map((name) => existsSync(join(place.workspace, name))),
      outputs,
    ).toEqual([true, true]);
    expect(textsOf(inputOf(model, 0)).join('')).toContain('Approval: never. The user cannot be asked');
    expect(outputs).toContain('Not run: ');
  },
);

it('a policy that stands in no file and no option needs no warning', async () => {
  const { place } = await scene([done]);
  const { stderr } = await place.run('exec', 'go');
  expect(stderr).not.toContain('--approvals');
});
