import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { type Served, served, TestClient } from './served.ts';

/** The policy of a command is read first, so that its question comes after that of the patch behind it. */
const config = 'approval_policy = "on-request"\n';
const start = { prompt: 'go', sandbox: 'read-only' };
const patch = '*** Begin Patch\n*** Add File: patched\n+the new line\n*** End Patch\n';
const long = `: ${'x'.repeat(1500)}; touch`;

/** One answer of the model with two calls, each of which needs an answer. */
async function twoCalls(options: Parameters<typeof served>[1] = {}): Promise<Served> {
  const scene: Served = await served(
    ({ index }) =>
      index > 0
        ? answer({ items: [say('Done.')] })
        : answer({
            items: [
              callTool('exec_command', {
                cmd: `${long} ${join(scene.place.workspace, 'touched')}`,
                sandbox_permissions: 'require_escalated',
                justification: 'May I?',
              }),
              { type: 'custom_tool_call', call_id: 'patching', name: 'apply_patch', input: patch },
            ],
          }),
    { config, ...options },
  );
  return scene;
}

function made({ place }: Served): readonly boolean[] {
  return ['touched', 'patched'].map((name) => existsSync(join(place.workspace, name)));
}

function questionsOf(result: JsonObject): readonly JsonObject[] {
  return (result['questions'] ?? []) as readonly JsonObject[];
}

it('a client that asks its user is asked both, each with all of its words', async () => {
  const scene = await twoCalls();
  const client = new TestClient(scene.app, () => ({ action: 'accept', content: { decision: 'approved' } }));
  expect(await client.data('thread_start', start)).toMatchObject({ status: 'completed' });
  expect(made(scene)).toEqual([true, true]);
  expect(client.asked).toHaveLength(2);
  const texts = client.asked.map(({ message }) => message).join('\n');
  expect(texts).toContain('+the new line');
  expect(texts).toContain(join(scene.place.workspace, 'touched'));
  expect(texts).not.toContain('not shown');
});

it('a client that cannot ask answers them one by one, in any order', async () => {
  const scene = await twoCalls();
  const client = new TestClient(scene.app);
  let result = await client.data('thread_start', start);
  const seen: string[] = [];
  while (result['status'] === 'waiting') {
    const question = questionsOf(result).at(-1)!;
    seen.push(String(question['kind']));
    const { thread_id } = result;
    result = await client.data('thread_answer', { thread_id, question_id: question['id'], decision: 'approved' });
  }
  expect(result).toMatchObject({ status: 'completed', message: 'Done.' });
  expect([seen.toSorted(), made(scene)]).toEqual([
    ['command', 'patch'],
    [true, true],
  ]);
});

it('a server that declines for its clients asks nothing, neither call runs, and the turn ends', async () => {
  const scene = await twoCalls({ onQuestion: 'decline' });
  const client = new TestClient(scene.app);
  expect(await client.data('thread_start', start)).toMatchObject({ status: 'completed' });
  expect(made(scene)).toEqual([false, false]);
  expect(client.typesOf('question_asked')).toEqual([]);
});

it('another server shows both with all of their words, and takes the answers in any order', async () => {
  const scene = await twoCalls();
  const client = new TestClient(scene.app);
  const { thread_id } = await client.data('thread_start', start);
  const { engine } = scene;
  const thread = engine.thread(thread_id as never)!;
  await vi.waitUntil(() => thread.questions.length === 2, { timeout: 30_000 });
  await thread.close();
  const questions = await engine.stored.questions(thread_id as never);
  expect(questions.map(({ kind }) => kind)).toEqual(['command', 'patch']);
  expect(questions[0]!.argv?.at(-1)).toBe(`${long} ${join(scene.place.workspace, 'touched')}`);
  const { signal } = new AbortController();
  let ended: Promise<unknown> | undefined;
  for (const { id } of questions.toReversed()) {
    const answered = await engine.answer(thread_id as never, id, { kind: 'allowed' }, { signal });
    expect(answered.kind).toBe('answered');
    if (answered.kind === 'answered') ended ??= answered.ended;
  }
  expect(await ended).toMatchObject({ kind: 'completed' });
  expect(made(scene)).toEqual([true, true]);
});
