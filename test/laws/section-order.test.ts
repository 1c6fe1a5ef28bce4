import { expect, it, onTestFinished } from 'vitest';
import { fragmentCatalog, worldSections } from '../../src/core/world/catalog.ts';
import { historyEntries } from '../../src/core/history/history.ts';
import { words } from '../../src/protocol/user-input.ts';
import { pinAddedLine } from '../../src/core/state/fold/pinned-notes.ts';
import type { ThreadState } from '../../src/core/state/thread-state.ts';
import { answer, say, startScriptedModel } from '../../src/testing/index.ts';
import { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import type { World } from '../harness/world.ts';
import { isUsers, rewriteFor } from '../harness/world-rewrite.ts';

/** Every section has something to say, and something else than at first. */
const otherWorld: World = {
  model: 'planner',
  effort: 'high',
  cwd: '/elsewhere',
  mode: 'read-only',
  network: true,
  approval: 'on-request',
  prefixes: [['git', 'status']],
  rules: [{ host: 'a.org', action: 'allow' }],
  collaboration: { mode: 'plan' },
  personality: 'friendly',
  realtime: true,
  base: undefined,
  developer: 'Use tabs.',
  managed: 'Ask first.',
  leaveOut: [],
  deferred: [{ name: 'mcp__a', description: 'Tools: x' }],
  servers: {
    instructions: [{ server: 'a', text: 'Ask me first.' }],
    notes: [{ server: 'b', problem: 'It is gone.', changed: '', gone: '', unasked: '' }],
  },
  skills: [{ name: 'knit', description: 'Knits.' }],
  hooks: false,
  fallback: undefined,
  memory: 'Likes tabs.',
  session: ['A hook spoke.'],
  apps: true,
  plugins: true,
  tools: ['update_plan'],
  date: '2026-11-16',
  timezone: 'Europe/Oslo',
  instructions: 'Be brief.',
  window: undefined,
};

it('tells everything that changed in one turn in the order of the sections, and so does the bundle', async () => {
  const model = await startScriptedModel(() => answer({ items: [say('Yes.')] }));
  onTestFinished(() => model.close());
  const disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  const run = async (text: string): Promise<ThreadState> => {
    const live = await thread.open();
    await live.run({ input: words(text), signal: new AbortController().signal });
    return live.state;
  };
  const first = await run('first words');
  await thread.close();
  thread.world = otherWorld;
  await thread.write([pinAddedLine({ id: 'pin', text: 'Never touch the lock file.' })]);
  const updated = await run('second words');
  await thread.write([rewriteFor('gpt-5.5', updated, isUsers)]);
  const bundled = await run('third words');

  const update = layout(updated).slice(layout(first).length);
  // The words of two turns survived the rewrite.
  const bundle = layout(bundled).slice(2);
  expect(bundle).toMatchInlineSnapshot(`
    [
      "developer: model-switch",
      "developer: permissions, collaboration-mode, realtime-start",
      "developer: personality",
      "developer: developer-instructions, apps-guidance, plugins-guidance, deferred-tools, mcp-instructions, mcp-servers, skills-catalogue, memory, session-context",
      "developer: managed-instructions",
      "user: agents-md, pinned-notes, environment",
      "user: user",
      "assistant: model",
    ]
  `);
  expect(update).toEqual(bundle);
  const bySection = bundle.flatMap((line) => line.split(': ')[1]?.split(', ') ?? []).flatMap(sectionOf);
  // Sessions and agents are told by answers, and by their sections only where a checkpoint took those away.
  const ofCheckpoints = ['capstan.sessions', 'capstan.agents'];
  expect(bySection).toEqual(worldSections.map(({ id }) => id).filter((id) => !ofCheckpoints.includes(id)));
});

it('has a reason for every place', () => {
  expect(worldSections.map(({ id, assumes }) => `${id}: ${assumes}`)).toMatchInlineSnapshot(`
    [
      "model: nothing: it frames everything that follows",
      "permissions: the model that must keep to them",
      "collaboration_mode: the permissions under which the mode is lived",
      "realtime: the mode, whose answers may now be spoken",
      "personality: model, permissions and mode: it changes the voice and nothing else",
      "capstan.developer_instructions: the contract of the sections before it, which it may narrow and not widen",
      "apps_instructions: the permissions that govern what an app may be asked for",
      "plugins_instructions: apps, which a plugin may bring along",
      "tools: plugins, which may bring tools along",
      "capstan.mcp_instructions: the tools of the servers that speak",
      "capstan.mcp_servers: the list of tools, from which it tells differences",
      "skills: plugins, which a skill may come from",
      "capstan.memory: the tools with which more of it can be read",
      "capstan.session_context: the tools and skills that hooks may speak of",
      "capstan.sessions: the permissions under which they run",
      "capstan.agents: the permissions that agents have at most",
      "managed_developer_instructions: everything that developers said before it",
      "agents_md: the rules of those who run the engine, which come before those of the project",
      "capstan.pinned_notes: the project's instructions, to which the user adds what counts in this thread",
      "environments: everything else: it is the ground under all of it",
    ]
  `);
});

/** The messages by role, with what each part tells. */
function layout({ history }: ThreadState): readonly string[] {
  return historyEntries(history).flatMap(({ item, origin }) => {
    if (item.type !== 'message') return [];
    return [`${String(item['role'])}: ${origin.family === 'context' ? origin.kinds.join(', ') : origin.family}`];
  });
}

function sectionOf(kind: string): readonly string[] {
  return fragmentCatalog.flatMap(({ id, section }) => (id === kind && section !== undefined ? [section] : []));
}
