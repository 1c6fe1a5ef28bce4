import { describe, expect, it } from 'vitest';
import type { AskUser, RuleToSave } from '../../src/ports/ask-user.ts';
import type { PermissionProfile } from '../../src/protocol/permissions.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { answer, callTool, type Script } from '../../src/testing/index.ts';
import type { Tool } from '../../src/adapters/tools/tool.ts';
import { createToolRouter } from '../../src/adapters/tools/router.ts';
import { needyScene } from '../harness/needy-scene.ts';
import { allow, deny, isOfReview } from '../harness/review-scene.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { done, typesOf } from '../harness/waiting-turn.ts';

const profile: PermissionProfile = {
  type: 'managed',
  file_system: { type: 'restricted', entries: [{ path: { type: 'path', path: '/' }, access: 'read' }] },
  network: 'enabled',
  capstan_network: { lists: { allow: ['a.test'], deny: ['b.test'], local: false, methods: 'any' } },
};

/** A command that connects to hosts, each after the one before, and says what came of it. */
function connecting(heard: string[] = []): Tool {
  return {
    name: 'connect',
    spec: { type: 'function', name: 'connect', parameters: {} },
    prepare: ({ callId, input }) => {
      const { hosts } = JSON.parse(input) as { readonly hosts: readonly string[] };
      const [argv, cwd] = [['connect', ...hosts], '/repo'];
      const item = { kind: 'command', id: callId, argv, cwd, status: 'in-progress', output: '' } as const;
      return {
        kind: 'prepared',
        item,
        needs: { effect: 'program', argv, cwd },
        async run({ answerHost, policy, signal }) {
          const came: string[] = [`granted ${policy.lists?.granted?.join() ?? 'none'}`];
          for (const name of hosts) {
            const given = await answerHost!({ name, port: 443, protocol: 'https' }, signal);
            heard.push(`${name} ${given}`);
            came.push(`${name} ${given}`);
          }
          return { output: came.join(', '), item: { ...item, status: 'completed' } };
        },
      };
    },
  };
}

const connects = (...calls: readonly (readonly string[])[]) =>
  answer({ items: calls.map((hosts) => callTool('connect', { hosts })) });

async function scene(script: Parameters<typeof needyScene>[0], ask: AskUser['ask']) {
  const asked: Question[] = [];
  const saved: RuleToSave[] = [];
  const heard: string[] = [];
  const made = await needyScene(script, () => [connecting(heard)], {
    ask: (question, signal) => (asked.push(question), ask(question, signal)),
  });
  const { live } = made;
  const { adapt } = live;
  const ruleBook = { save: (rule: RuleToSave) => (saved.push(rule), Promise.resolve(undefined)) };
  live.adapt = (parts) => ({ ...adapt(parts), ruleBook });
  live.settings = { approvals: 'on-request', sandbox: profile };
  const outputs = (request: number) => textsOf(inputOf(made.model, request)).map(String);
  return { ...made, asked, saved, heard, outputs };
}

const nameOf = ({ host }: Question) => host?.name;
const yes = async (): Promise<Answer> => ({ kind: 'allowed' });

