import { expect, test } from 'vitest';
import { readMcpServers } from '../../core/config/servers/mcp-servers.ts';
import { offeredTools, parseServerListing } from './listed-tools.ts';
import type { Json } from '../../protocol/json.ts';

const about = { hasResources: false };
const named = (...tools: readonly Json[]) => parseServerListing(tools, about).tools.map(({ tool }) => tool);

test('what is malformed is left out, and of two tools with one name the first stays', () => {
  const tools = [
    7,
    {},
    { name: '' },
    { name: 'x'.repeat(129) },
    { name: 'b' },
    { name: 'a', title: 'First' },
    { name: 'a' },
  ];
  expect(named(...tools)).toEqual(['a', 'b']);
  expect(parseServerListing(tools, about).tools[0]).toEqual({
    tool: 'a',
    description: 'First',
    parameters: { type: 'object', properties: {} },
    hints: {},
  });
  expect(named(...Array.from({ length: 1000 }, (_, at) => ({ name: `t${at}` })))).toHaveLength(512);
});

test('tools that only pages of the server may call are left out', () => {
  const shown = (visibility: Json) => ({ name: 'x', _meta: { ui: { visibility } } });
  expect([named(shown(['app'])), named(shown(['app', 'model'])), named(shown('app'))]).toEqual([[], ['x'], ['x']]);
});

test('words of a server are cut, and signs that no one sees are taken out of them', () => {
  const hidden = '\u200bhi\u202eden\u0007 \u{e0041}\u{e0042}\ufeff\r\nnext';
  const { tools, instructions } = parseServerListing([{ name: 'x', description: hidden }], {
    ...about,
    instructions: 'y'.repeat(9000),
  });
  expect(tools[0]?.description).toBe('hiden \nnext');
  expect([...(instructions ?? '')]).toHaveLength(1024);
  expect(parseServerListing([], { ...about, instructions: ' \u200b ' })).toEqual({ tools: [], hasResources: false });
});

test('claims count only where they are yes or no', () => {
  const annotations = { readOnlyHint: true, destructiveHint: 'no', idempotentHint: false, openWorldHint: 0 };
  expect(parseServerListing([{ name: 'x', annotations }], about).tools[0]?.hints).toEqual({
    readOnly: true,
    idempotent: false,
  });
});

test('a thread offers the tools that the configuration lets through, with the mode that holds for each', () => {
  const table = {
    command: 'x',
    enabledTools: ['a', 'b', 'constructor'],
    disabledTools: ['b'],
    defaultToolsApprovalMode: 'writes' as const,
    tools: { a: { approvalMode: 'prompt' as const } },
  };
  const [config] = readMcpServers({ s: table }).servers;
  const listing = parseServerListing([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'constructor' }], about);
  expect(offeredTools([{ config: config!, listing }]).map(({ name, approval }) => [name, approval])).toEqual([
    ['mcp__s__a', 'prompt'],
    ['mcp__s__constructor', 'writes'],
  ]);
});
