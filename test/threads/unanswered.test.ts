import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { AskUser, JsonObject, Question, ThreadRequest } from '../../src/index.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { hasTerminals, onTerminal, pressUntilOver } from '../harness/terminal.ts';

const signal = new AbortController().signal;
const outside = (cmd: string) => callTool('exec_command', { cmd, sandbox_permissions: 'require_escalated' });
const done = answer({ items: [say('Done.')] });
const asks = 'approval_policy = "on-request"\n';

function answering(given: (question: Question) => ReturnType<AskUser['ask']>): Pick<ThreadRequest, 'askUser'> {
  return { askUser: { ask: (question) => given(question) } };
}

const allows = answering(() => Promise.resolve({ kind: 'allowed', scope: 'session' }));
const neverAnswers = answering(() => new Promise(() => {}));

/** A thread that was given up while its first turn waited for an answer. */
async function suspended(script: Script): Promise<LiveThread> {
  const live = await LiveThread.in(script, asks);
  const thread = await live.open({}, neverAnswers);
  const asked = new Promise<void>((resolve) => {
    live.onEvent = ({ kind }) => (kind === 'question-asked' ? resolve() : undefined);
  });
  const ended = live.turn('go');
  await asked;
  await live.close();
  expect(await ended).toMatchObject({ kind: 'suspended' });
  expect(thread.isSuspended).toBe(true);
  return live;
}

const print = 'touch made && echo made';

it('a thread that waits says so, and how to answer; without a prompt and without an answer it stays as it is', async () => {
  const live = await suspended([answer({ items: [outside(print)] }), done]);
  const { place, id } = live;
  const before = place.lines().length;
  const command = `capstan exec resume ${id} --approvals ask`;
  expect((await place.run('threads', 'list')).stdout).toContain(`waits for your answer: ${command}`);
  const shown = (await place.run('threads', 'show', id)).stdout;
  expect(shown).toContain('Waiting for your answer');
  expect(shown).toContain(`run ${print}. It would run outside the sandbox.`);
  const { questions } = JSON.parse((await place.run('threads', 'show', id, '--json')).stdout) as JsonObject;
  expect(questions).toMatchObject([{ tool: 'exec_command', kind: 'command', cwd: place.workspace }]);
  const resumed = await place.run('exec', 'resume', id);
  expect([resumed.code, resumed.stderr]).toEqual([1, expect.stringContaining('this program cannot ask')]);
  expect(resumed.stderr.split(command)).toHaveLength(2);
  expect(resumed.stderr).toContain(`Answer with \`${command}\``);
  expect(place.lines()).toHaveLength(before);
  expect((await place.run('threads', 'compact', id)).code).toBe(1);
  expect(place.lines()).toHaveLength(before);
});

it('a call that waits is shown behind the words before it as not run; a new prompt says what became of the question', async () => {
  const live = await suspended([answer({ items: [say('I will try it.'), outside(print)] }), done]);
  const { place, id } = live;
  const shown = (await place.run('threads', 'show', id)).stdout;
  const [words, call] = [shown.indexOf('> I will try it.'), shown.indexOf(`$ ${print}  [not run]`)];
  expect([words > 0, call > words]).toEqual([true, true]);
  const { code, stderr } = await place.run('exec', 'resume', id, 'Something else.');
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('A question of an earlier run was left without an answer.\n'),
  ]);
  expect(stderr).not.toMatch(/^ +no answer$/m);
  expect(existsSync(join(place.workspace, 'made'))).toBe(false);
});

it('a thread that another program asks about says where, and not how to answer it here', async () => {
  const live = await LiveThread.in([answer({ items: [outside(print)] }), done], asks);
  await live.open({}, neverAnswers);
  const ended = live.turn('go');
  await vi.waitUntil(() => live.events.some(({ kind }) => kind === 'question-asked'), { timeout: 30_000 });
  const { place, id } = live;
  const where = new RegExp(
    `waits for your answer in another program: capstan pid ${process.pid} since\\s+\\d{4}-\\d\\d-\\d\\d\\s+\\d\\d:\\d\\d\\n`,
  );
  for (const words of [['list'], ['show', id], ['search', 'go']]) {
    const { stdout } = await place.run('threads', ...words);
    expect(stdout).toMatch(where);
    expect(stdout).not.toContain('--approvals ask');
  }
  const listed = JSON.parse((await place.run('threads', 'list', '--json')).stdout) as { threads: JsonObject[] };
  expect(listed.threads).toMatchObject([{ writer: expect.stringContaining(`pid ${process.pid} `) }]);
  await live.close();
  await ended;
  expect((await place.run('threads', 'list')).stdout).toContain('--approvals ask');
});

