import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { accessAt } from '../../src/core/policy/paths/access.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { PreparedCall, Tool } from '../../src/adapters/tools/tool.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { requestPermissionsTool } from '../../src/adapters/tools/request-permissions.ts';
import { answering, needyScene } from '../harness/needy-scene.ts';
import { needy } from '../harness/needy-tools.ts';
import { partsOf, readWorld } from '../laws/world-reader.ts';

const done = answer({ items: [say('Done.')] });
// A real folder that commands cannot write, wherever the clone is.
const folder = homedir();
const asks = answer({
  items: [
    callTool('request_permissions', {
      permissions: { network: { enabled: true }, file_system: { write: [folder] } },
    }),
  ],
});
const runs = answer({ items: [callTool('make', {})] });
const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

/** A program that notes what it may do. */
function program(noted: string[]): Tool {
  const tool = needy('make', { needs: { effect: 'program', argv: ['make'], cwd: '/repo' } });
  return {
    ...tool,
    async prepare(call, step) {
      const prepared = (await tool.prepare(call, step)) as PreparedCall;
      return {
        ...prepared,
        run(running) {
          noted.push(`${running.policy.network} ${accessAt(running.policy, folder)}`);
          return prepared.run(running);
        },
      };
    },
  };
}

async function granted() {
  const noted: string[] = [];
  const script = [asks, runs, done, runs, done, runs, done, runs, done];
  const asking = answering({ kind: 'allowed', scope: 'session' });
  const { live, model, turn } = await needyScene(
    script,
    () => [requestPermissionsTool({ disk: nodeDisk() }), program(noted)],
    asking,
  );
  live.settings = { approvals: 'on-request' };
  await turn('go');
  expect(noted).toEqual(['enabled write']);
  const parts = () => partsOf(model.requests.at(-1)!.body['input']);
  const told = () => readWorld(parts()).permissions?.grants.join('\n');
  const texts = () =>
    parts().flatMap(({ text }) => /^<(permissions instructions|granted_permissions)>/.exec(text)?.[1] ?? []);
  return { live, turn, noted, told, texts };
}

it('what the user grants for the session is in the text, and later turns have it', async () => {
  const { turn, noted, told, texts } = await granted();
  const line = 'Granted for this session, beyond the limits of the sandbox: the network, as described above; writing';
  expect(told()).toContain(line);
  expect(told()).toContain(folder);
  // Sections that the answer did not change are not sent again.
  expect(texts()).toEqual(['permissions instructions', 'granted_permissions']);
  await turn('again');
  expect(texts()).toHaveLength(2);
  expect(noted).toEqual(['enabled write', 'enabled write']);
});

it('a folder that does not exist is refused before the user is asked, with the folder to ask for', async () => {
  const missing = `${folder}/none/there`;
  const request = callTool('request_permissions', { permissions: { file_system: { write: [missing] } } });
  const asking = answering({ kind: 'allowed', scope: 'session' });
  const script = [answer({ items: [request] }), done];
  const { live, model, turn } = await needyScene(script, () => [requestPermissionsTool({ disk: nodeDisk() })], asking);
  live.settings = { approvals: 'on-request' };
  await turn('go');
  expect(asking.asked).toEqual([]);
  const sent = JSON.stringify(model.requests.at(-1)!.body);
  expect(sent).toContain('does not exist, and a sandbox can open only what exists.');
  expect(sent).toContain(
    `Ask for ${JSON.stringify(JSON.stringify(folder)).slice(1, -1)}, the nearest folder above it.`,
  );
});

it.each([
  ['an approval policy that never asks', { approvals: 'never' as const }],
  ['a narrower profile', { sandbox: builtInProfile('read-only', options) }],
])('under %s it counts no longer, and the text does not name it', async (_name, change) => {
  const { live, turn, noted, told } = await granted();
  const { settings } = live;
  live.settings = { ...settings, ...change };
  await live.close();
  await turn('again');
  expect(noted.at(-1)).toBe('restricted read');
  expect(told()).toBe('');
  live.settings = settings;
  await live.close();
  await turn('as before');
  expect(noted).toEqual(['enabled write', 'restricted read', 'enabled write']);
});
