import { McpClient } from '../mcp-client.ts';
import { command, done } from '../model.ts';
import type { Run } from '../run.ts';

export const mcpServerRuns: readonly Run[] = [
  {
    name: 'mcp-server',
    configuration: { top: 'approval_policy = "on-request"\n' },
    speeches: {
      main: [
        command('touch ../outside/file', { sandbox_permissions: 'require_escalated', justification: 'May I?' }),
        done('Touched.'),
        done('More.'),
      ],
    },
    expects: ['request', 'file', 'event'],
    async play(world) {
      const client = new McpClient(world, () => ({ action: 'accept', content: { decision: 'approved' } }), '--compat');
      await client.greet();
      await client.request('tools/list', {});
      await client.request('resources/list', {});
      const started = await client.call('thread_start', { prompt: 'Touch the file.' });
      const id = started['thread_id'] ?? null;
      await client.call('thread_send', { thread_id: id, text: 'And more.' });
      await client.call('thread_read', { thread_id: id });
      await client.call('thread_list', {});
      await client.call('thread_read', { thread_id: 'no such thread' });
      await client.call('no_such_tool', {});
      await client.end();
    },
  },
];
