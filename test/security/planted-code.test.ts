// @module-tag attack
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { isSafeFolder } from '../../src/core/policy/environment/find-program.ts';
import { mcpServerFolder } from '../../src/engine/engine-parts.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { trustAll } from '../hooks/hooked-scene.ts';
import { mcpCall, mcpScene, reading } from '../mcp/mcp-scene.ts';

test('servers and hooks find no code where commands may write: not in their folder, and not on their PATH', async () => {
  const tool = { name: 'variables', inputSchema: { type: 'object' }, annotations: reading };
  const scene = await mcpScene({ plan: { tools: [tool], calls: { variables: { environment: true } } } });
  const { home, workspace } = scene.live.place;
  const planted = join(workspace, '.venv/bin');
  mkdirSync(planted, { recursive: true });
  const kept = join(home, 'of-the-hook');
  const hook = { type: 'command', command: `printf '%s\\n' "$PATH" "$PYTHONSAFEPATH" "$PWD" > '${kept}'` };
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }));
  trustAll(home);
  const safe = dirname(realpathSync('/bin/sh'));
  const env = { CAPSTAN_HOME: home, PATH: [planted, '.venv/bin', '', safe, '/tmp'].join(':') };
  await scene.live.open({ env });
  const [output] = await scene.calls(mcpCall('variables'));
  expect(output).toContain(`"PATH":"${safe}"`);
  expect(scene.log()[0]).toMatchObject({ cwd: '/' });
  expect(readFileSync(kept, 'utf8').split('\n').slice(0, 3)).toEqual([safe, '1', workspace]);
});

test(
  'the folder of servers is their own, or the root where commands may write above it',
  { tags: 'representative' },
  () => {
    const home = realpathSync(mkdtempSync('/var/tmp/capstan-servers-'));
    whenTestEnds(() => process.getBuiltinModule('node:fs').rmSync(home, { recursive: true }));
    const with_ = (writable: readonly string[]) => ({
      isSafeFolder: (folder: string) => isSafeFolder(folder, writable, nodeProgramFiles),
    });
    expect(mcpServerFolder(home, with_(['/tmp', '/']))).toBe(join(home, 'capstan/servers'));
    expect(mcpServerFolder(home, with_([dirname(home)]))).toBe('/');
  },
);
