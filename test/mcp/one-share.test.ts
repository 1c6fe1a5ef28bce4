import { expect, it } from 'vitest';
import { contextBudget } from '../../src/core/envelope/window.ts';
import type { ClientTool } from '../../src/index.ts';
import { sentTokens } from '../../src/core/fragments/text/truncate.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/protocol/user-input.ts';
import { answer, say } from '../../src/testing/index.ts';
import { mcpScene } from './mcp-scene.ts';

const inputSchema = { type: 'object' } as const;
const { signal } = new AbortController();
const done = answer({ items: [say('Done.')] });
/** A text of about so many tokens. */
const heavy = (tokens: number): string => 'word '.repeat((tokens * 4) / 5);
const client = (count: number): readonly ClientTool[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'function',
    name: `own_${at}`,
    description: heavy(250),
    inputSchema,
  }));

async function opened(serverTools: number, clientTools: readonly ClientTool[]) {
  const tools = Array.from({ length: serverTools }, (_, at) => ({
    name: `tool_${at}`,
    description: heavy(250),
    inputSchema,
  }));
  const scene = await mcpScene({ plan: { tools }, config: 'model_context_window = 40000' });
  const askUser = { ask: async () => ({ kind: 'declined' }) as const };
  await scene.live.open({}, { clientTools, askUser });
  const share = contextBudget('optionalTools', scene.live.thread.usage.effectiveWindow);
  /** The tokens of optional tools in the newest request, and their names. */
  const newest = () => {
    const all = scene.live.model.requests.at(-1)!.body['tools'] as unknown as readonly JsonObject[];
    const optional = all.filter(({ name }) => /^(own_|mcp__)/.test(String(name)));
    return {
      tokens: optional.reduce((sum, spec) => sum + sentTokens(JSON.stringify(spec)), 0),
      servers: optional.filter(({ name }) => String(name).startsWith('mcp__')).length,
      own: optional.filter(({ name }) => String(name).startsWith('own_')).length,
    };
  };
  const turn = async (change?: object) => {
    scene.live.model.push(done);
    const turn = { input: words('go'), signal };
    await (change === undefined ? scene.live.thread.run(turn) : scene.live.thread.runWith(change, turn));
    return newest();
  };
  return { share, turn };
}

it('a server that fits beside the tools of the client is listed, and one that does not is deferred', async () => {
  const both = await opened(5, client(4));
  expect(await both.turn()).toMatchObject({ servers: 5, own: 4 });
  const { share, turn } = await opened(11, client(4));
  const { tokens, ...listed } = await turn();
  expect(listed).toEqual({ servers: 0, own: 4 });
  expect(tokens).toBeLessThanOrEqual(share);
});

it('tools of the client that come later take what the servers left of the share', async () => {
  const { share, turn } = await opened(11, []);
  expect(await turn()).toMatchObject({ servers: 11, own: 0 });
  const { tokens, ...listed } = await turn({ clientTools: client(6) });
  expect(tokens).toBeLessThanOrEqual(share);
  expect(listed).toEqual({ servers: 11, own: expect.any(Number) });
  expect(listed.own).toBeLessThan(6);
});

it('many tools of the client keep to the share, too', async () => {
  const { share, turn } = await opened(0, client(40));
  const { tokens, own } = await turn();
  expect(tokens).toBeLessThanOrEqual(share);
  expect(own).toBeGreaterThan(4);
});
