import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { hook, trustAll } from '../hooks/hooked-scene.ts';
import { agentScene } from './agent-scene.ts';

const signal = new AbortController().signal;
const done = answer({ items: [say('Done.')] });

it('hooks of agents run with an agent of a thread, and those of sessions with the thread alone', async () => {
  const tools = new Map<string, readonly string[]>();
  const keep = (name: string, body: JsonObject): void => {
    tools.set(
      name,
      (body['tools'] as readonly JsonObject[]).map((tool) => String(tool['name'])),
    );
  };
  const { live, begin, of } = await agentScene(
    {
      root: ({ index, body }) => {
        keep('root', body);
        if (index === 0) {
          const given = { message: 'TASK looker: look', name: 'looker', agent_type: 'explorer' };
          return answer({ items: [callTool('spawn_agent', given)] });
        }
        return index === 1 ? answer({ items: [callTool('wait_agent', {})] }) : done;
      },
      looker: ({ body }) => {
        keep('looker', body);
        return done;
      },
    },
    {
      features: 'default_mode_request_user_input = true\n',
      open: { askUser: { ask: async () => ({ kind: 'declined' }) } },
    },
  );
  const { home } = live.place;
  const log = join(home, 'seen.json');
  const keeps = `cat >>'${log}'; echo >>'${log}'`;
  const blocks = `input=$(cat); printf '%s\\n' "$input" >>'${log}'; case "$input" in *'"stop_hook_active":true'*) ;; *) echo 'Look again.' >&2; exit 2;; esac`;
  const table = {
    SessionStart: [hook(keeps)],
    Stop: [hook(keeps)],
    SubagentStart: [
      hook(`${keeps}; echo 'You look for bugs.'`, { matcher: 'explorer' }),
      hook('exit 1', { matcher: 'worker' }),
    ],
    SubagentStop: [hook(blocks)],
  };
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: table }));
  trustAll(home);
  const { thread } = await begin();
  expect(await thread.run({ input: words('go'), signal })).toMatchObject({ kind: 'completed' });
  const seen = readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JsonObject]));
  const [agent] = thread.state.agents ?? [];
  const own = { agent_id: agent?.id, agent_type: 'explorer', session_id: agent?.id };
  expect(seen).toMatchObject([
    { hook_event_name: 'SessionStart', session_id: thread.id },
    { hook_event_name: 'SubagentStart', ...own },
    { hook_event_name: 'SubagentStop', ...own, stop_hook_active: false, last_assistant_message: 'Done.' },
    { hook_event_name: 'SubagentStop', ...own, stop_hook_active: true },
    { hook_event_name: 'Stop', session_id: thread.id },
  ]);
  expect(seen[0]).not.toHaveProperty('agent_id');
  const [first = [], second = []] = of('looker');
  expect(first.filter((text) => text.includes('You look for bugs.'))).toHaveLength(1);
  expect(second.at(-1)).toContain('Look again.');
  expect(of('root').flat().join('\n')).not.toMatch(/look for bugs|Look again/);
  // An agent can ask only its parent.
  expect(tools.get('root')).toContain('request_user_input');
  expect(tools.get('looker')).not.toContain('request_user_input');
});
