import { describe, expect, it } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import type { Thread } from '../../src/engine/thread/thread.ts';
import { memorySeals } from '../harness/memory-seals.ts';
import { answeringCommands, needyScene } from '../harness/needy-scene.ts';
import { escalating, stoppedOnce } from '../harness/needy-tools.ts';
import { calls, done, typesOf, waiting } from '../harness/waiting-turn.ts';

/** The ids of the questions, once there are so many. */
async function idsOf(thread: Thread, count: number): Promise<readonly string[]> {
  while (thread.questions.length < count) await new Promise((resolve) => setImmediate(resolve));
  return thread.questions.map(({ id }) => id);
}

describe('an answer', () => {
  it('may come from a caller of the thread, and is durable when the caller hears of it', async () => {
    const { live, tool, ended } = await waiting([calls('a'), done]);
    const thread = live.live!;
    expect(await thread.answer('none', { kind: 'allowed' })).toMatchObject({ outcome: { code: 'question-unknown' } });
    expect(await thread.answer(thread.questions[0]!.id, { kind: 'sure' } as never)).toMatchObject({
      outcome: { code: 'odd-input' },
    });
    expect(await thread.answer(thread.questions[0]!.id, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(typesOf(await live.lines())).toContain('answer');
    expect(await ended).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled']);
  });

  it('may be given by a subscriber, in the event that shows the question, and then no one else is asked', async () => {
    const tool = escalating();
    const asking = answeringCommands(() => new Promise<Answer>(() => {}));
    const { live, turn } = await needyScene([calls('a'), done], () => [tool], asking);
    live.settings = { approvals: 'on-request' };
    const given: Promise<unknown>[] = [];
    live.onEvent = (event) => {
      if (event.kind === 'question-asked') given.push(live.live!.answer(event.question.id, { kind: 'allowed' }));
    };
    expect(await turn('go')).toMatchObject({ kind: 'completed' });
    expect(await Promise.all(given)).toEqual([{ kind: 'answered' }]);
    expect([tool.ran, asking.asked]).toEqual([['a disabled'], []]);
  });

  it('counts once: a later one is refused, also when the same call is asked about again', async () => {
    const asked: Question[] = [];
    const asking: AskUser = { ask: (question) => (asked.push(question), new Promise<Answer>(() => {})) };
    const { live, turn } = await needyScene([calls('a'), done], () => [stoppedOnce()], asking);
    live.settings = { approvals: 'untrusted' };
    const ended = turn('go');
    const next = async (): Promise<Question> => {
      const { length } = asked;
      while (asked.length === length) await new Promise((resolve) => setImmediate(resolve));
      return asked.at(-1)!;
    };
    const first = await next();
    const thread = live.live!;
    const given = [thread.answer(first.id, { kind: 'allowed' }), thread.answer(first.id, { kind: 'declined' })];
    const second = await next();
    expect(await Promise.all(given)).toMatchObject([{ kind: 'answered' }, { outcome: { code: 'question-answered' } }]);
    expect([first.kind, second.kind, second.callId]).toEqual(['command', 'retry', first.callId]);
    const late = await thread.answer(first.id, { kind: 'allowed' });
    expect(late).toMatchObject({ kind: 'refused', outcome: { code: 'question-answered' } });
    expect(thread.questions.map(({ id }) => id)).toEqual([second.id]);
    expect(await thread.answer(second.id, { kind: 'declined' })).toEqual({ kind: 'answered' });
    expect(await ended).toMatchObject({ kind: 'completed' });
    expect(await thread.answer(second.id, { kind: 'allowed' })).toMatchObject({
      outcome: { code: 'question-unknown' },
    });
  });

  it('to a question that waits for another one is durable at once, and used when its turn comes', async () => {
    const { live, tool, ended, asking } = await waiting([calls('a', 'b', 'c'), done]);
    const thread = live.live!;
    const [a, b, c] = await idsOf(thread, 3);
    expect(await thread.answer(c!, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(await thread.answer(b!, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(typesOf(await live.lines()).filter((type) => type === 'answer')).toHaveLength(2);
    expect([thread.questions.map(({ id }) => id), tool.ran]).toEqual([[a], []]);
    expect(await thread.answer(b!, { kind: 'declined' })).toMatchObject({ outcome: { code: 'question-answered' } });
    expect(await thread.answer(a!, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(await ended).toMatchObject({ kind: 'completed' });
    expect([tool.ran, asking.asked]).toEqual([['a disabled', 'b disabled', 'c disabled'], ['a']]);
  });

  it('that came before its turn is used by the next process, and no one is asked again', async () => {
    const { live, tool, resume } = await waiting([calls('a', 'b', 'c'), done]);
    const [, b, c] = await idsOf(live.live!, 3);
    expect(await live.live!.answer(b!, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(await live.live!.answer(c!, { kind: 'declined' })).toEqual({ kind: 'answered' });
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    await resume(again);
    const thread = await live.open();
    expect(await thread.continue({ signal: new AbortController().signal })).toMatchObject({ kind: 'completed' });
    expect([tool.ran, again.asked]).toEqual([['a disabled', 'b disabled'], ['a']]);
  });

  it('to a question of a suspended turn may come in any order', async () => {
    const { live, tool, resume } = await waiting([calls('a', 'b', 'c'), done]);
    await idsOf(live.live!, 3);
    // The line of the last question is durable.
    await live.live!.inject({ type: 'message', role: 'user', content: [] });
    await resume({ ask: () => new Promise(() => {}) });
    const thread = await live.open();
    const ids = await idsOf(thread, 3);
    const ended = thread.continue({ signal: new AbortController().signal });
    for (const id of ids.toReversed())
      expect(await thread.answer(id, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(await ended).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled', 'b disabled', 'c disabled']);
  });

  it('to a question that the turn does not come to is kept, and its call does not run', async () => {
    const { live, tool, ended } = await waiting([calls('a', 'b'), done]);
    const thread = live.live!;
    const [a, b] = await idsOf(thread, 2);
    expect(await thread.answer(b!, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    await thread.answer(a!, { kind: 'stopped' });
    expect([await ended, tool.ran]).toEqual([{ kind: 'aborted' }, []]);
    expect(JSON.stringify(await live.lines())).toContain('interrupted before the call began');
  });

  it('that stops does so at once, also before its turn', async () => {
    const { live, tool, ended } = await waiting([calls('a', 'b'), done]);
    const thread = live.live!;
    const [, b] = await idsOf(thread, 2);
    expect(await thread.answer(b!, { kind: 'stopped' })).toEqual({ kind: 'answered' });
    expect([await ended, tool.ran]).toEqual([{ kind: 'aborted' }, []]);
  });

  it('to an earlier question may decide a later one, which everyone is told', async () => {
    const { live, tool, ended } = await waiting([calls('a', 'a'), done]);
    const thread = live.live!;
    const [first, second] = await idsOf(thread, 2);
    await thread.answer(first!, { kind: 'allowed', scope: 'session' });
    await ended;
    expect(tool.ran).toEqual(['a disabled', 'a disabled']);
    const told = live.events.flatMap((event) => {
      if (event.kind === 'question-asked') return [`asked ${event.question.id}`];
      return event.kind === 'question-answered' ? [`${event.answer.kind} ${event.id}`] : [];
    });
    expect(told).toEqual([`asked ${first}`, `asked ${second}`, `allowed ${first}`, `allowed ${second}`]);
  });

  it('that stops ends the turn as interrupted', async () => {
    const { live, tool, ended } = await waiting([calls('a', 'b'), done], (cmd) => ({
      kind: cmd === 'a' ? 'stopped' : 'allowed',
    }));
    expect(await ended).toEqual({ kind: 'aborted' });
    expect(tool.ran).toEqual([]);
    const answers = live.events.flatMap((event) => (event.kind === 'question-answered' ? [event.answer.kind] : []));
    expect(answers).toEqual(['stopped', 'lapsed']);
    expect(JSON.stringify(await live.lines())).toContain('the user declined it and stopped the turn');
    // The second one was not put to the user.
    expect(JSON.stringify(await live.lines())).toContain('interrupted before the user could be asked');
  });

  it('of a form that is not known is none', async () => {
    const { tool, ended } = await waiting([calls('a'), done], () => ({ kind: 'allowed', scope: 'always' }) as never);
    expect(await ended).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual([]);
  });

  it('is asked for one call at a time, while other calls go on', async () => {
    const asked: string[] = [];
    const gates = new Map(['a', 'b', 'c'].map((cmd) => [cmd, Promise.withResolvers<Answer>()]));
    const { tool, ended } = await waiting([calls('a', 'plain x', 'b', 'c'), done], (cmd) => {
      asked.push(cmd);
      return gates.get(cmd)!.promise;
    });
    while (tool.ran.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect([asked, tool.ran]).toEqual([['a'], ['plain x managed']]);
    for (const cmd of ['a', 'b', 'c']) {
      gates.get(cmd)!.resolve({ kind: 'allowed' });
      while (!tool.ran.includes(`${cmd} disabled`)) await new Promise((resolve) => setImmediate(resolve));
      expect(asked.at(-1)).toBe(cmd === 'a' ? 'b' : 'c');
    }
    await ended;
  });
});

describe('an answer for the session', () => {
  const session = (): Answer => ({ kind: 'allowed', scope: 'session' });

  it('covers the same command from then on, in this process and the next', async () => {
    const { live, resume, tool, turn, asking, ended } = await waiting(
      [calls('a', 'a'), done, calls('a', 'b'), done, calls('a'), done],
      session,
    );
    await ended;
    expect([asking.asked, tool.ran]).toEqual([['a'], ['a disabled', 'a disabled']]);
    await turn('again');
    expect(asking.asked).toEqual(['a', 'b']);
    const again = answeringCommands(() => ({ kind: 'declined' }));
    await resume(again);
    await turn('and again');
    expect(again.asked).toEqual([]);
    expect(live.live!.state.grants).toHaveLength(2);
  });

  it('ends with a rollback of the turn that gave it', async () => {
    const { live, turn, ended, asking } = await waiting([calls('a'), done, calls('a'), done], session);
    await ended;
    await live.write([{ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } }]);
    await turn('again');
    expect(asking.asked).toEqual(['a', 'a']);
  });

  it('does not count where nothing proves that this home wrote it', async () => {
    const { live, turn, ended, asking } = await waiting([calls('a'), done, calls('a'), done], session);
    await ended;
    live.adapt = ((adapt) => (parts) => ({ ...adapt(parts), seals: memorySeals('another home') }))(live.adapt);
    await live.close();
    await turn('again');
    expect(asking.asked).toEqual(['a', 'a']);
    expect((await live.lines()).filter(({ payload }) => payload['dropped'] === 'unproven')).toHaveLength(1);
  });
});

it('a scope that was not offered counts for the call alone', async () => {
  const saved: unknown[] = [];
  const outcome = { code: 'rule-not-saved', message: 'No space.', next: '' };
  const tool = escalating();
  const { live, turn } = await needyScene([calls('a'), done], () => [tool]);
  const { adapt } = live;
  const ask: AskUser = { ask: () => Promise.resolve({ kind: 'allowed', scope: 'rule' }) };
  const ruleBook = {
    save: (rule: unknown) => {
      saved.push(rule);
      return Promise.resolve(outcome);
    },
  };
  live.adapt = (parts) => ({ ...adapt(parts), askUser: ask, ruleBook });
  live.settings = { approvals: 'on-request' };
  expect(await turn('go')).toMatchObject({ kind: 'completed' });
  // No rule was offered, so none is saved.
  expect([saved, tool.ran]).toEqual([[], ['a disabled']]);
});
