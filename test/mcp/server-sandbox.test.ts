import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { mcpCall, mcpScene, reading } from './mcp-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

/**
 * Temporary folders are open to commands, and the scene is in one. A folder of its own: where commands can write, no
 * program is started from.
 */
const elsewhere = mkdtempSync('/var/tmp/capstan-elsewhere-');
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));
const tools = [{ name: 'write', inputSchema: { type: 'object' }, annotations: reading }];

async function writing(server: string, config = '') {
  const scene = await mcpScene({ plan: { tools }, server, after: config, files: 'workspace' });
  const { workspace, home } = scene.live.place;
  const outside = join(elsewhere, 'outside');
  rmSync(outside, { force: true });
  const write = [join(workspace, 'inside'), outside, join(home, 'config.toml'), join(workspace, '.git/config')];
  scene.plan({ tools, calls: { write: { write } } });
  await scene.open();
  return { scene, output: await scene.calls(mcpCall('write')), outside, workspace };
}

test.skipIf(noNamespaces)(
  'a server writes only what its sandbox lets it, and is there again after its end',
  async () => {
    const { scene, output, outside, workspace } = await writing('sandbox = "workspace-write"');
    expect(output).toEqual([expect.stringMatching(/\nwritten, E\w+, E\w+, E\w+$/)]);
    expect(readFileSync(join(workspace, 'inside'), 'utf8')).toBe('by the server');
    expect(existsSync(outside)).toBe(false);
    scene.plan({ tools, calls: { write: { dieOnce: true } } });
    expect(await scene.calls(mcpCall('write'))).toEqual([expect.stringContaining('called write')]);
    await scene.live.close();
  },
);

test('without the key a server runs as the user does', async () => {
  const { output, outside } = await writing('');
  expect(output).toEqual([expect.stringMatching(/\nwritten, written, written, /)]);
  expect(existsSync(outside)).toBe(true);
});

test.skipIf(noNamespaces)('a permission profile can open more', async () => {
  const profile = `[permissions.wide]\nextends = ":workspace"\n[permissions.wide.filesystem]\n"${elsewhere}" = "write"\n`;
  const { output } = await writing('sandbox = "wide"', profile);
  expect(output).toEqual([expect.stringMatching(/\nwritten, written, E\w+, E\w+$/)]);
});

test('a server whose profile does not exist is not started, in words', async () => {
  const { output, scene } = await writing('sandbox = "gone"\nstartup_timeout_sec = 5');
  expect(scene.log()).toEqual([]);
  expect(output).toEqual([expect.stringContaining('There is no tool named "mcp__s__write"')]);
  const said = scene.live.told('warning').map(({ outcome }) => outcome.message);
  expect(said.join('\n')).toContain('its sandbox "gone" cannot be used');
});
