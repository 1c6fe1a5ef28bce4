import { expect, test } from 'vitest';
import type { TurnId } from '../../protocol/ids.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import { execEvents } from './json-output.ts';

const turnId = 't' as TurnId;
const call: TurnItem = { kind: 'tool-call', id: 'c', server: 's', tool: 'x', arguments: {}, status: 'in-progress' };
const command: TurnItem = { kind: 'command', id: 'd', argv: ['ls'], cwd: '/', status: 'in-progress', output: '' };

test('a refused call is an item that is over, and a call that the model got wrong is none', () => {
  const events = execEvents();
  const refused = (item?: TurnItem) =>
    events({ kind: 'call-refused', turnId, callId: 'c', tool: 'x', reason: 'No.', ...(item && { item }) });
  expect([refused(command), refused(call), refused()]).toEqual([
    [
      {
        type: 'item.completed',
        item: {
          id: 'item_0',
          type: 'command_execution',
          command: 'ls',
          aggregated_output: 'No.',
          exit_code: null,
          status: 'declined',
        },
      },
    ],
    [
      {
        type: 'item.completed',
        item: {
          id: 'item_1',
          type: 'mcp_tool_call',
          server: 's',
          tool: 'x',
          arguments: {},
          result: null,
          error: { message: 'No.' },
          status: 'failed',
        },
      },
    ],
    [],
  ]);
});

test('the result of a server is shown as the server gave it', () => {
  const content = [{ type: 'text', text: 'One.' }];
  const item: TurnItem = { ...call, status: 'completed', output: 'One.', result: { content, structured: { n: 1 } } };
  expect(execEvents()({ kind: 'item-completed', turnId, item })).toMatchObject([
    { item: { result: { content, structured_content: { n: 1 } }, error: null, status: 'completed' } },
  ]);
});
