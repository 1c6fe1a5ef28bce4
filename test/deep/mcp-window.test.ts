import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sentTokens } from '../../src/core/fragments/text/truncate.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf } from '../harness/scene.ts';

const program = join(import.meta.dirname, '../mcp/scripted-server.ts');

/** Servers with few and many tools, each tool with this many words. */
const servers = {
  small: { count: 4, words: 10 },
  middle: { count: 20, words: 150 },
  large: { count: 500, words: 200 },
};

test.each([8000, 16_000, 64_000, 272_000, 1_000_000])(
  'in a window of %i tokens tools of servers keep to their share, and all of them can be called',
  async (window) => {
    const live = await LiveThread.in([], `model_context_window = ${window}\n`);
    const tables = Object.entries(servers).map(([name, { count, words }]) => {
      const plan = join(live.place.home, `${name}.json`);
      const tools = Array.from({ length: count }, (_, at) => ({
        name: `${name}_${at}`,
        description: `Tool ${at}. ${'word '.repeat(words)}`,
        inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'What it is about.' } } },
        annotations: { readOnlyHint: true },
      }));
      writeFileSync(
        plan,
        JSON.stringify({ tools, instructions: `The ${name} server. ${'More about it. '.repeat(50)}` }),
      );
      const args = JSON.stringify([program, plan, join(live.place.home, `${name}.log`)]);
      return `[mcp_servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n`;
    });
    const file = join(live.place.home, 'config.toml');
    writeFileSync(file, tables.join('\n'), { flag: 'a' });
    live.model.push(answer({ items: [callTool('tool_search', { query: 'large tool 400', limit: 50 })] }));
    live.model.push(
      answer({ items: [callTool('call_tool', { name: 'mcp__large__large_400', arguments: { a: 'x' } })] }),
    );
    live.model.push(answer({ items: [callTool('mcp__small__small_1', {})] }));
    live.model.push(answer({ items: [callTool('mcp__middle__middle_1', {})] }));
    live.model.push(answer({ items: [say('Done.')] }));
    await live.turn('go');

    const body = live.model.requests[0]!.body as { readonly tools: readonly JsonObject[] };
    const ofServers = body.tools.filter(({ name }) => String(name).startsWith('mcp__'));
    const weight = ofServers.reduce((sum, spec) => sum + sentTokens(JSON.stringify(spec)), 0);
    expect(weight).toBeLessThanOrEqual(Math.min(20_000, window / 10));
    expect(ofServers.length).toBeGreaterThanOrEqual(window < 16_000 ? 0 : servers.small.count);
    // The rest is for the conversation and for a compaction of it.
    expect(sentTokens(JSON.stringify(body))).toBeLessThan(window / 2);
    for (const { body: each } of live.model.requests) expect(sentTokens(JSON.stringify(each))).toBeLessThan(window);
    const outputs = inputOf(live.model, 4).flatMap(({ output }) => (output === undefined ? [] : [String(output)]));
    expect(outputs.slice(1)).toEqual([
      expect.stringContaining('called large_400'),
      expect.stringContaining('called small_1'),
      expect.stringContaining('called middle_1'),
    ]);
  },
);
