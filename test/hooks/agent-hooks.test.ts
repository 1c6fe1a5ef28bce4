import { expect, it } from 'vitest';
import { createHookRunner, StartHookRecord } from '../../src/adapters/hooks/run-hooks.ts';
import { parseHooks } from '../../src/adapters/hooks/hook-definitions.ts';
import { hookEvents } from '../../src/protocol/thread-event.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import { type JsonObject, parseJsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, say, SimulatedDisk, startScriptedModel } from '../../src/testing/index.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { WatchedThread } from '../harness/watched-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

it('an agent has events of its own, in place of those of a session', async () => {
  const model = await startScriptedModel(() => answer({ items: [say('Done.')] }));
  whenTestEnds(() => model.close());
  const disk = new SimulatedDisk();
  const thread = new WatchedThread(model.url, { home: '/home', files: disk, locks: disk.locks });
  const seen: JsonObject[] = [];
  const says: Readonly<Record<string, string>> = { SubagentStart: 'You look for bugs.' };
  const table = Object.fromEntries(
    hookEvents.map((event) => [event, [{ hooks: [{ type: 'command', command: event }] }]]),
  );
  const other = { matcher: 'writer', hooks: [{ type: 'command', command: 'other' }] };
  const { hooks } = parseHooks(
    { ...table, SubagentStop: [...table['SubagentStop']!, other] },
    { path: '/h', owner: 'user' },
  );
  thread.adapt = (parts) => ({
    ...parts,
    agent: {
      id: 'agent-1' as ThreadId,
      role: 'reviewer',
      parentId: 'root' as ThreadId,
      rootId: 'root' as ThreadId,
      depth: 1,
      path: '/root/reviewer',
    },
    hooks: createHookRunner({
      starts: new StartHookRecord(),
      hooks,
      patterns: new Map(),
      run: async ({ argv, input }) => {
        const given = parseJsonObject(input) ?? {};
        seen.push({ ...given, command: argv.at(-1)! });
        const isFirstStop = given['stop_hook_active'] === false;
        const stderr = isFirstStop ? 'Look again.' : '';
        const stdout = says[String(given['hook_event_name'])] ?? '';
        return { kind: 'exited', exitCode: isFirstStop ? 2 : 0, stdout, stderr, isCut: false };
      },
      shell: 'sh',
      variables: () => ({}),
      clock: parts.clock,
      ids: parts.ids,
      texts: { cut: (text) => text, close: () => {} },
    }),
  });
  const live = await thread.open();
  await live.run({ input: words('go'), signal: new AbortController().signal });
  await thread.close();
  expect(seen.map(({ command }) => command)).toEqual([
    'SubagentStart',
    'UserPromptSubmit',
    'SubagentStop',
    'SubagentStop',
  ]);
  const agent = { agent_id: 'agent-1', agent_type: 'reviewer' };
  expect(seen).toEqual(seen.map(() => expect.objectContaining(agent) as unknown));
  expect(seen.at(-1)).toMatchObject({
    stop_hook_active: true,
    last_assistant_message: 'Done.',
    agent_transcript_path: expect.stringContaining('rollout-'),
  });
  const texts = textsOf(inputOf(model, 1));
  expect(texts.filter((text) => String(text).includes('You look for bugs.'))).toHaveLength(1);
  expect(texts.at(-1)).toContain('Look again.');
});
