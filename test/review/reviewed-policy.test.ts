import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { FileSystemEntry, PermissionProfile } from '../../src/protocol/permissions.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { requestPermissionsTool } from '../../src/adapters/tools/request-permissions.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { replayed } from '../harness/replayed.ts';
import { allow, type ReviewScene, reviewScene } from '../harness/review-scene.ts';
import { calls, done } from '../harness/waiting-turn.ts';

const at = (path: string, access: FileSystemEntry['access']): FileSystemEntry => ({
  path: { type: 'path', path },
  access,
});
const profile: PermissionProfile = {
  type: 'managed',
  file_system: {
    type: 'restricted',
    entries: [
      at('/', 'read'),
      at('/repo', 'write'),
      at('/vault', 'deny'),
      at('/vault/open', 'read'),
      { path: { type: 'glob_pattern', pattern: '/repo/**/*.key' }, access: 'deny' },
    ],
    glob_scan_max_depth: 4,
  },
  network: 'enabled',
  capstan_network: { lists: { allow: ['a.test'], deny: ['b.test'], local: false, methods: 'any' } },
};

function policies({ reviews }: ReviewScene): readonly JsonObject[] {
  return reviews.map(({ body }) => {
    const [message] = body['input'] as unknown as { content: { text: string }[] }[];
    const line = message!.content[0]!.text.split('<action>\n')[1]!.split('\n')[0]!;
    return (JSON.parse(line) as { policy: JsonObject }).policy;
  });
}

it('a reviewer is shown the whole policy, and what was granted before', async () => {
  const request = callTool('request_permissions', { permissions: { file_system: { write: ['/var/tmp'] } } });
  const steps = [calls('first'), answer({ items: [request] }), calls('second'), done];
  const scene = await reviewScene(steps, [hang({ afterBytes: 0, of: answer({ items: [say('{}')] }) }), allow, allow]);
  const { live, tool } = scene;
  const { adapt } = live;
  live.adapt = (parts) => ({
    ...adapt(parts),
    router: createToolRouter([() => [tool, requestPermissionsTool({ disk: nodeDisk() })]]),
  });
  live.settings = { ...live.settings, sandbox: profile, approvedPrefixes: [['npm', 'test']] };
  live.onEvent = (event) => {
    if (event.kind !== 'question-asked' || event.question.argv?.at(-1) !== 'first') return;
    // The user answers before the reviewer does.
    const answered = { kind: 'allowed', scope: 'session' } as const;
    void vi
      .waitUntil(() => scene.reviews.length > 0, { timeout: 20_000 })
      .then(() => live.live!.answer(event.question.id, answered));
  };
  expect(await scene.turn('go')).toMatchObject({ kind: 'completed' });
  const shown = policies(scene);
  const last = shown.at(-1)!;
  expect(last).toMatchObject({
    sandbox: 'workspace-write',
    network: 'listed hosts only',
    hosts: { allow: ['a.test'], deny: ['b.test'], private_addresses: false, methods: 'all' },
    writable_roots: ['/repo'],
    readable: ['/vault/open'],
    not_readable: ['/vault'],
    not_readable_globs: ['/repo/**/*.key'],
    glob_depth: 4,
    approved_prefixes: [['npm', 'test']],
    granted_for_turn: { write: ['/var/tmp'] },
    granted_for_session: { commands: [{ cwd: '/repo', where: 'outside' }] },
  });
  expect(JSON.stringify(last['granted_for_session'])).toContain('first');
  expect(shown.at(-2)).not.toHaveProperty('granted_for_turn');
  expect(new Set((await replayed(live)).map((each) => each.split(' ')[1]))).toEqual(new Set(['same']));
});
