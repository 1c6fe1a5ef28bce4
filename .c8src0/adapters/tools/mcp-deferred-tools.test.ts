import { expect, test } from 'vitest';
import type { Tool } from './tool.ts';
import { rankTools } from './mcp-deferred-tools.ts';

function tool(name: string, description: string, parameters: object = {}): Tool {
  const spec = { type: 'function', name, description, parameters: { type: 'object', properties: parameters } } as const;
  return { name, spec: spec as unknown as Tool['spec'], prepare: () => ({ kind: 'refused', output: '' }) };
}

const tools = [
  tool('mcp__git__log', 'Shows the commits of a branch.'),
  tool('mcp__mail__send', 'Sends a letter.', { recipient: { type: 'string', description: 'Who gets the letter.' } }),
  tool('mcp__mail__list', 'Lists letters in a folder of the mail server, the newest letter first.'),
];
const found = (query: string): readonly string[] => rankTools(query, tools).map(({ name }) => name);

test('tools are found by words of their name, their description and their parameters, the most fitting first', () => {
  expect(found('commits')).toEqual(['mcp__git__log']);
  expect(found('recipient of a LETTER')).toEqual(['mcp__mail__send', 'mcp__mail__list', 'mcp__git__log']);
  expect(found('Mail, send')).toEqual(['mcp__mail__send', 'mcp__mail__list']);
  expect(found('sheep')).toEqual([]);
  expect(found('')).toEqual([]);
});
