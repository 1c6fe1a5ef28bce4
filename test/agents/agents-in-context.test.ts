import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { agentScene } from './agent-scene.ts';

const done = answer({ items: [say('Done.')] });

it('what the next request would hold has the tools for agents where the thread may start some, and only there', async () => {
  const bodies = new Map<string, JsonObject>();
  const { live, begin } = await agentScene({
    root: ({ index, body }) => {
      bodies.set('root', body);
      if (index === 0) return answer({ items: [callTool('spawn_agent', { message: 'TASK deep: x', name: 'deep' })] });
      return index === 1 ? answer({ items: [callTool('wait_agent', {})] }) : done;
    },
    deep: ({ body }) => {
      bodies.set('deep', body);
      return done;
    },
  });
  const { engine, thread } = await begin();
  await thread.run({ input: words('go'), signal: new AbortController().signal });
  const { agents } = await engine.stored.agents(thread.id);
  await engine.close();
  const sent = (name: string) => (arrayAt(bodies.get(name)!, 'tools') ?? []).filter(isJsonObject).map(nameOf);
  const foreseen = async (id: string) => {
    const { stdout } = await live.place.run('context', id, '--json');
    const parts = (arrayAt(JSON.parse(stdout) as JsonObject, 'parts') ?? []).filter(isJsonObject);
    return parts.filter((part) => stringAt(part, 'family') === 'tools').map(nameOf);
  };
  expect(sent('root')).toContain('spawn_agent');
  expect(new Set(await foreseen(thread.id))).toEqual(new Set(sent('root')));
  expect(sent('deep')).not.toContain('spawn_agent');
  expect(new Set(await foreseen(agents[0]!.id))).toEqual(new Set(sent('deep')));
});

function nameOf(tool: JsonObject): string {
  return stringAt(tool, 'name') ?? stringAt(tool, 'type') ?? '';
}
