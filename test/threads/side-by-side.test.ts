import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OwnTool, type ThreadRequest, words } from '../../src/index.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const tool: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object' },
  run: () => 'a winch',
};

it('threads of one engine each have their own model, folder, sandbox, tools and record', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  const { workspace, root } = live.place;
  const elsewhere = join(root, 'elsewhere');
  mkdirSync(elsewhere);
  const engine = await live.engine({ config: ['model=gpt-5.5', 'sandbox_mode=read-only'] });
  const open = async (request: ThreadRequest & { cwd: string }) => {
    const opened = await engine.start(request);
    if (opened.kind === 'refused') throw new Error(opened.outcome.message);
    return opened.thread;
  };
  const heard: string[] = [];
  const [kept, forgotten] = await Promise.all([
    open({ cwd: workspace, tools: [tool], listener: ({ kind }) => void heard.push(kind) }),
    open({
      cwd: elsewhere,
      model: 'gpt-5.4',
      config: ['sandbox_mode=workspace-write'],
      approvals: 'never',
      ephemeral: true,
    }),
  ]);
  expect(engine.threads.map(({ id }) => id).toSorted()).toEqual([kept.id, forgotten.id].toSorted());
  const { signal } = new AbortController();
  await Promise.all([kept, forgotten].map((thread) => thread.run({ input: words('Well?'), signal })));

  const seen = live.model.requests.map(({ body }) => ({
    model: body['model'],
    hasTool: (body['tools'] as { name: string }[]).some(({ name }) => name === 'look_up'),
    folder: JSON.stringify(body['input']).includes(`<cwd>${elsewhere}</cwd>`) ? 'elsewhere' : 'workspace',
    sandbox: /<sandbox_mode>([a-z-]+)</.exec(JSON.stringify(body['input']))?.[1],
  }));
  expect(seen.toSorted((a, b) => String(a.model).localeCompare(String(b.model)))).toEqual([
    { model: 'gpt-5.4', hasTool: false, folder: 'elsewhere', sandbox: 'workspace-write' },
    { model: 'gpt-5.5', hasTool: true, folder: 'workspace', sandbox: 'read-only' },
  ]);
  expect([kept.settings.approvals, forgotten.settings.approvals]).toEqual(['on-request', 'never']);
  expect(heard.filter((kind) => kind === 'turn-completed')).toHaveLength(1);
  await engine.close();
  expect(engine.threads).toEqual([]);
  expect(live.place.rollouts().map((path) => path.includes(kept.id))).toEqual([true]);
});

it('overrides of a thread beat those of the engine and what the thread had, and a faulty one refuses it', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.turn('one');
  await live.close();
  const engine = await live.engine({ config: ['model=gpt-5.5', 'model_reasoning_effort=high'] });
  const opened = await engine.resume(live.id, { model: 'gpt-5.4', config: ['model_verbosity=low'] });
  expect(opened).toMatchObject({ settings: { model: 'gpt-5.4', effort: 'high' }, notices: [] });
  await engine.close();
  const odd = await engine.start({ cwd: live.place.workspace, config: ['sandbox_mode=none'] });
  expect(odd).toMatchObject({ kind: 'refused', outcome: { code: 'config-wrong-value', key: 'sandbox_mode' } });
  const malformed = await engine.start({ cwd: live.place.workspace, config: ['sandbox_mode'] });
  expect(malformed).toMatchObject({ kind: 'refused', outcome: { code: 'override-malformed' } });
});
