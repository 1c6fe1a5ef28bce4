import { expect, it } from 'vitest';
import { liveThreads, words } from '../../src/index.ts';
import type { Question } from '../../src/protocol/question.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { Listener, until } from '../live/live-scene.ts';
import { agentScene } from './agent-scene.ts';

const done = answer({ items: [say('Done.')] });
const steps = [
  answer({ items: ['a', 'b'].map((name) => callTool('spawn_agent', { message: `TASK ${name}: x`, name })) }),
  answer({ items: [callTool('wait_agent', { until: 'all' })] }),
];
const asking = ({ index }: { readonly index: number }) =>
  index === 0
    ? answer({
        items: [
          callTool('exec_command', { cmd: 'true', sandbox_permissions: 'require_escalated', justification: 'x' }),
        ],
      })
    : done;
const speakers = { root: ({ index }: { readonly index: number }) => steps[index] ?? done, a: asking, b: asking };

it('questions of agents go to the port of the root, one at a time, and name the agent', async () => {
  const asked: Question[] = [];
  let open = 0;
  const askUser = {
    async ask(question: Question) {
      asked.push(question);
      expect(++open).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 30));
      open--;
      return { kind: 'declined' } as const;
    },
  };
  const { begin, of } = await agentScene(speakers, { open: { askUser } });
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal: new AbortController().signal });
  expect(asked.map(({ agent }) => agent).toSorted()).toEqual(['/root/a', '/root/b']);
  expect(of('a')[1]!.at(-1)).toMatch(/^Not run: the user declined it/);
});

it('clients of a live root see the questions of its agents, and answer them there', async () => {
  const { live, engine } = await agentScene(speakers);
  const threads = liveThreads(await engine());
  const root = await threads.start({ cwd: live.place.workspace });
  if (root.kind === 'refused') throw new Error(root.outcome.message);
  const listener = new Listener(root);
  const running = root.submit({ input: words('go') });
  await listener.sees('question-asked', 2);
  const { questions } = root;
  expect(questions.map(({ agent, turnId }) => [agent, turnId === root.turnId]).toSorted()).toEqual([
    ['/root/a', true],
    ['/root/b', true],
  ]);
  // The agents are live threads themselves.
  expect(threads.loaded).toHaveLength(3);
  for (const { id } of questions) expect(await root.answer(id, { kind: 'declined' })).toEqual({ kind: 'answered' });
  expect(await running).toMatchObject({ kind: 'completed' });
  await listener.sees('question-answered', 2);
  expect(root.questions).toEqual([]);
});

it('an interrupt of an idle root reaches agents that work on', async () => {
  const { live, engine } = await agentScene({ ...speakers, root: ({ index }) => (index === 0 ? steps[0]! : done) });
  const threads = liveThreads(await engine());
  const root = await threads.start({ cwd: live.place.workspace });
  if (root.kind === 'refused') throw new Error(root.outcome.message);
  await root.submit({ input: words('go') });
  await until(() => root.questions.length === 2);
  await root.interrupt();
  expect(root.questions).toEqual([]);
  expect(threads.loaded.map(({ turnId }) => turnId)).toEqual([undefined, undefined, undefined]);
});
