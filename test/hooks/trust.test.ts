import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeHookTrust } from '../../src/gather/hooks/write-hook-trust.ts';
import { readHooksFile } from '../../src/hooks/read-hooks-file.ts';
import { answer, say } from '../../src/testing/index.ts';
import { hook, hookedScene } from './hooked-scene.ts';

it('trust is given to a definition, ends when it changes, and can be taken back; the file keeps all else', async () => {
  const done = answer({ items: [say('Done.')] });
  const { live, write } = await hookedScene(() => done, { UserPromptSubmit: [hook('echo one')] }, { trust: false });
  const path = join(live.place.home, 'config.toml');
  const before = `${readFileSync(path, 'utf8').trimEnd()}\n`;
  const [known] = readHooksFile({ path: join(live.place.home, 'hooks.json'), owner: 'user' }).hooks;
  expect(await writeHookTrust(path, [{ key: known!.key, hash: known!.hash }])).toBeUndefined();
  expect(readFileSync(path, 'utf8').startsWith(before)).toBe(true);
  await live.turn('go');
  expect(live.rows(0).at(-1)?.[1]).toContain('one');
  write({ UserPromptSubmit: [hook('echo two')] });
  await live.open();
  await live.turn('go');
  expect(live.rows(1).at(-1)).toEqual(['user', 'go']);
  expect(await writeHookTrust(path, [{ key: known!.key }])).toBeUndefined();
  expect(readFileSync(path, 'utf8').trimEnd()).toBe(before.trimEnd());
});

it('a definition has the hash that Codex gives it', async () => {
  const { live } = await hookedScene([], {});
  const path = join(live.place.home, 'hooks.json');
  const handler = { type: 'command', command: 'echo hi', timeout: 5, statusMessage: 'S' };
  writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [handler] }] } }));
  expect(readHooksFile({ path, owner: 'user' }).hooks).toMatchObject([
    {
      key: `${path}:pre_tool_use:0:0`,
      hash: 'sha256:91ebc0611c49d3d82f88dc153656bf55d2583ea8ad7b93ca86d97a5681076dae',
    },
  ]);
});
