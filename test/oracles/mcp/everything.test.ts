import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Answer, Question } from '../../../src/protocol/question.ts';
import { answer, callTool, type ItemDraft, say } from '../../../src/testing/index.ts';
import { LiveThread } from '../../harness/live-thread.ts';
import { inputOf } from '../../harness/scene.ts';
import { requireOracles } from '../require-oracles.ts';

const program = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** Every tool that the server has for a client with our capabilities, a call of it, and what the model reads. */
const calls: readonly (readonly [tool: string, given: JsonObject, told: RegExp])[] = [
  ['echo', { message: 'hi' }, /Echo: hi$/],
  ['get-annotated-message', { messageType: 'error', includeImage: true }, /Error: Operation failed\n\[picture\]$/],
  ['get-env', {}, /"PATH": /],
  ['get-resource-links', { count: 2 }, /Here are 2 resource links.*\n\{.*"uri":"demo:\/\/resource\/dynamic\/blob\/1"/],
  [
    'get-resource-reference',
    { resourceType: 'Text', resourceId: 1 },
    /\nResource "demo:\/\/resource\/dynamic\/text\/1"/,
  ],
  ['get-roots-list', {}, /URI: file:\/\/\/.*\/workspace\n/],
  ['get-structured-content', { location: 'Chicago' }, /Output:\n\{"temperature":36,[^\n]*\}$/],
  ['get-sum', { a: 1, b: 2 }, /The sum of 1 and 2 is 3\.$/],
  ['get-tiny-image', {}, /\n\[picture\]\n/],
  [
    'gzip-file-as-resource',
    { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' },
    /"uri":"demo:\/\/resource\/session\/x\.gz"/,
  ],
  ['simulate-research-query', { topic: 'tides' }, /# Research Report: tides/],
  ['toggle-simulated-logging', {}, /Started simulated, random-leveled logging/],
  ['toggle-subscriber-updates', {}, /Started simulated resource updated notifications/],
  ['trigger-elicitation-request', {}, /User inputs:\n- Name: Ada/],
  ['trigger-long-running-operation', { duration: 0.3, steps: 3 }, /Long running operation completed/],
  ['trigger-url-elicitation', { url: 'https://example.com/' }, /"action": "accept"\n\}$/],
];
const named = (tool: string): string => `mcp__e__${tool.replaceAll('-', '_')}`;

beforeAll(requireOracles);

async function everything() {
  const live = await LiveThread.in([]);
  const table = `
[mcp_servers.e]
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([program, 'stdio'])}
default_tools_approval_mode = "approve"
`;
  appendFileSync(join(live.place.home, 'config.toml'), table);
  const asked: Question[] = [];
  const ask = async (question: Question): Promise<Answer> => {
    asked.push(question);
    return { kind: 'allowed', content: { name: 'Ada' } };
  };
  await live.open({}, { askUser: { ask } });
  return {
    live,
    asked,
    /** A turn with one call, and what the model reads of it. */
    async call(made: ItemDraft): Promise<string> {
      live.model.push(answer({ items: [made] }), answer({ items: [say('Done.')] }));
      await live.turn('go');
      const { output } = inputOf(live.model, live.model.requests.length - 1).findLast(
        (item) => item['output'] !== undefined,
      )!;
      if (typeof output === 'string') return output;
      return (output as unknown as readonly JsonObject[]).map(({ text }) => text ?? '[picture]').join('\n');
    },
  };
}

test('every tool of the official server works in a thread', async () => {
  const { live, asked, call } = await everything();
  for (const [tool, given, told] of calls) expect(await call(callTool(named(tool), given)), tool).toMatch(told);
  const { tools } = live.model.requests[0]!.body as { readonly tools?: readonly JsonObject[] };
  const offered = (tools ?? []).map(({ name }) => String(name)).filter((name) => name.startsWith('mcp__e__'));
  expect(offered).toEqual(calls.map(([tool]) => named(tool)).toSorted());
  expect(asked.map(({ kind, elicitation }) => [kind, elicitation?.url])).toEqual([
    ['elicitation', undefined],
    ['elicitation', 'https://example.com/'],
  ]);
});

test('its resources are listed and read, also one that a tool made', async () => {
  const { call } = await everything();
  const given = { name: 'y.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' };
  await call(callTool(named('gzip-file-as-resource'), given));
  const listed = await call(callTool('list_mcp_resources', {}));
  expect(listed).toContain('{"server":"e","name":"architecture.md"');
  const uri = 'demo://resource/session/y.gz';
  expect(listed).toContain(uri);
  expect(await call(callTool('read_mcp_resource', { server: 'e', uri }))).toContain('"mimeType":"application/gzip"');
  expect(await call(callTool('list_mcp_resource_templates', { server: 'e' }))).toContain(
    'demo://resource/dynamic/text/',
  );
  const missing = await call(callTool('read_mcp_resource', { server: 'e', uri: 'demo://none' }));
  expect(missing).toContain('The call failed: resources/read failed: the server answered with an error');
});

test('a call that the server refuses until the user has visited a page is made again after that', async () => {
  const { asked, call } = await everything();
  const url = 'https://example.com/first';
  const told = await call(callTool(named('trigger-url-elicitation'), { url, errorPath: true, elicitationId: 'one' }));
  expect(told).toContain('User completed the URL elicitation flow');
  expect(asked.map(({ elicitation }) => elicitation?.url)).toEqual(['https://modelcontextprotocol.io/', url]);
});
