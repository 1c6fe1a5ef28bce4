import { describe, expect, it } from 'vitest';
import type { ThreadRefused, Threads, WantedThread } from '../../src/ports/threads.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { Answer } from '../../src/protocol/question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { PreparedCall, CallRunContext, Tool } from '../../src/adapters/tools/tool.ts';
import { deadTurnNotice } from '../../src/engine/thread/turn/cut-off-turn.ts';
import { answering, needyScene as scene } from '../harness/needy-scene.ts';
import { needy } from '../harness/needy-tools.ts';
import { inputOf, textsOf } from '../harness/scene.ts';

const wanting = needy('reach', {
  needs: { effect: 'program', escalation: { reason: 'the network' }, paths: [{ path: '/etc/x', access: 'read' }] },
});

const oneCall = [answer({ items: [callTool('reach', {})] }), answer({ items: [say('Done.')] })];

describe('a call that needs the user', () => {
  it('is refused where the user cannot be asked, and leaves no question behind', async () => {
    const { live, model, turn } = await scene(oneCall, () => [wanting]);
    live.settings = { approvals: 'on-request' };
    await turn('go');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe(
      'Not run: the approval policy is on-request, and the user cannot be asked. Run it within the sandbox, or tell the user what is needed.',
    );
    expect((await live.lines()).map(({ type }) => type)).not.toContain('capstan_question');
  });

  it('is put to the user with all that the tool declared, after the question is durable', async () => {
    const asking = answering({ kind: 'allowed' });
    const { live, model, turn } = await scene(oneCall, () => [wanting], asking);
    live.settings = { approvals: 'on-request' };
    const durable: boolean[] = [];
    const { ask } = asking;
    asking.ask = async (question, signal) => {
      durable.push((await live.lines()).some(({ type }) => type === 'capstan_question'));
      return ask(question, signal);
    };
    await turn('go');
    expect(asking.asked).toEqual([
      expect.objectContaining({
        tool: 'reach',
        kind: 'command',
        paths: [{ path: '/etc/x', access: 'read' }],
        justification: 'the network',
        scopes: ['call'],
      }),
    ]);
    expect(durable).toEqual([true]);
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('reach ran');
    const types = (await live.lines()).map(({ type }) => type);
    expect(types.lastIndexOf('capstan_question')).toBeLessThan(types.indexOf('capstan_call'));
    expect(live.events.map(({ kind }) => kind).filter((kind) => kind.startsWith('question'))).toEqual([
      'question-asked',
      'question-answered',
    ]);
  });

  it('does not run when the user says no, and the model reads the note', async () => {
    const { live, model, turn } = await scene(
      oneCall,
      () => [wanting],
      answering({ kind: 'declined', note: 'Not on a Friday.' }),
    );
    live.settings = { approvals: 'on-request' };
    await turn('go');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('Not run: the user declined it. The user says: Not on a Friday.');
    expect((await live.lines()).map(({ type }) => type)).not.toContain('capstan_call');
  });

  it('runs when the user says yes, and the model reads the note with the result', async () => {
    const { live, model, turn } = await scene(
      oneCall,
      () => [wanting],
      answering({ kind: 'allowed', scope: 'session', note: 'Only in api/.' }),
    );
    live.settings = { approvals: 'on-request' };
    await turn('go');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('The user allowed it. The user says: Only in api/.\nreach ran');
  });

  it('is refused without a question where the policy is never', async () => {
    const asking = answering({ kind: 'allowed' });
    const { live, turn } = await scene(oneCall, () => [wanting], asking);
    live.settings = { approvals: 'never' };
    await turn('go');
    expect(asking.asked).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no screen')), 'The client failed to ask its user.'],
    ['answers oddly', () => Promise.resolve({ kind: 'yes' } as unknown as Answer), 'in a form Capstan can read.'],
  ] as const)('is not refused in the name of the user by a program that %s', async (_how, ask, words) => {
    const { live, model, turn } = await scene(oneCall, () => [wanting], { ask });
    live.settings = { approvals: 'on-request' };
    expect(await turn('go')).toMatchObject({ kind: 'completed' });
    const told = textsOf(inputOf(model, 1)).at(-1);
    expect(told).toContain(words);
    expect(told).not.toMatch(/the user declined|interrupted/);
  });

  it('ends with the turn when it is interrupted while it waits', async () => {
    const abort = new AbortController();
    const { live, turn } = await scene(oneCall, () => [wanting], answering(new Promise(() => {})));
    live.settings = { approvals: 'on-request' };
    live.onEvent = ({ kind }) => (kind === 'question-asked' ? abort.abort() : undefined);
    expect(await turn('go', abort.signal)).toEqual({ kind: 'aborted' });
    expect(live.live!.state.openTurn).toBeUndefined();
    // The user has not said no.
    const answers = live.events.flatMap((event) => (event.kind === 'question-answered' ? [event.answer] : []));
    expect(answers).toEqual([{ kind: 'lapsed' }]);
    const lines = JSON.stringify(await live.lines());
    expect(lines).toContain('Not run: the turn was interrupted before the user answered');
    expect(lines).toContain('The user stopped the turn on purpose. No call was running.');
  });

  it('waits as part of the state; a program that dies meanwhile leaves a call that never ran', async () => {
    const { live, model, disk, turn } = await scene(
      [...oneCall, answer({ items: [say('Again.')] })],
      () => [wanting],
      answering(new Promise(() => {})),
    );
    live.settings = { approvals: 'on-request' };
    const waits = new Promise<void>((resolve) => {
      live.onEvent = ({ kind }) => (kind === 'question-asked' ? resolve() : undefined);
    });
    void turn('go').catch(() => {});
    await waits;
    expect(live.live!.state.openTurn?.questions).toEqual([
      expect.objectContaining({
        tool: 'reach',
        paths: [{ path: '/etc/x', access: 'read' }],
        justification: 'the network',
      }),
    ]);
    expect(deadTurnNotice(live.id!, live.live!.state)?.message).toContain('waits for your answer. Not run yet: reach.');
    const after = disk.crash(() => 0);
    live.replaceDisk({ home: '/home', files: after, locks: after.locks });
    await turn('go on');
    const texts = textsOf(inputOf(model, 1));
    expect(texts).toContain('Not run: the program ended before the user answered whether it may run.');
    expect(texts).toContain(
      '<turn_aborted>\nThe program that ran the turn ended. No call was running.\n</turn_aborted>',
    );
  });
});

