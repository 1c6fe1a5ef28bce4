import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { command, toldScene } from '../harness/told-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

type Told = Awaited<ReturnType<typeof toldScene>>;

const plan = { collaboration: { mode: 'plan' } } as const;
const fileIn = ({ live }: Told, name: string): string => join(live.place.workspace, name);
const toolsOf = ({ live }: Told): readonly string[] =>
  (live.model.requests.at(-1)!.body['tools'] as { name: string }[]).map(({ name }) => name);

it('commands of a plan write nothing, the model reads that, and the thread keeps its own permissions', async ({
  skip,
}) => {
  skip(noNamespaces);
  const scene = await toldScene({ config: 'approval_policy = "never"\n' });
  const { live } = scene;
  await live.thread.overrideTurnContext(plan);
  const [output] = await scene.calls('echo x > made || echo refused');
  expect(output).toContain('refused');
  expect(existsSync(fileIn(scene, 'made'))).toBe(false);
  expect(scene.told()).toContain('read-only');
  expect(toolsOf(scene)).not.toEqual(expect.arrayContaining(['apply_patch']));
  expect(toolsOf(scene)).not.toEqual(expect.arrayContaining(['update_plan']));
  // The mode is the thread's own, and so are the permissions behind it.
  await live.open();
  expect(live.thread.settings).toMatchObject({ collaboration: { mode: 'plan' } });
  expect(JSON.stringify(live.thread.settings.sandbox)).toContain('"write"');
  await scene.calls('echo x > made || echo refused');
  expect(existsSync(fileIn(scene, 'made'))).toBe(false);
  await live.thread.overrideTurnContext({ collaboration: { mode: 'default' } });
  await scene.calls('echo x > made');
  expect(existsSync(fileIn(scene, 'made'))).toBe(true);
  expect(scene.told()).not.toContain('sandbox_mode` is `read-only');
});

it.each(['danger-full-access', 'workspace-write'] as const)('neither %s nor a rule lets a plan write', async (mode) => {
  const rules = 'prefix_rule(pattern = ["touch"], decision = "allow")\n';
  const scene = await toldScene({ config: `approval_policy = "never"\n`, rules });
  await scene.live.thread.overrideTurnContext({ sandbox: mode, ...plan });
  await scene.calls(command(`touch ${fileIn(scene, 'made')}`));
  expect(existsSync(fileIn(scene, 'made'))).toBe(false);
  await scene.live.thread.overrideTurnContext({ collaboration: { mode: 'default' } });
  await scene.calls(command(`touch ${fileIn(scene, 'made')}`));
  expect(existsSync(fileIn(scene, 'made'))).toBe(true);
});

it('an answer for the session does not reach into a plan', async () => {
  const scene = await toldScene({
    config: 'approval_policy = "on-request"\n',
    answers: [{ kind: 'allowed', scope: 'session' }, { kind: 'declined' }],
  });
  const out = join(scene.live.place.root, 'out');
  const asks = command(`touch ${out}`, { sandbox_permissions: 'require_escalated', justification: 'May I?' });
  await scene.calls(asks, asks);
  expect(scene.asked).toHaveLength(1);
  expect(scene.told()).toContain('A patch to files that commands cannot change asks by itself.');
  await scene.live.thread.overrideTurnContext(plan);
  await scene.calls(asks);
  expect(scene.asked).toHaveLength(2);
  // The text offers neither patches nor writing.
  expect(scene.told()).not.toContain('A patch');
  expect(scene.told()).toContain('cannot work inside it: it needs the network or opens a window.');
});

it('exec --mode plan says so, and its answer has the plan', async () => {
  const text = 'Here it is.\n<proposed_plan>\n1. Look.\n2. Change.\n</proposed_plan>';
  const live = await LiveThread.in([answer({ items: [say(text)] }), answer({ items: [say('Done.')] })]);
  const first = await live.place.run('exec', '--json', '--mode', 'plan', 'Plan it');
  expect(first.stderr).toContain('plan mode, read-only');
  expect(first.events.find(({ type }) => type === 'item.completed')).toMatchObject({
    item: { type: 'agent_message', text, proposed_plan: '1. Look.\n2. Change.' },
  });
  const told = textsOf(inputOf(live.model, 0)).map(String);
  expect(told.find((each) => each.startsWith('<collaboration_mode>'))).toContain('<proposed_plan>');
  const second = await live.place.run('exec', '--json', '--mode', 'default', 'resume', '--last', 'Do it');
  expect(second.stderr).toContain('workspace-write');
  expect(textsOf(inputOf(live.model, 1)).map(String)).toContainEqual(
    expect.stringContaining('The mode described earlier has ended'),
  );
});

it('a plan may have an effort of its own, which ends with it', async () => {
  const done = answer({ items: [say('Done.')] });
  const config = 'model_reasoning_effort = "low"\nplan_mode_reasoning_effort = "high"\n';
  const live = await LiveThread.in([done, done, done], config);
  await live.turn('one');
  await live.thread.overrideTurnContext(plan);
  await live.turn('two');
  await live.open();
  await live.thread.overrideTurnContext({ collaboration: { mode: 'default' } });
  await live.turn('three');
  const efforts = live.model.requests.map(({ body }) => (body['reasoning'] as { effort: string }).effort);
  expect(efforts).toEqual(['low', 'high', 'low']);
});