describe('a host that a command waits for', () => {
  it('is asked about in order, and its answer is a line before the command hears of it', async () => {
    const { live, turn, asked, heard, outputs } = await scene(
      [connects(['x.test', 'y.test']), done],
      async (question) =>
        nameOf(question) === 'x.test' ? { kind: 'allowed' } : { kind: 'declined', note: 'Not that one.' },
    );
    const heardAtAnswers: number[] = [];
    live.onEvent = (event) => {
      if (event.kind === 'question-answered') heardAtAnswers.push(heard.length);
    };
    await turn('go');
    expect(heardAtAnswers).toEqual([0, 1]);
    expect(asked.map(nameOf)).toEqual(['x.test', 'y.test']);
    expect(typesOf(await live.lines(), asked[0]!.callId)).toEqual([
      'function_call',
      'capstan_call',
      'question',
      'answer',
      'question',
      'answer',
      'function_call_output',
    ]);
    expect(outputs(1).at(-1)).toBe(
      'The command waited to connect to y.test:443, and the user did not allow that. The user says: Not that one.\ngranted none, x.test allowed, y.test declined',
    );
  });

  it('is open with the words that the user gave with a yes', async () => {
    const { turn, outputs } = await scene([connects(['x.test']), done], async () => ({
      kind: 'allowed',
      note: 'Only to read.',
    }));
    await turn('go');
    expect(outputs(1).at(-1)).toBe(
      'The command waited to connect to x.test:443, and the user allowed that. The user says: Only to read.\ngranted none, x.test allowed',
    );
  });

  it('that waits behind another question when the command ends is told to the model, too', async () => {
    const { live, turn, asked, outputs } = await scene([connects(['x.test']), done], () => new Promise(() => {}));
    const { adapt } = live;
    const impatient: Tool = {
      ...connecting(),
      prepare: async (call, step) => {
        const prepared = await connecting().prepare(call, step);
        if (prepared.kind === 'refused') return prepared;
        return {
          ...prepared,
          async run({ answerHost, signal }) {
            for (const name of ['x.test', 'y.test'])
              void answerHost!({ name, port: 443, protocol: 'https' }, signal).catch(() => {});
            while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
            return { output: 'timed out', item: { ...prepared.item, status: 'failed' } as typeof prepared.item };
          },
        };
      },
    };
    live.adapt = (parts) => ({ ...adapt(parts), router: createToolRouter([() => [impatient]]) });
    await turn('go');
    expect(asked.map(nameOf)).toEqual(['x.test']);
    expect(outputs(1).at(-1)).toBe(
      'The command waited to connect to y.test:443, x.test:443, and there was no answer.\ntimed out',
    );
  });

  it('is not asked about where the policy decides, and the command hears which', async () => {
    const { turn, asked, outputs } = await scene([connects(['a.test', 'b.test', '10.0.0.1']), done], yes);
    await turn('go');
    expect(asked).toEqual([]);
    expect(outputs(1).at(-1)).toBe('granted none, a.test allowed, b.test unasked, 10.0.0.1 unasked');
  });

  it('is allowed at once for the other commands of the step that wait for it, if the yes is for the session', async () => {
    const { turn, asked, outputs } = await scene(
      [connects(['x.test'], ['x.test', 'y.test']), done, connects(['x.test']), done],
      async () => ({ kind: 'allowed', scope: 'session' }),
    );
    await turn('go');
    expect(asked.map(nameOf)).toEqual(['x.test', 'y.test']);
    expect(
      outputs(1)
        .filter((text) => text.startsWith('granted'))
        .toSorted(),
    ).toEqual(['granted none, x.test allowed', 'granted none, x.test allowed, y.test allowed']);
    await turn('again');
    expect(asked).toHaveLength(2);
    expect(outputs(3).at(-1)).toBe('granted x.test:443,y.test:443, x.test allowed');
  });

  it('is saved as a rule before the command goes on, and open from then on', async () => {
    const { turn, asked, saved, outputs } = await scene(
      [connects(['x.test']), connects(['x.test']), done],
      async () => ({ kind: 'allowed', scope: 'rule' }),
    );
    await turn('go');
    expect(saved).toEqual([{ kind: 'host', host: { name: 'x.test', port: 443, protocol: 'https' } }]);
    expect(asked).toHaveLength(1);
    expect(outputs(2).at(-1)).toBe('granted x.test:443, x.test allowed');
  });

  it('a yes for this call holds for no other', async () => {
    const { turn, asked } = await scene([connects(['x.test']), connects(['x.test']), done], yes);
    await turn('go');
    expect(asked).toHaveLength(2);
  });

  it('may be answered by a caller of the thread, by the id of the question', async () => {
    const { live, turn, heard } = await scene([connects(['x.test']), done], () => new Promise(() => {}));
    live.onEvent = (event) => {
      if (event.kind === 'question-asked') void live.live!.answer(event.question.id, { kind: 'allowed' });
    };
    await turn('go');
    expect(heard).toEqual(['x.test allowed']);
  });

  it('is decided by a reviewer where there is one, who reads which host, and whose yes lasts for the call', async () => {
    const steps = [connects(['x.test']), connects(['x.test']), done];
    const reviews: string[] = [];
    const script: Script = (request) => {
      if (!isOfReview(request)) return steps.shift()!;
      return reviews.push(JSON.stringify(request.body)) === 1 ? allow : deny;
    };
    const { live, turn, asked, outputs } = await scene(script, yes);
    const { adapt } = live;
    live.adapt = (parts) => ({ ...adapt(parts), reviewTimeoutMs: 300_000 });
    live.settings = { approvals: 'on-request', reviewer: 'auto_review', sandbox: profile };
    await turn('Fetch it from x.test.');
    expect([asked.length, reviews.length]).toEqual([0, 2]);
    expect(reviews[0]).toContain('waits to connect to x.test:443');
    const [first, second] = outputs(4).filter((text) => text.includes('granted none'));
    expect(first).toBe('granted none, x.test allowed');
    expect(second).toMatch(
      /^The command waited to connect to x\.test:443, and the reviewer did not allow that \(risk: high/,
    );
  });

  it('of a process that is killed is not asked again: the outcome of its call is unknown', async () => {
    const { live, disk, turn, model, asked } = await scene([connects(['x.test']), done], () => new Promise(() => {}));
    void turn('go').catch(() => undefined);
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const survivor = disk.kill();
    live.replaceDisk({ home: '/home', files: survivor, locks: survivor.locks });
    live.adapt = (parts) => ({ ...parts, router: createToolRouter([() => [connecting()]]), askUser: { ask: yes } });
    const thread = await live.open();
    expect(thread.questions).toEqual([]);
    await turn('and now?');
    expect(typesOf(await live.lines(), asked[0]!.callId)).toEqual([
      'function_call',
      'capstan_call',
      'question',
      'answer',
      'function_call_output',
    ]);
    expect(textsOf(inputOf(model, 1)).map(String).join('\n')).toContain('Outcome unknown');
  });
});
