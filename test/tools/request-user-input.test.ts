import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Json } from '../../src/protocol/json.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { toldScene } from '../harness/told-scene.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { served, TestClient } from '../mcp-tools/served.ts';

const gate = '[features]\ndefault_mode_request_user_input = true\n';
const database = {
  id: 'database',
  header: 'Database',
  question: 'Which database?',
  options: [
    { label: 'SQLite', description: 'One file.' },
    { label: 'Postgres', description: 'A server.' },
  ],
};
const tests = { ...database, id: 'tests', header: 'Tests', question: 'Write tests?' };
const asks = callTool('request_user_input', { questions: [database, tests] });
const done = answer({ items: [say('Done.')] });

const toolsOf = (live: LiveThread, request: number): readonly unknown[] =>
  (live.model.requests[request]!.body['tools'] as { name: string }[]).map(({ name }) => name);

describe('what the model wants to know', () => {
  it('is a question of its own kind, and the answers are the output', async () => {
    const answers: Answer[] = [{ kind: 'allowed', content: { database: 'Postgres', tests: ['yes', 'later'] } }];
    const scene = await toldScene({ config: gate, answers });
    const [output] = await scene.calls(asks);
    expect(JSON.parse(String(output))).toEqual({
      answers: { database: { answers: ['Postgres'] }, tests: { answers: ['yes', 'later'] } },
    });
    expect(scene.asked).toMatchObject([{ kind: 'input', input: [database, tests], scopes: ['call'] }]);
    // The call has the words, so the line of the question has not.
    const lines = scene.live.place.lines().filter(({ type }) => type === 'capstan_question');
    expect(lines.map(({ payload }) => [payload['kind'], payload['input']])).toEqual([
      ['input', undefined],
      [undefined, undefined],
    ]);
  });

  it('is asked under every approval policy, and never of a reviewer', async () => {
    for (const policy of ['approval_policy = "never"', 'approvals_reviewer = "auto_review"']) {
      const scene = await toldScene({ config: `${policy}\n${gate}`, answers: [{ kind: 'allowed' }] });
      const [output] = await scene.calls(asks);
      expect(JSON.parse(String(output))).toMatchObject({ answers: { database: { answers: ['SQLite'] } } });
      expect(scene.asked).toHaveLength(1);
    }
  });

  it.each<[Answer, string]>([
    [
      { kind: 'declined', note: 'Ask later.' },
      'The user declined to answer. Decide yourself, and say in your answer what you assumed. The user says: Ask later.',
    ],
    [
      { kind: 'declined', by: 'default' },
      'No answer was prepared for this run. Decide yourself, and say in your answer what you assumed.',
    ],
    [{ kind: 'lapsed' }, 'request_user_input was cancelled before receiving a response'],
  ])('without an answer the model reads that (%o)', async (given, said) => {
    const scene = await toldScene({ config: gate, answers: [given] });
    expect(await scene.calls(asks)).toEqual([said]);
  });

  it('needs questions with ids, texts and options', async () => {
    const scene = await toldScene({ config: gate, answers: [] });
    const call = (questions: Json) => callTool('request_user_input', { questions });
    const outputs = await scene.calls(
      call([]),
      call([{ ...database, options: [] }]),
      call([database, database]),
      call([{ ...database, question: 'x'.repeat(9000) }]),
    );
    expect(outputs.every((output) => output.startsWith('The arguments were not accepted'))).toBe(true);
    expect(scene.asked).toEqual([]);
  });

  it('is a tool of plan mode, of the gate, and of surfaces with a user', async () => {
    const live = await LiveThread.in([done, done, done, done]);
    const askUser: AskUser = { ask: () => Promise.resolve({ kind: 'declined' }) };
    const thread = await live.open({}, { askUser });
    await live.turn('default');
    await thread.overrideTurnContext({ collaboration: { mode: 'plan' } });
    await live.turn('plan');
    await live.open();
    await live.turn('no user');
    expect([0, 1, 2].map((request) => toolsOf(live, request).includes('request_user_input'))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('waits for the next process, which asks again with the same words', async () => {
    const live = await LiveThread.in([answer({ items: [asks] }), done], gate);
    const asked = Promise.withResolvers<void>();
    await live.open({}, { askUser: { ask: () => (asked.resolve(), new Promise<Answer>(() => {})) } });
    const ended = live.turn('go');
    await asked.promise;
    await live.close();
    expect(await ended).toMatchObject({ kind: 'suspended' });
    const again: Question[] = [];
    const thread = await live.open(
      {},
      { askUser: keeping(again, { kind: 'allowed', content: { database: 'other' } }) },
    );
    expect(thread.questions).toMatchObject([{ kind: 'input', input: [database, tests] }]);
    expect(await thread.continue({ signal: new AbortController().signal })).toMatchObject({ kind: 'completed' });
    expect(again).toMatchObject([{ kind: 'input', input: [database, tests] }]);
    const output = textsOf(inputOf(live.model, 1)).at(-1);
    expect(JSON.parse(String(output))).toEqual({
      answers: { database: { answers: ['other'] }, tests: { answers: [] } },
    });
  });
});

function keeping(asked: Question[], given: Answer): AskUser {
  return { ask: (question) => (asked.push(question), Promise.resolve(given)) };
}

it('a file answers by the ids of the questions', async () => {
  const live = await LiveThread.in([answer({ items: [asks] }), done], gate);
  const file = join(live.place.root, 'answers.jsonl');
  writeFileSync(file, '{"kind":"input","decision":"approved","answers":{"database":"Postgres"}}\n');
  const { code, stderr } = await live.place.run('exec', '--approvals', file, 'go');
  expect([code, stderr]).toEqual([0, expect.stringContaining('> Database: Which database?')]);
  expect(textsOf(inputOf(live.model, 1)).at(-1)).toBe(
    '{"answers":{"database":{"answers":["Postgres"]},"tests":{"answers":[]}}}',
  );
});

it('a host of the MCP server shows a form, with a choice and a line for other words', async () => {
  const { app, model } = await served([answer({ items: [asks] }), done], { config: gate });
  const client = new TestClient(app, () => ({
    action: 'accept',
    content: { database: 'SQLite', tests__other: 'only slow ones' },
  }));
  expect(await client.data('thread_start', { prompt: 'go' })).toMatchObject({ status: 'completed' });
  expect(client.asked[0]?.schema['properties']).toMatchObject({
    database: { title: 'Database', enum: ['SQLite', 'Postgres'] },
    database__other: { type: 'string' },
    tests: {},
    tests__other: {},
  });
  expect(textsOf(inputOf(model, 1)).at(-1)).toBe(
    '{"answers":{"database":{"answers":["SQLite"]},"tests":{"answers":["only slow ones"]}}}',
  );
});

it('a model of a host answers with thread_answer', async () => {
  const { app, model } = await served([answer({ items: [asks] }), done], { config: gate });
  const client = new TestClient(app);
  const waiting = await client.data('thread_start', { prompt: 'go' });
  const [question] = waiting['questions'] as { id: string; input: unknown }[];
  expect(question?.input).toEqual([database, tests]);
  await client.data('thread_answer', {
    thread_id: waiting['thread_id'],
    question_id: question!.id,
    decision: 'approved',
    answers: { database: 'Postgres', tests: 'yes' },
  });
  expect(textsOf(inputOf(model, 1)).at(-1)).toContain('"answers":["Postgres"]');
});
