import { describe, expect, it } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer } from '../../src/protocol/question.ts';
import type { Line } from '../../src/protocol/line.ts';
import type { LineDraft } from '../../src/protocol/line.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { isSuspended } from '../../src/state/questions.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import type { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { Tool } from '../../src/tools/define.ts';
import { createRouter } from '../../src/tools/router.ts';
import { memorySeals } from '../harness/memory-seals.ts';
import { answeringCommands, escalating, needyScene, type NeedyScene } from '../harness/needy-scene.ts';
import { inputOf, textsOf } from '../harness/scene.ts';

const never = new Promise<Answer>(() => {});
const signal = new AbortController().signal;
const calls = (...commands: readonly string[]) =>
  answer({
    items: commands.map((cmd) => callTool('reach', { cmd, ...(cmd.startsWith('plain') ? { plain: true } : {}) })),
  });
const done = answer({ items: [say('Done.')] });

interface Waiting extends NeedyScene {
  readonly tool: ReturnType<typeof escalating>;
  /** How the first turn ends. */
  readonly ended: Promise<unknown>;
  /** The process is killed. Whom the next one asks, and with which tool. */
  resume(askUser: AskUser | undefined, tool?: Tool): Promise<void>;
  /** The waiting question is answered, and the process is killed when it says that this happened. No one is asked then. */
  resumeFrom(moment: ThreadEvent['kind'], given: Answer): Promise<boolean>;
  readonly asking: AskUser & { readonly asked: readonly string[] };
}

/** A thread whose first turn waits for its first answer, unless other answers are given. */
async function waiting(
  script: Script,
  answerTo: (cmd: string) => Answer | Promise<Answer> = () => never,
): Promise<Waiting> {
  const tool = escalating();
  const asking = answeringCommands(answerTo);
  const made = await needyScene(script, () => [tool], asking);
  const { live, disk } = made;
  const { adapt } = live;
  live.settings = { approval: 'on-request' };
  const asked = new Promise<void>((resolve) => {
    live.onEvent = ({ kind }) => (kind === 'question-asked' ? resolve() : undefined);
  });
  const ended = made.turn('go').catch(() => undefined);
  await asked;
  const goOn = (survivor: SimulatedDisk, askUser: AskUser | undefined, other: Tool): void => {
    live.replaceDisk({ home: '/home', files: survivor, locks: survivor.locks });
    live.adapt = (parts) => {
      const { askUser: _none, ...rest } = adapt(parts);
      const tools = { router: createRouter([() => [other]]) };
      return { ...rest, ...tools, ...(askUser === undefined ? {} : { askUser }) };
    };
  };
  const resume = (askUser: AskUser | undefined, other: Tool = tool): Promise<void> => {
    goOn(disk.kill(), askUser, other);
    return Promise.resolve();
  };
  const resumeFrom = async (moment: ThreadEvent['kind'], given: Answer): Promise<boolean> => {
    let survivor: SimulatedDisk | undefined;
    live.onEvent = ({ kind }) => {
      if (kind === moment) survivor ??= disk.kill();
    };
    const thread = live.live!;
    await thread.answer(thread.questions[0]!.callId, given);
    await ended;
    if (survivor !== undefined) goOn(survivor, undefined, tool);
    return survivor !== undefined;
  };
  return { ...made, tool, ended, resume, resumeFrom, asking };
}

function typesOf(lines: readonly Line[], callId?: string): readonly string[] {
  return lines
    .filter(({ payload }) => callId === undefined || payload['call_id'] === callId)
    .map(({ type, payload }) => {
      if (type === 'capstan_question') return payload['answer'] === undefined ? 'question' : 'answer';
      return type === 'response_item' ? String(payload['type']) : type;
    });
}

describe('a turn whose process was killed while it waited', () => {
  it('is asked again, and goes on with the call and to the model', async () => {
    const { live, model, resume, tool } = await waiting([calls('a'), done]);
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    await resume(again);
    const thread = await live.open();
    expect(thread.questions).toMatchObject([{ tool: 'reach', argv: ['sh', '-c', 'a'], justification: 'why not' }]);
    const turnId = thread.state.openTurn?.id;
    expect(await thread.continue({ signal })).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(again.asked).toEqual(['a']);
    expect(tool.ran).toEqual(['a disabled']);
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('did a');
    const lines = await live.lines();
    const callId = String(lines.find(({ payload }) => payload['type'] === 'function_call')?.payload['call_id']);
    expect(typesOf(lines, callId)).toEqual([
      'function_call',
      'question',
      'answer',
      'capstan_call',
      'function_call_output',
    ]);
    expect(lines.find(({ type }) => type === 'capstan_call')?.payload).toMatchObject({ outside: true });
    const ends = lines.filter(({ payload }) => payload['type'] === 'task_complete');
    expect(ends.map(({ payload }) => payload['turn_id'])).toEqual([turnId]);
    expect(lines.filter(({ payload }) => payload['type'] === 'task_started')).toHaveLength(1);
  });

  it('stays as it is where there is no one to ask', async () => {
    const { live, resume, tool } = await waiting([calls('a'), done]);
    await resume(undefined);
    const thread = await live.open();
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'refused', outcome: { code: 'no-one-to-ask' } });
    expect(thread.questions).toHaveLength(1);
    expect(tool.ran).toEqual([]);
  });

  it('is closed by a new prompt, as lapsed', async () => {
    const { live, model, resume, tool, turn } = await waiting([calls('a'), done]);
    await resume(answeringCommands(() => ({ kind: 'allowed' })));
    expect(await turn('never mind')).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual([]);
    expect(textsOf(inputOf(model, 1))).toContain(
      'Not run: the program ended before the user answered whether it may run.',
    );
    expect(live.live!.questions).toEqual([]);
    expect((await live.lines()).filter(({ type }) => type === 'capstan_question').at(-1)?.payload).toMatchObject({
      answer: { kind: 'lapsed' },
    });
    expect(await live.live!.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
  });

  it('asks about each call in order, and does not repeat what has ended', async () => {
    const { live, model, resume, tool, asking } = await waiting([calls('plain x', 'a', 'b'), done]);
    while (!tool.ran.includes('plain x managed')) await new Promise((resolve) => setImmediate(resolve));
    await live.live!.inject({ type: 'message', role: 'user', content: [] });
    expect(asking.asked).toEqual(['a']);
    const again = answeringCommands((cmd) => ({ kind: cmd === 'a' ? 'declined' : 'allowed' }));
    await resume(again);
    const thread = await live.open();
    expect(thread.questions.map(({ argv }) => argv?.at(-1))).toEqual(['a', 'b']);
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(again.asked).toEqual(['a', 'b']);
    expect(tool.ran.toSorted()).toEqual(['b disabled', 'plain x managed']);
    const texts = textsOf(inputOf(model, 1));
    expect(texts).toEqual(expect.arrayContaining(['Not run: the user declined it.', 'did b']));
  });

  it('uses an answer that no call has used, once and without asking', async () => {
    const { live, model, tool, turn, resumeFrom } = await waiting([calls('a'), done, done]);
    const survivor = await resumeFrom('question-answered', { kind: 'allowed' });
    tool.ran.length = 0;
    const thread = await live.open();
    expect(survivor).toBe(true);
    expect([thread.questions, isSuspended(thread.state)]).toEqual([[], true]);
    // No one can be asked, and no one needs to be.
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled']);
    expect(await thread.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
    await turn('next');
    expect(tool.ran).toEqual(['a disabled']);
    expect(textsOf(inputOf(model, model.requests.length - 1)).filter((text) => text === 'did a')).toHaveLength(1);
  });

  it('keeps to an answer that was a no', async () => {
    const { live, model, tool, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('question-answered', { kind: 'declined', note: 'Not today.' });
    const before = model.requests.length;
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual([]);
    expect(textsOf(inputOf(model, before)).at(-1)).toBe('Not run: the user declined it. Not today.');
  });

  it('has an unknown outcome once its call has begun', async () => {
    const { live, model, tool, turn, resumeFrom } = await waiting([calls('a'), done, done]);
    await resumeFrom('item-started', { kind: 'allowed' });
    tool.ran.length = 0;
    const thread = await live.open();
    expect(await thread.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
    await turn('next');
    expect(tool.ran).toEqual([]);
    expect(textsOf(inputOf(model, model.requests.length - 1)).join()).toContain('Outcome unknown');
  });

  it('lapses where the call no longer gives the same question', async () => {
    const { live, model, resume, tool } = await waiting([calls('a'), done]);
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    const other = escalating(tool.ran, { needs: { effect: 'program', escalation: { reason: 'another reason' } } });
    await resume(again, other);
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect([again.asked, tool.ran]).toEqual([[], []]);
    expect(textsOf(inputOf(model, 1)).at(-1)).toContain('is no longer what it would do, or is no longer allowed');
  });

  it('lapses where the policy no longer allows the question', async () => {
    const { live, resume, tool } = await waiting([calls('a'), done]);
    const again = answeringCommands(() => ({ kind: 'allowed' }));
    await resume(again);
    live.settings = { approval: 'never' };
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect([again.asked, tool.ran]).toEqual([[], []]);
  });

  it('continues under the narrower of its own policy and the present one', async () => {
    const { live, resume } = await waiting([calls('a'), calls('plain x'), done]);
    await resume(answeringCommands(() => ({ kind: 'allowed' })));
    live.world = { ...live.world, mode: 'danger-full-access' };
    await (await live.open()).continue({ signal });
    const levels = (await live.lines())
      .filter(({ type }) => type === 'turn_context')
      .map(({ payload }) => (payload['sandbox_policy'] as { type: string }).type);
    expect(levels).toEqual(['workspace-write', 'workspace-write']);
  });

  it('does not take an answer, or a question, that this home did not write', async () => {
    const { live, resume, tool } = await waiting([calls('a'), done]);
    await resume(undefined);
    const asked = (await live.lines()).find(({ type }) => type === 'capstan_question')!;
    const { turn_id, call_id, about } = asked.payload;
    const payload = { turn_id, call_id, about, answer: { kind: 'allowed' }, seal: '' };
    await live.write([{ type: 'capstan_question', payload } as LineDraft]);
    const thread = await live.open();
    expect(isSuspended(thread.state)).toBe(false);
    expect(await thread.continue({ signal })).toMatchObject({ outcome: { code: 'nothing-suspended' } });
    expect(tool.ran).toEqual([]);
  });
});

describe('a thread that is given up while it waits', () => {
  it('suspends its turn, and another process continues it', async () => {
    const { live, resume, tool, ended } = await waiting([calls('a', 'b'), done]);
    await live.close();
    expect(await ended).toMatchObject({ kind: 'suspended', questions: [{ tool: 'reach' }, { tool: 'reach' }] });
    expect(live.events.at(-1)).toMatchObject({ kind: 'turn-suspended' });
    await resume(answeringCommands(() => ({ kind: 'allowed' })));
    const thread = await live.open();
    expect(await thread.continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(tool.ran).toEqual(['a disabled', 'b disabled']);
  });

  it('refuses to be compacted until it is answered', async () => {
    const { live, resume } = await waiting([calls('a'), done]);
    await resume(undefined);
    const thread = await live.open();
    expect(await thread.compact({ signal })).toMatchObject({ kind: 'failed', outcome: { code: 'turn-suspended' } });
    expect(thread.questions).toHaveLength(1);
  });
});

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

  it('that stops ends the turn as interrupted', async () => {
    const { live, tool, ended } = await waiting([calls('a', 'b'), done], (cmd) => ({
      kind: cmd === 'a' ? 'stopped' : 'allowed',
    }));
    expect(await ended).toEqual({ kind: 'aborted' });
    expect(tool.ran).toEqual([]);
    const answers = live.events.flatMap((event) => (event.kind === 'question-answered' ? [event.answer.kind] : []));
    expect(answers).toEqual(['stopped', 'lapsed']);
    expect(JSON.stringify(await live.lines())).toContain('the user declined it and stopped the turn');
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

it('a rule is saved after its answer is durable, and the call runs even if it is not', async () => {
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
