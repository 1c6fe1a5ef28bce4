import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptStep } from '../../src/testing/index.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';
import { hook, prints, trustAll } from '../hooks/hooked-scene.ts';
import { type AgentRequest, agentScene, type Says } from './agent-scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const done = answer({ items: [say('Done.')] });
const signal = new AbortController().signal;
const call = (name: string, given: JsonObject): ScriptStep => answer({ items: [callTool(name, given)] });
const inTurn =
  (...steps: readonly ScriptStep[]) =>
  ({ index }: AgentRequest): ScriptStep =>
    steps[index] ?? done;
const toolsOf = ({ body }: AgentRequest): readonly unknown[] => (body['tools'] as JsonObject[]).map(({ name }) => name);

/** A scene whose user allowed `touch` for good, and said so to no mode. */
async function touchingScene(speakers: Readonly<Record<string, Says>>, more = '') {
  const scene = await agentScene(speakers, { config: `approval_policy = "on-request"\n${more}` });
  mkdirSync(join(scene.live.place.home, 'rules'), { recursive: true });
  writeFileSync(
    join(scene.live.place.home, 'rules/default.rules'),
    'prefix_rule(pattern=["touch"], decision="allow")\n',
  );
  const { thread } = await scene.begin();
  const wrote = (name: string): boolean => existsSync(join(scene.live.place.workspace, name));
  return { ...scene, thread, wrote };
}

it('an agent that changes nothing is not let out of its sandbox by a rule: an explorer, and one started in plan mode', async () => {
  const seen: Record<string, readonly unknown[]> = {};
  const touching =
    (name: string): Says =>
    (request) => {
      seen[name] ??= toolsOf(request);
      return request.index === 0 ? call('exec_command', { cmd: `touch by-${name}` }) : done;
    };
  const spawn = (name: string, more: JsonObject = {}) =>
    callTool('spawn_agent', { message: `TASK ${name}: x`, name, ...more });
  const { thread, of, wrote } = await touchingScene({
    root: inTurn(
      answer({ items: [spawn('explorer', { agent_type: 'explorer' }), spawn('worker')] }),
      call('wait_agent', { until: 'all' }),
      done,
      answer({ items: [spawn('planner')] }),
      call('wait_agent', { until: 'all' }),
      done,
      call('send_input', { target: 'planner', message: 'Now do it' }),
      call('wait_agent', { until: 'all' }),
    ),
    explorer: touching('explorer'),
    worker: touching('worker'),
    planner: (request) =>
      request.index === 2 ? call('exec_command', { cmd: 'touch after-plan' }) : touching('planner')(request),
  });
  await thread.run({ input: words('go'), signal });
  expect([wrote('by-explorer'), wrote('by-worker')]).toEqual([false, true]);
  await thread.overrideTurnContext({ collaboration: { mode: 'plan' } });
  await thread.run({ input: words('plan'), signal });
  expect(wrote('by-planner')).toBe(false);
  expect(seen['worker']).toEqual(expect.arrayContaining(['apply_patch', 'update_plan']));
  expect(seen['planner']!.filter((name) => name === 'apply_patch' || name === 'update_plan')).toEqual([]);
  expect(of('planner')[0]!.join('\n')).toMatch(/<collaboration_mode>\nMode: plan\n[^]*you help to make it/);
  expect([...of('planner'), ...of('explorer')].flat().join('\n')).not.toContain('["touch"]');
  expect(of('worker')[0]!.join('\n')).toContain('["touch"]');
  // Settings that the mode set aside come back with it.
  await thread.overrideTurnContext({ collaboration: { mode: 'default' } });
  await thread.run({ input: words('do it'), signal });
  expect(wrote('after-plan')).toBe(true);
});

it('an agent that works goes on within the permissions of a turn that may do less, and its next request says so', async ({
  skip,
}) => {
  skip(noNamespaces);
  const { promise: planned, resolve: plan } = Promise.withResolvers<void>();
  const late = Promise.withResolvers<ScriptStep>();
  const { thread, of, wrote } = await touchingScene({
    root: inTurn(
      call('spawn_agent', { message: 'TASK a: x', name: 'a' }),
      done,
      call('wait_agent', { until: 'all', timeout_ms: 20_000 }),
    ),
    a: async ({ index }) => {
      if (index === 0) return call('exec_command', { cmd: 'echo up; sleep 60', yield_time_ms: 250 });
      if (index === 1) {
        plan();
        // Its turn ends before this is answered.
        return late.promise;
      }
      late.resolve(call('exec_command', { cmd: 'touch too-late' }));
      return index === 2 ? call('exec_command', { cmd: 'touch in-plan' }) : answer({ items: [say('Within.')] });
    },
  });
  await thread.run({ input: words('go'), signal });
  await planned;
  await thread.overrideTurnContext({ collaboration: { mode: 'plan' } });
  await thread.run({ input: words('plan'), signal });
  expect([wrote('too-late'), wrote('in-plan')]).toEqual([false, false]);
  const told = of('a').at(-1)!.join('\n');
  expect(told).toContain('The turn was stopped because your permissions became narrower.');
  expect(told).toContain('had more permissions than you have now, and were ended:');
  expect(told).toContain('<collaboration_mode>\nMode: plan');
  expect(told).toContain('may do less than before, and so may you');
  const notifications = of('root')
    .at(-1)!
    .filter((text) => text.startsWith('<subagent_notification>'));
  expect(notifications).toEqual([expect.stringContaining('{"completed":"Within."}')]);
});

