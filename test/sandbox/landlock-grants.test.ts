import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Engine, words } from '../../src/index.ts';
import { findLandlock } from '../../src/adapters/sandbox/linux/landlock-library.ts';
import { leastLandlockAbi } from '../../src/adapters/sandbox/sandbox-route.ts';
import { answer, callTool, say, startScriptedModel } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const found = findLandlock(join(import.meta.dirname, '../../node_modules/koffi/index.cjs'));
const landlock = found.kind === 'landlock' && found.abi >= leastLandlockAbi;

it.skipIf(!landlock)('a folder that a turn was granted is recorded before a patch writes there', async () => {
  const root = mkdtempSync('/var/tmp/capstan-landlock-grants-');
  whenTestEnds(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['work', 'home', 'other']) mkdirSync(join(root, name));
  const other = join(root, 'other');
  const patch = `*** Begin Patch\n*** Add File: ${other}/.codex/config.toml\n+model = "x"\n*** End Patch\n`;
  const calls = [
    callTool('request_permissions', { permissions: { file_system: { write: [other] } }, reason: 'x' }),
    callTool('apply_patch', { input: patch, patch }),
    say('Done.'),
  ];
  const model = await startScriptedModel(() => answer({ items: [calls.shift()!] }));
  whenTestEnds(() => model.close());
  writeFileSync(
    join(root, 'home/config.toml'),
    `model = "gpt-5.5"
model_provider = "scripted"
sandbox_mode = "workspace-write"
approval_policy = "on-request"
features.request_permissions_tool = true
features.use_legacy_landlock = true
[model_providers.scripted]
name = "scripted"
base_url = "${model.url}"
wire_api = "responses"
supports_websockets = false
[projects."${other}"]
trust_level = "trusted"
`,
  );
  const engine = await Engine.load({
    env: { PATH: process.env['PATH'], CAPSTAN_HOME: join(root, 'home'), HOME: root },
    osHome: root,
    cwd: join(root, 'work'),
    client: { name: 'test', version: '1', source: 'exec' },
  });
  if (engine.kind === 'refused') throw new Error(engine.outcome.message);
  whenTestEnds(() => engine.close());
  const started = await engine.start({
    cwd: join(root, 'work'),
    askUser: { ask: async () => ({ kind: 'allowed', scope: 'session' }) },
  });
  if (started.kind === 'refused') throw new Error(started.outcome.message);
  await started.thread.run({ input: words('Go.') });
  expect(readFileSync(join(other, '.codex/config.toml'), 'utf8')).toBe('model = "x"\n');
  const folder = join(root, 'home/capstan/landlock');
  const records = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const roots = records.map((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { root: string }).root);
  expect(roots).toContain(other);
  const trust = await engine.trust.ofFolder(other);
  expect(trust).toMatchObject({ trust: 'unknown', changed: join(other, '.codex') });
});
