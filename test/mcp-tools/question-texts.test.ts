import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { Question } from '../../src/protocol/question.ts';
import { clientQuestion } from '../../src/surfaces/servers/mcp/tools/client-questions.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { type Served, served, TestClient } from './served.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const closed =
  'approval_policy = "on-request"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';

it('a question about another try has its scopes on a line of their own, and lists say that it waits', async ({
  skip,
}) => {
  skip(noNamespaces);
  const scene: Served = await served(
    ({ index }) => {
      const file = join(scene.place.root, 'outside', 'file');
      return answer({ items: [index === 0 ? callTool('exec_command', { cmd: `touch ${file}` }) : say('Done.')] });
    },
    { config: closed },
  );
  mkdirSync(join(scene.place.root, 'outside'));
  const client = new TestClient(scene.app);
  const waiting = await client.call('thread_start', { prompt: 'go' });
  expect(waiting.data).toMatchObject({ status: 'waiting', questions: [{ kind: 'retry' }] });
  expect(waiting.text).toMatch(/\n {2}Scopes: call(, \w+)*\.(\n|$)/);
  const listed = await client.call('thread_list', {});
  expect(listed.text).toContain('a question waits');
  expect(listed.data).toMatchObject({ threads: [{ questions: 1 }] });
  const { thread_id, questions } = waiting.data as { thread_id: string; questions: { id: string }[] };
  const asked = { thread_id, question_id: questions[0]!.id };
  const refused = await client.call('thread_answer', { ...asked, decision: 'denied', scope: 'session' });
  expect([refused.isError, refused.text]).toEqual([
    true,
    'A refusal has no scope: it is about this question alone. Leave scope out.',
  ]);
  await client.data('thread_answer', { ...asked, decision: 'denied' });
  expect((await client.call('thread_list', {})).text).not.toContain('a question waits');
});

const question: Question = {
  id: 'q',
  callId: 'c',
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  scopes: ['call', 'session', 'rule'],
  prefix: ['npm', 'test'],
};

it.each<[string, Partial<Question>, string]>([
  [
    'a command',
    {},
    'approved allows it once, approved_for_session for the rest of the thread, approved_with_rule in every thread, by a rule that is saved for: npm test, denied refuses it, abort also ends the turn.',
  ],
  [
    'permissions',
    { kind: 'permissions', scopes: ['call', 'session'] },
    'approved allows it for this turn, approved_for_session for the rest of the thread, denied refuses it, abort also ends the turn.',
  ],
  ['one call', { scopes: ['call'] }, 'approved allows it once, denied refuses it, abort also ends the turn.'],
])('the form says how far each decision reaches: %s', (_, more, expected) => {
  const { properties } = clientQuestion({ ...question, ...more }, 'May I?').schema as {
    readonly properties: { readonly decision: { readonly description: string } };
  };
  expect(properties.decision.description).toBe(expected);
});