it('exec resume without a prompt continues with an answer that was given, and says what is missing otherwise', async () => {
  const live = await suspended([answer({ items: [outside(print)] }), done]);
  const { place, id } = live;
  const [asked] = place.lines().filter(({ type }) => type === 'capstan_question');
  const { turn_id, call_id, about } = asked!.payload;
  const payload = { turn_id, call_id, about, answer: { kind: 'allowed' } };
  await live.rewrite((lines) => [...lines, live.sealed({ type: 'capstan_question', payload } as never)]);
  const resumed = await place.run('exec', 'resume', id);
  expect([resumed.code, resumed.stdout, resumed.stderr]).toEqual([0, 'Done.\n', expect.stringContaining(print)]);
  expect(existsSync(join(place.workspace, 'made'))).toBe(true);
  const again = await place.run('exec', 'resume', id);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is no prompt.')]);
  const list = (await place.run('threads', 'list')).stdout;
  expect(list).not.toContain('waits for your answer');
});

it.runIf(hasTerminals)('the printed command asks at the terminal, and continues the turn', async () => {
  const live = await suspended([answer({ items: [outside(print)] }), done]);
  const { place, id } = live;
  const command = /capstan (exec resume \S+ --approvals ask)/.exec((await place.run('threads', 'list')).stdout)?.[1];
  expect(command).toBe(`exec resume ${id} --approvals ask`);
  const env = { TERM: 'xterm' };
  const running = place.start(command!.split(' '), { prefix: onTerminal, input: 'open', env });
  await vi.waitUntil(() => running.stdout.includes('[y]'), { timeout: 30_000 });
  const { code, stdout } = await pressUntilOver(() => running.child.stdin?.write('y'), running.finished);
  expect([code, existsSync(join(place.workspace, 'made'))], stdout).toEqual([0, true]);
  expect(place.lines().filter(({ payload }) => payload['type'] === 'task_started')).toHaveLength(1);
});

it('is asked again by the next program that opens it, and undo names what ran outside the sandbox', async () => {
  const live = await suspended([answer({ items: [outside(print)] }), done]);
  const { place, id } = live;
  const thread = await live.open({}, allows);
  expect(live.notices.map(({ code }) => code)).toContain('turn-suspended');
  expect(await thread.continue({ signal })).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  await live.close();
  const restored = await place.run('threads', 'restore', id, '--before-turn', '1');
  expect(restored.stdout).toContain(`Ran outside the sandbox, so what it changed elsewhere stays: ${print}`);
  expect(existsSync(join(place.workspace, 'made'))).toBe(false);
});

it('what was allowed for the session holds in that thread: a fork asks, also after a rollback', async () => {
  const step = answer({ items: [outside('echo again')] });
  const more = Array.from({ length: 4 }, () => [step, done]).flat();
  const live = await LiveThread.in([step, done, done, ...more], asks);
  await live.open({}, allows);
  await live.turn('go');
  await live.turn('no call');
  await live.close();
  const engine = await live.engine();
  const asked: string[] = [];
  const noting = answering((question) => {
    asked.push(question.argv?.at(-1) ?? '');
    return Promise.resolve({ kind: 'declined' });
  });
  const goOn = async (opened: Awaited<ReturnType<typeof engine.fork>>) => {
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    await opened.thread.run({ input: { author: 'user', text: 'go on', images: [] }, signal });
    await opened.thread.close();
    return opened.thread.id;
  };
  const fork = await goOn(await engine.fork(live.id, { kind: 'latest' }, noting));
  expect(asked).toEqual(['echo again']);
  // To a place in the turns of the other thread, before the fork began.
  expect(await engine.stored.rollback(fork, { turns: 2 })).toMatchObject({ kind: 'rolled-back' });
  await goOn(await engine.resume(fork, noting));
  expect(asked).toEqual(['echo again', 'echo again']);
  await goOn(await engine.resume(live.id, noting));
  expect(asked).toHaveLength(2);
  await engine.close();
});

it('an imported thread brings neither questions nor what was allowed', async () => {
  const step = answer({ items: [outside('echo again')] });
  const live = await suspended([step, done, step, done]);
  const { place, id } = live;
  const thread = await live.open({}, allows);
  await thread.continue({ signal });
  expect(thread.state.grants).toHaveLength(1);
  await live.close();
  const [path] = place.rollouts();
  const copy = join(place.root, 'copy.jsonl');
  const lines = place.lines();
  const until = lines.findIndex(({ payload }) => payload['answer'] !== undefined);
  for (const some of [lines, lines.slice(0, until)]) {
    writeFileSync(copy, some.map((line) => `${JSON.stringify(line)}\n`).join(''));
    rmSync(path!, { force: true });
    expect((await place.run('threads', 'import', copy)).code).toBe(0);
    const imported = await live.open({}, allows);
    expect([imported.id, imported.isSuspended, imported.state.grants]).toEqual([id, false, []]);
    await live.close();
    for (const each of place.rollouts()) rmSync(each);
  }
});
