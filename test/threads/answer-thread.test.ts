import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { AskUser, Engine, Question } from '../../src/index.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const signal = new AbortController().signal;
const yes = { kind: 'allowed' } as const;
const outside = (cmd: string) => callTool('exec_command', { cmd, sandbox_permissions: 'require_escalated' });
const step = (...commands: readonly string[]) => answer({ items: commands.map(outside) });
const done = answer({ items: [say('Done.')] });
const never: AskUser = { ask: () => new Promise(() => {}) };

interface Suspended {
  readonly live: LiveThread;
  /** The engine of another program, which does not have the thread open. */
  readonly engine: Engine;
  readonly questions: readonly Question[];
  made(name: string): boolean;
}

/** A thread that was given up while its first turn waited for answers. */
async function suspended(script: Script, count = 1): Promise<Suspended> {
  const live = await LiveThread.in(script, 'approval_policy = "on-request"\n');
  await live.open({}, { askUser: never });
  const ended = live.turn('go');
  await vi.waitUntil(() => live.thread.questions.length === count && live.events.some(isAsked), { timeout: 30_000 });
  await live.close();
  expect(await ended).toMatchObject({ kind: 'suspended' });
  const engine = await live.engine();
  const questions = await engine.stored.questions(live.id);
  return { live, engine, questions, made: (name) => existsSync(join(live.place.workspace, name)) };
}

function isAsked({ kind }: { readonly kind: string }): boolean {
  return kind === 'question-asked';
}

it('an answer opens a suspended thread, is durable, and its turn goes on', async () => {
  const { live, engine, questions, made } = await suspended([step('touch made'), done]);
  const { id } = questions[0]!;
  const answered = await engine.answer(live.id, id, yes, { signal });
  if (answered.kind !== 'answered') throw new Error(answered.outcome.message);
  expect(live.place.lines().filter(({ payload }) => payload['answer'] !== undefined)).toHaveLength(1);
  expect(engine.thread(live.id)).toBe(answered.thread);
  expect(await answered.ended).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  expect(made('made')).toBe(true);
  const late = await engine.answer(live.id, id, yes, { signal });
  expect(late).toMatchObject({ kind: 'refused', outcome: { code: 'question-unknown' } });
  await engine.close();
});

it('answers that come together open the thread once, in any order', async () => {
  const { live, engine, questions, made } = await suspended([step('touch a', 'touch b', 'touch c'), done], 3);
  const [a, b, c] = questions.map(({ id }) => id);
  const give = (id: string, kind: 'allowed' | 'declined') => engine.answer(live.id, id, { kind }, { signal });
  const both = Promise.all([give(b!, 'declined'), give(a!, 'allowed')]);
  expect((await both).map(({ kind }) => kind)).toEqual(['answered', 'answered']);
  const thread = engine.thread(live.id)!;
  // The third waits for its own answer.
  expect(thread.questions.map(({ id }) => id)).toEqual([c]);
  expect(await give(b!, 'allowed')).toMatchObject({ outcome: { code: 'question-answered' } });
  expect(await give(c!, 'allowed')).toMatchObject({ kind: 'answered' });
  const first = (await both).find((each) => each.kind === 'answered' && each.ended !== undefined);
  expect(first?.kind === 'answered' && (await first.ended)).toMatchObject({ kind: 'completed' });
  expect(['a', 'b', 'c'].map(made)).toEqual([true, false, true]);
  await engine.close();
});

it('an answer to what is not asked does not disturb one that comes with it', async () => {
  const { live, engine, questions, made } = await suspended([step('touch made'), done]);
  const [wrong, right] = await Promise.all(
    ['other', questions[0]!.id].map((id) => engine.answer(live.id, id, yes, { signal })),
  );
  expect([wrong, right]).toMatchObject([{ outcome: { code: 'question-unknown' } }, { kind: 'answered' }]);
  expect(right?.kind === 'answered' && (await right.ended)).toMatchObject({ kind: 'completed' });
  expect(made('made')).toBe(true);
  await engine.close();
});

it('an answer for the session counts as such', async () => {
  const { live, engine, questions } = await suspended([step('touch made'), done]);
  const session = { kind: 'allowed', scope: 'session' } as const;
  const answered = await engine.answer(live.id, questions[0]!.id, session, { signal });
  if (answered.kind !== 'answered') throw new Error(answered.outcome.message);
  await answered.ended;
  expect(answered.thread.state.grants).toHaveLength(1);
  await engine.close();
});

it('a question that the policy no longer allows lapses, and the turn goes on without the call', async () => {
  const { live, engine, questions, made } = await suspended([step('touch made'), done]);
  const overrides = ['approval_policy="never"'];
  const answered = await engine.answer(live.id, questions[0]!.id, yes, { config: overrides, signal });
  expect(answered).toMatchObject({ kind: 'lapsed', outcome: { code: 'question-answered' } });
  expect(answered.kind === 'lapsed' && (await answered.ended)).toMatchObject({ kind: 'completed' });
  expect(made('made')).toBe(false);
  await engine.close();
});

it('what is not asked, or is no answer, leaves the thread as it is, and closed', async () => {
  const { live, engine, questions } = await suspended([step('touch made'), done]);
  const before = live.place.lines().length;
  const { id } = questions[0]!;
  expect(await engine.answer(live.id, 'other', yes, { signal })).toMatchObject({
    kind: 'refused',
    outcome: { code: 'question-unknown' },
  });
  const odd = await engine.answer(live.id, id, { kind: 'sure' } as never, { signal });
  expect(odd).toMatchObject({ kind: 'refused', outcome: { code: 'odd-input' } });
  expect([engine.threads, live.place.lines().length]).toEqual([[], before]);
  expect(await engine.stored.questions(live.id)).toHaveLength(1);
  await engine.close();
});

it('a turn whose policy is neither wider nor narrower than the current one is not continued', async () => {
  const { live, engine, questions } = await suspended([step('touch made'), done]);
  const entries = [
    { path: { type: 'path', path: '/' }, access: 'read' },
    { path: { type: 'path', path: '/opt' }, access: 'write' },
  ] as const;
  const fileSystem = { type: 'restricted', entries } as const;
  const permissionProfile = { type: 'managed', file_system: fileSystem, network: 'restricted' } as const;
  const refused = await engine.answer(live.id, questions[0]!.id, yes, { sandbox: permissionProfile, signal });
  expect(refused).toMatchObject({ kind: 'refused', outcome: { code: 'policy-changed' } });
  expect([engine.threads, (await engine.stored.questions(live.id)).length]).toEqual([[], 1]);
  await engine.close();
});

it('a thread that another program writes is left to it, and named', async () => {
  const { live, engine, questions } = await suspended([step('touch made'), done]);
  const other = await live.engine();
  const held = await other.resume(live.id, { askUser: never });
  expect(held.kind).toBe('opened');
  const refused = await engine.answer(live.id, questions[0]!.id, yes, { signal });
  expect(refused).toMatchObject({ kind: 'refused', outcome: { code: 'thread-locked' } });
  expect(refused.kind === 'refused' && refused.outcome.message).toContain(String(process.pid));
  // The program that has it answers there.
  expect(await other.answer(live.id, questions[0]!.id, yes, { signal })).toMatchObject({ kind: 'answered' });
  await other.close();
  await engine.close();
});
