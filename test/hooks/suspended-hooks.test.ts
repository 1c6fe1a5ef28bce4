import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { AskUser, OwnTool, Question, ThreadRequest } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { hook, hookedScene } from './hooked-scene.ts';
import { withoutSandbox } from '../harness/scene.ts';

const signal = new AbortController().signal;
const done = answer({ items: [say('Done.')] });
const waiting = { timeout: 30_000, interval: 10 };
const never: AskUser = { ask: () => new Promise(() => {}) };

/** A thread that was given up while a call waited that a hook wants the user to decide about. */
async function suspended(call: ItemDraft, own: JsonObject, more: Partial<ThreadRequest> = {}) {
  const scene = await hookedScene(
    [answer({ items: [call] }), done],
    {},
    { config: `${withoutSandbox}approval_policy = "on-request"` },
  );
  const { live, keeps } = scene;
  const says = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', ...own } };
  const answerFile = join(live.place.home, 'answer.json');
  writeFileSync(answerFile, JSON.stringify(says));
  scene.write({
    PreToolUse: [hook(`${keeps('before.json')}; cat '${answerFile}'`)],
    PostToolUse: [hook(keeps('after.json'))],
    PermissionRequest: [hook(keeps('asked.json'))],
  });
  await live.open({}, { askUser: never, ...more });
  const ended = live.turn('go');
  await vi.waitUntil(() => live.thread.questions.length === 1 && live.told('question-asked').length === 1, waiting);
  const shown = live.told('question-asked')[0]!.question;
  await vi.waitUntil(() => live.told('hook-completed').some(({ run }) => run.event === 'PermissionRequest'), waiting);
  await live.close();
  expect(await ended).toMatchObject({ kind: 'suspended' });
  const engine = await live.engine();
  const [stored] = await engine.stored.questions(live.id);
  await engine.close();
  const asked: Question[] = [];
  const askUser: AskUser = {
    ask: async (question) => {
      asked.push(question);
      return { kind: 'allowed' };
    },
  };
  const resume = async (): Promise<string> => {
    const thread = await live.open({}, { ...more, askUser });
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    return live.rows(1).find(([kind]) => kind === 'output')?.[1] ?? '';
  };
  return { ...scene, shown, stored, asked, resume, answerFile };
}

const changed = 'A hook of the user changed this call before it ran. What ran: ';

it('a command that a hook changed is asked about and runs as it left it, in another process too, and hooks are not asked again', async () => {
  const call = callTool('exec_command', { cmd: 'echo model' });
  const scene = await suspended(call, { updatedInput: { command: 'echo hook' } });
  const { live, shown, stored, seen, resume, answerFile, asked } = scene;
  expect(stored).toEqual({ ...shown, commands: undefined, seen: undefined });
  expect(shown.argv?.at(-1)).toBe('echo hook');
  // The hook is not asked again, so its new answer does not count.
  writeFileSync(answerFile, '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}');
  const output = await resume();
  expect([output.startsWith(`${changed}echo hook\n`), output.trimEnd().endsWith('\nhook')]).toEqual([true, true]);
  expect(asked).toMatchObject([{ id: shown.id, argv: shown.argv }]);
  expect([seen('before.json').length, seen('after.json')]).toEqual([
    1,
    [expect.objectContaining({ tool_input: { command: 'echo hook' }, tool_response: 'hook\n' })],
  ]);
  // The question has no answer yet: who answers for the user is asked once more, about what would run.
  expect(seen('asked.json').map((each) => each['tool_input'])).toEqual([1, 2].map(() => ({ command: 'echo hook' })));
  const own = live.place.lines().find(({ payload }) => payload['type'] === 'function_call');
  expect(own?.payload['arguments']).toBe('{"cmd":"echo model"}');
});

it('the same with the tool of a program: lists and surfaces show the arguments that would run', async () => {
  const given: JsonObject[] = [];
  const send: OwnTool = {
    name: 'send',
    description: 'Sends.',
    parameters: { type: 'object' },
    run: (input) => {
      given.push(input);
      return 'sent';
    },
  };
  const updatedInput = { to: 'team', text: 'long '.repeat(500) };
  const call = callTool('send', { to: 'world' });
  const { shown, stored, resume, live } = await suspended(call, { updatedInput }, { tools: [send] });
  expect([shown.item['arguments'], stored?.item['arguments']]).toEqual([updatedInput, updatedInput]);
  const { stdout } = await live.place.run('threads', 'show', live.id, '--json');
  const { questions } = JSON.parse(stdout) as { questions: readonly Question[] };
  expect(questions[0]?.item['arguments']).toEqual(updatedInput);
  const resumed = await resume();
  expect([resumed.startsWith(`${changed}{"to":"team",`), resumed.endsWith('"}\nsent'), resumed.length < 1200]).toEqual([
    true,
    true,
    true,
  ]);
  expect(given).toEqual([updatedInput]);
});

it('a hook that only asks is not asked again either, and its question stands without it', async () => {
  const { resume, seen, asked, live } = await suspended(callTool('exec_command', { cmd: 'echo one' }), {});
  writeFileSync(join(live.place.home, 'hooks.json'), '{"hooks":{}}');
  expect((await resume()).trimEnd().endsWith('one')).toBe(true);
  expect([seen('before.json').length, asked.length]).toEqual([1, 1]);
});

it('a line that claims another change than was asked about lets nothing run', async () => {
  const call = callTool('exec_command', { cmd: 'echo model' });
  const { live, resume, asked } = await suspended(call, { updatedInput: { command: 'echo hook' } });
  const forged = { input: '{"cmd":"touch forged"}', asks: true };
  await live.rewrite((lines) =>
    lines.map((line) =>
      line.payload['hook'] === undefined ? line : { ...line, payload: { ...line.payload, hook: forged } },
    ),
  );
  expect(await resume()).toMatch(/^Not run: /);
  expect(asked).toEqual([]);
});

it('what a hook says for the model stands behind the answer, also when that comes in another process', async () => {
  const call = callTool('exec_command', { cmd: 'echo one' });
  const { resume, live } = await suspended(call, { additionalContext: 'Mind the gap.' });
  expect(
    live.place
      .lines()
      .filter(({ type }) => type === 'response_item')
      .at(-1)?.payload['type'],
  ).toBe('function_call');
  await resume();
  const rows = live.rows(1).slice(-3);
  expect(rows.map(([kind]) => kind)).toEqual(['call', 'output', 'developer']);
  expect(rows.at(-1)?.[1]).toContain('Mind the gap.');
  expect(live.rows(1).flat().join().split('Mind the gap.')).toHaveLength(2);
});