it('a call that the user allowed and that was running when the program died is not said to have never run', async () => {
  let begun: () => void = () => {};
  const begins = new Promise<void>((resolve) => (begun = resolve));
  const running = needy('reach', {
    needs: { effect: 'program', escalation: {} },
    run: () => {
      begun();
      return new Promise(() => {});
    },
  });
  const { live, model, disk, turn } = await scene(
    [...oneCall, answer({ items: [say('Again.')] })],
    () => [running],
    answering({ kind: 'allowed' }),
  );
  live.settings = { approvals: 'on-request' };
  void turn('go').catch(() => {});
  await begins;
  expect(live.live!.state.openTurn?.questions).toBeUndefined();
  const after = disk.crash(() => 0);
  live.replaceDisk({ home: '/home', files: after, locks: after.locks });
  await turn('go on');
  expect(textsOf(inputOf(model, 1)).filter((text) => String(text).startsWith('Outcome unknown'))).toHaveLength(1);
});

describe('tools of a step', () => {
  it('may come and go while a turn runs', async () => {
    const [first, second] = [needy('first'), needy('second')];
    let now: readonly Tool[] = [first];
    const { model, turn } = await scene(
      [
        answer({ items: [callTool('first', {})] }),
        answer({ items: [callTool('first', {}), callTool('second', {})] }),
        answer({ items: [say('Done.')] }),
      ],
      () => now,
    );
    const { prepare } = first;
    const changing = {
      ...first,
      prepare: (...given: Parameters<Tool['prepare']>) => ((now = [second]), prepare(...given)),
    };
    now = [changing];
    await turn('go');
    const offered = model.requests.map(({ body }) => (body['tools'] as { name: string }[]).map(({ name }) => name));
    expect(offered).toEqual([['first'], ['second'], ['second']]);
    expect(textsOf(inputOf(model, 2)).slice(-2)).toEqual(
      expect.arrayContaining(['There is no tool named "first". Tools: second.', 'second ran']),
    );
  });

  it('may take their time to prepare a call', async () => {
    const slow: Tool = {
      ...needy('slow'),
      prepare: async (...given) => {
        await new Promise((resolve) => setImmediate(resolve));
        return needy('slow').prepare(...given);
      },
    };
    const { model, turn } = await scene(
      [answer({ items: [callTool('slow', {})] }), answer({ items: [say('Done.')] })],
      () => [slow],
    );
    await turn('go');
    expect(textsOf(inputOf(model, 1)).at(-1)).toBe('slow ran');
  });
});

