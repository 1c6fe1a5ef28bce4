import { expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import { questionWords } from './question-lines.ts';

it('a command of two lines does not look like one', () => {
  const of = (script: string): string =>
    questionWords({
      id: 'q',
      callId: 'c',
      turnId: 't' as TurnId,
      tool: 'exec_command',
      item: {},
      kind: 'command',
      argv: ['bash', '-c', script],
      scopes: ['call'],
    });
  expect(of('echo ok touch late\n')).toBe('run echo ok touch late');
  expect(of('echo ok\n  touch late\n')).toBe('run echo ok \u240A touch late');
});

it('a tool of an MCP server has the name that its server gives it', () => {
  const call = { id: 'q', callId: 'c', turnId: 't' as TurnId, kind: 'tool', scopes: ['call'] } as const;
  const item = { type: 'DynamicToolCall', tool: 'echo', capstan: { server: 'dies' } };
  expect(questionWords({ ...call, tool: 'mcp__dies__echo', item })).toBe('use dies.echo');
  expect(questionWords({ ...call, tool: 'lookup', item: {} })).toBe('use lookup');
});
