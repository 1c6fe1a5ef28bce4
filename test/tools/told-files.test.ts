import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callTool, type ItemDraft } from '../../src/testing/index.ts';
import { toldScene } from '../harness/told-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const config = 'approval_policy = "on-request"\n';
const adds = (file: string): ItemDraft => ({
  type: 'custom_tool_call',
  name: 'apply_patch',
  input: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`,
});

test('a patch to any protected name of a repository in the workspace asks by itself, as the text says', async () => {
  const scene = await toldScene({ config, answers: [{ kind: 'allowed' }, { kind: 'declined' }] });
  const inner = join(scene.live.place.workspace, 'sub');
  mkdirSync(inner);
  execFileSync('git', ['init', '-q', inner]);
  const outputs = await scene.calls(adds('sub/.codex/one'), adds('sub/.codex/deep/two'), adds('sub/.agents/three'));
  expect(scene.told()).toContain('A patch to files that commands cannot change asks by itself.');
  expect(scene.asked.map(({ kind, permissions }) => [kind, permissions?.write])).toEqual([
    ['patch', [join(inner, '.codex')]],
    ['patch', [join(inner, '.codex/deep')]],
    ['patch', [join(inner, '.agents')]],
  ]);
  expect(outputs[0]).toContain('Success');
  for (const output of outputs.slice(1)) expect(output).toBe('Not run: the user declined it.');
  expect(existsSync(join(inner, '.codex/one'))).toBe(true);
});

test('a repository is protected from the turn after the one that made it, as the text says', async ({ skip }) => {
  skip(noNamespaces);
  const scene = await toldScene({ config, answers: [] });
  const [, again] = await scene.calls('git init -q made', 'touch made/.git/x && echo written');
  expect(scene.told()).toContain('\nRead-only wherever they existed when the turn began, with ');
  expect(again).toContain('written');
  const [next] = await scene.calls('touch made/.git/y; true');
  expect(next).toContain('Read-only file system');
});

test('a folder that stands beside a repository in the workspace is asked for, and opened by a yes', async ({
  skip,
}) => {
  skip(noNamespaces);
  const no = { kind: 'declined' } as const;
  const scene = await toldScene({ config, answers: [no, no, { kind: 'allowed' }] });
  const inner = join(scene.live.place.workspace, 'sub');
  const settings = join(inner, '.codex');
  mkdirSync(settings, { recursive: true });
  execFileSync('git', ['init', '-q', inner]);
  const wants = callTool('request_permissions', { permissions: { file_system: { write: [settings] } } });
  const writes = `touch ${settings}/x && echo written`;
  const outputs = await scene.calls(wants, writes, wants, writes, wants);
  expect(scene.asked.map(({ kind, permissions }) => [kind, permissions?.write])).toEqual([
    ['permissions', [settings]],
    ['retry', undefined],
    ['permissions', [settings]],
  ]);
  const [declined, closed, granted, opened, again] = outputs;
  expect(declined).toBe('Not run: the user declined it.');
  expect(closed).toContain('Read-only file system');
  expect(JSON.parse(granted!)).toEqual({ permissions: { file_system: { write: [settings] } }, scope: 'turn' });
  expect(opened).toContain('written');
  expect(again).toBe(JSON.stringify({ permissions: { file_system: { write: [settings] } } }));
});
