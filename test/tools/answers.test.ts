import { describe, expect, it } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer } from '../../src/protocol/question.ts';
import { memorySeals } from '../harness/memory-seals.ts';
import { answeringCommands, needyScene } from '../harness/needy-scene.ts';
import { escalating } from '../harness/needy-tools.ts';
import { calls, done, typesOf, waiting } from '../harness/waiting-turn.ts';

describe('an answer', () => {
  it('may come from a caller of the thread, and is durable when the caller hears of it', async () => {
    const { live, tool, ended } = await waiting([calls('a'), done]);
    const thread = live.live!;
    expect(await thread.answer('none', { kind: 'allowed' })).toMatchObject({ outcome: { code: 'question-unknown' } });
    expect(await thread.answer(thread.questions[0]!.callId, { kind: 'sure' } as never)).toMatchObject({
      outcome: { code: 'odd-input' },
    });
    expect(await thread.answer(thread.questions[0]!.callId, { kind: 'allowed' })).toEqual({ kind: 'answered' });
    expect(typesOf(await live.lines())).toContain('answer');
    expect(await ended).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled']);
  });

  it('may be given by a subscriber, in the event that shows the question, and then no one else is asked', async () => {
    const tool = escalating();
    const asking = answeringCommands(() => new Promise<Answer>(() => {}));
    const { live, turn } = await needyScene([calls('a'), done], () => [tool], asking);
    live.settings = { approval: 'on-request' };
    const given: Promise<unknown>[] = [];
    live.onEvent = (event) => {
      if (event.kind === 'question-asked') given.push(live.live!.answer(event.question.callId, { kind: 'allowed' }));
    };
    expect(await turn('go')).toMatchObject({ kind: 'completed' });
    expect(await Promise.all(given)).toEqual([{ kind: 'answered' }]);
    expect([tool.ran, asking.asked]).toEqual([['a disabled'], []]);
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
  live.settings = { approval: 'on-request' };
  expect(await turn('go')).toMatchObject({ kind: 'completed' });
  // No rule was offered, so none is saved.
  expect([saved, tool.ran]).toEqual([[], ['a disabled']]);
});