it('what an idle agent left running ends before the first request of a turn that may do less, and of no other', async ({
  skip,
}) => {
  skip(noNamespaces);
  const seconds = ownSeconds(83_417);
  const running: boolean[] = [];
  const look = (step: ScriptStep): ScriptStep => {
    running.push(processesWith(seconds).length > 0);
    return step;
  };
  const { thread, of } = await touchingScene({
    root: ({ index }) => {
      if (index === 0) return call('spawn_agent', { message: 'TASK a: x', name: 'a' });
      return index === 1 ? call('wait_agent', { until: 'all' }) : look(done);
    },
    a: inTurn(call('exec_command', { cmd: `sleep ${seconds}`, yield_time_ms: 250 })),
  });
  for (const text of ['go', 'go on']) await thread.run({ input: words(text), signal });
  await thread.overrideTurnContext({ collaboration: { mode: 'plan' } });
  await thread.run({ input: words('plan'), signal });
  expect(running).toEqual([true, true, false]);
  expect(of('a')).toHaveLength(2);
});

it('a read-only role stays so below a profile that denies a read, with instructions of the user, and whatever a hook says', async ({
  skip,
}) => {
  skip(noNamespaces);
  const yes = prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } });
  const leaving = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
  const asked: unknown[] = [];
  const ask = async (question: { readonly argv?: readonly string[] }) => {
    asked.push(question.argv?.at(-1));
    return { kind: 'declined' } as const;
  };
  const touching = (name: string) =>
    inTurn(
      call('exec_command', { cmd: `touch inside-${name}` }),
      call('exec_command', { cmd: `touch outside-${name}`, ...leaving }),
    );
  const spawn = (name: string, role: string) =>
    callTool('spawn_agent', { message: `TASK ${name}: x`, name, agent_type: role });
  const { live, begin, of } = await agentScene(
    {
      root: inTurn(
        answer({ items: [spawn('looker', 'explorer'), spawn('worker', 'worker')] }),
        call('wait_agent', { until: 'all' }),
      ),
      looker: touching('looker'),
      worker: touching('worker'),
    },
    {
      config: `approval_policy = "on-request"
default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.filesystem]
"/etc/hostname" = "deny"
[agents.explorer]
developer_instructions = "Be brief."
`,
      open: { askUser: { ask } },
    },
  );
  const { home, workspace } = live.place;
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: { PreToolUse: [hook(yes)] } }));
  trustAll(home);
  const { thread } = await begin();
  await thread.run({ input: words('go'), signal });
  const wrote = ['inside-looker', 'outside-looker', 'inside-worker', 'outside-worker'].filter((name) =>
    existsSync(join(workspace, name)),
  );
  expect(wrote).toEqual(['inside-worker', 'outside-worker']);
  expect(asked).toEqual(['touch inside-looker', 'touch outside-looker']);
  const told = of('looker')[0]!.join('\n');
  expect(told).toContain('Be brief.');
  expect(told).toContain('<sandbox_mode>read-only<');
  expect(told).toContain('/etc/hostname');
});

it('an agent of an agent that changes nothing changes nothing either', async () => {
  const wait = call('wait_agent', {});
  const speakers = {
    root: inTurn(call('spawn_agent', { message: 'TASK x: look', name: 'x', agent_type: 'explorer' }), wait),
    x: inTurn(call('spawn_agent', { message: 'TASK y: do it', name: 'y', agent_type: 'worker' }), wait),
    y: inTurn(call('exec_command', { cmd: 'touch by-y' })),
  };
  const { thread, wrote, of } = await touchingScene(speakers, 'agents.max_depth = 2\n');
  await thread.run({ input: words('go'), signal });
  expect(of('y')).toHaveLength(2);
  expect(wrote('by-y')).toBe(false);
});

it('an explorer has no network, though its parent has', async () => {
  const speakers = {
    root: inTurn(
      call('spawn_agent', { message: 'TASK x: look', name: 'x', agent_type: 'explorer' }),
      call('wait_agent', {}),
    ),
    x: inTurn(),
  };
  const { thread, of } = await touchingScene(speakers, 'sandbox_workspace_write.network_access = true\n');
  await thread.run({ input: words('go'), signal });
  const access = (name: string) => /<network_access>(\w+)/.exec(of(name)[0]!.join('\n'))?.[1];
  expect([access('root'), access('x')]).toEqual(['enabled', 'restricted']);
});