it('a call that runs alone waits for those before it, and those after it wait', async () => {
  const log: string[] = [];
  const logged = (name: string, more: Partial<PreparedCall> = {}): Tool => {
    const tool = needy(name);
    return {
      ...tool,
      prepare: (call, step) => {
        const prepared = tool.prepare(call, step) as PreparedCall;
        const run: PreparedCall['run'] = async (running) => {
          log.push(`${name} begins`);
          for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
          log.push(`${name} ends`);
          return prepared.run(running);
        };
        return { ...prepared, ...more, run };
      },
    };
  };
  const tools = [logged('a'), logged('b'), logged('alone', { alone: true }), logged('c'), logged('d')];
  const calls = ['a', 'b', 'alone', 'c', 'd'].map((name) => callTool(name, {}));
  const { turn } = await scene([answer({ items: calls }), answer({ items: [say('Done.')] })], () => tools);
  await turn('go');
  expect(log.slice(0, 2)).toEqual(['a begins', 'b begins']);
  expect(log.slice(2, 4).toSorted()).toEqual(['a ends', 'b ends']);
  expect(log.slice(4, 6)).toEqual(['alone begins', 'alone ends']);
  expect(log.slice(6, 8)).toEqual(['c begins', 'd begins']);
});

it('whichever tool opens a thread, it is held like the turn, unless the tool asks for another policy', async () => {
  const asked: WantedThread[] = [];
  const refuse = (wanted: WantedThread): Promise<ThreadRefused> => {
    asked.push(wanted);
    return Promise.resolve({ kind: 'refused', outcome: { code: 'no-threads', message: 'none', next: '' } });
  };
  const threads: Threads = {
    open: [],
    start: refuse,
    resume: (_id, wanted) => refuse(wanted),
    fork: (_id, _cut, wanted) => refuse(wanted),
  };
  const opening: Tool = {
    ...needy('reach'),
    prepare: ({ callId }) => {
      const item = { kind: 'tool-call', id: callId, tool: 'reach', arguments: {}, status: 'in-progress' } as const;
      const run = async (call: CallRunContext) => {
        await call.threads.start({ cwd: '/repo' });
        await call.threads.resume('other' as ThreadId, { approvals: 'never' });
        await call.threads.fork('other' as ThreadId, { kind: 'latest' }, {});
        return { output: 'opened', item };
      };
      return { kind: 'prepared', item, needs: {}, run };
    },
  };
  const { live, turn } = await scene(oneCall, () => [opening]);
  const { adapt } = live;
  live.adapt = (parts) => ({ ...adapt(parts), threads });
  live.settings = { approvals: 'on-request' };
  await turn('go');
  expect(asked.map(({ approvals }) => approvals)).toEqual(['on-request', 'never', 'on-request']);
  expect(asked.every(({ sandbox }) => sandbox !== undefined)).toBe(true);
});

it('an error in a call fails the turn after the other calls, and each call has its answer', async () => {
  const broken = needy('broken', { run: () => Promise.reject(new TypeError('no such member')) });
  const slow = needy('slow', {
    run: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const item = { kind: 'tool-call', id: 'slow', tool: 'slow', arguments: {}, status: 'completed' } as const;
      return { output: 'slow ran', item };
    },
  });
  const { model, turn } = await scene(
    [answer({ items: [callTool('slow', {}), callTool('broken', {})] }), answer({ items: [say('Done.')] })],
    () => [broken, slow],
  );
  expect(await turn('go')).toMatchObject({
    kind: 'failed',
    outcome: { code: 'internal-error', message: 'Internal error: no such member.' },
  });
  expect(await turn('again')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  const told = textsOf(inputOf(model, 1)).filter((text) => /slow ran|tool failed/.test(String(text)));
  expect(told).toEqual(['The tool failed: no such member', 'slow ran']);
});
