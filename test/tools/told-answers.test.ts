import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { AnswerScope } from '../../src/protocol/question.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { readPermissions, withGranted, withPrefixes } from '../laws/permissions-reader.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const config = `approval_policy = "on-request"
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`;
const done = answer({ items: [say('Done.')] });
const runs = (cmd: string, more = {}) => answer({ items: [callTool('exec_command', { cmd, ...more })] });

async function thread(script: Script, scope: AnswerScope) {
  const live = await LiveThread.in(script, config);
  const askUser: AskUser = { ask: () => Promise.resolve({ kind: 'allowed', scope }) };
  const open = () => live.open({}, { askUser });
  await open();
  return { live, open };
}

/** The texts about permissions that a request brings which the one before did not have. */
function newTexts(live: LiveThread, request: number): readonly string[] {
  const texts = (of: number) => (of < 0 ? [] : textsOf(inputOf(live.model, of)).map(String));
  const known = texts(request - 1).length;
  return texts(request)
    .slice(known)
    .filter((text) => /<(?:permissions instructions|approved_command_prefixes|granted_permissions)>/.test(text));
}

test('a prefix that an answer saves is told before the next request, and once', async () => {
  const asks = { sandbox_permissions: 'require_escalated', justification: 'May I?', prefix_rule: ['id', '-u'] };
  const script = [runs('id -u', asks), done, runs('id -u -r'), done, done];
  const { live, open } = await thread(script, 'rule');
  await live.turn('one');
  expect(newTexts(live, 0)[0]).not.toContain('"id"');
  const [told, ...more] = newTexts(live, 1);
  expect(more).toEqual([]);
  const known = readPermissions(newTexts(live, 0)[0]!);
  expect(withPrefixes(known, told!).prefixes).toEqual(['["id","-u"]']);
  await live.turn('two');
  expect(live.events.filter((event) => event.kind === 'item-started' && event.item.kind === 'command')).toMatchObject([
    { outside: true },
    { outside: true },
  ]);
  // Read from the file, it is the same.
  await open();
  await live.turn('three');
  for (const request of [2, 3, 4]) expect(newTexts(live, request)).toEqual([]);
});

test('what the user grants for a turn is told while it holds, and taken back with the next turn', async ({ skip }) => {
  skip(noNamespaces);
  const { live } = await thread((request) => {
    const folder = join(live.place.root, 'more');
    const permissions = { network: { enabled: true }, file_system: { write: [folder] } };
    if (request.index === 0)
      return answer({ items: [callTool('request_permissions', { permissions, reason: 'Why' })] });
    return request.index === 1 ? runs(`touch ${folder}/made && echo made`) : done;
  }, 'call');
  const folder = join(live.place.root, 'more');
  mkdirSync(folder);
  await live.turn('one');
  expect(newTexts(live, 0)[0]).toContain('\nNetwork: restricted.');
  const [told = '', ...others] = newTexts(live, 1);
  expect(others).toEqual([]);
  // Not the whole text again.
  expect(told).not.toContain('Sandbox:');
  expect(told).toContain('\nNetwork: enabled.');
  const line =
    'Granted for the rest of this turn, beyond the limits of the sandbox: the network, as described above; writing below: ';
  expect(told).toContain(`\n${line}${JSON.stringify(folder)}.\n`);
  expect(JSON.stringify(inputOf(live.model, 1))).toContain('<network_access>enabled</network_access>');
  expect(String(textsOf(inputOf(live.model, 2)).at(-1))).toContain('made');
  expect(newTexts(live, 2)).toEqual([]);
  await live.turn('two');
  const [back = '', ...more] = newTexts(live, 3);
  expect(more).toEqual([]);
  expect(back).not.toContain('Sandbox:');
  const before = readPermissions(newTexts(live, 0)[0]!);
  expect(withGranted(withGranted(before, told), back)).toEqual(before);
  await live.turn('three');
  expect(newTexts(live, 4)).toEqual([]);
});
