// Drives `capstan mcp-server` with the official MCP client: starts a conversation, changes its context, compacts it, and
// prints every event that arrives meanwhile.
//
//   node examples/mcp-conversation.mjs                  uses the capstan on your PATH
//   node examples/mcp-conversation.mjs node dist/bin.cjs uses this clone

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command = 'capstan', ...words] = process.argv.slice(2);
const client = new Client({ name: 'example', version: '1.0.0' }, { capabilities: { elicitation: {} } });

// The agent asks before it leaves the sandbox. A real host shows the question to its user.
client.setRequestHandler('elicitation/create', ({ params }) => {
  console.log(`question: ${params.message}`);
  return { action: 'decline' };
});

// Events are typed: there is no text to parse.
const anyParams = { '~standard': { version: 1, vendor: 'example', validate: (value) => ({ value }) } };
client.setNotificationHandler('notifications/capstan/event', { params: anyParams }, ({ event }) => {
  if (event.type === 'context') console.log(`event: context ${event.kind} (${event.cause})`, event.value ?? '');
  else if (event.type === 'usage') console.log(`event: usage, ${event.percent_remaining} % of the window left`);
  else if (event.type !== 'preview') console.log(`event: ${event.type}`);
});

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  console.log(`${name}: ${result.content[0].text.split('\n')[0]}`);
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
}

const env = { ...process.env };
await client.connect(new StdioClientTransport({ command, args: [...words, 'mcp-server'], env }));
try {
  const { thread_id } = await call('thread_start', { prompt: 'What does this project do?', sandbox: 'read-only' });
  await call('thread_override', { thread_id, sandbox: 'workspace-write', approval_policy: 'on-request' });
  await call('thread_send', { thread_id, text: 'Write what you found to NOTES.md.' });
  await call('thread_compact', { thread_id, focus: 'what the project does' });
  await call('thread_send', { thread_id, text: 'Which file did you write?' });
  await call('thread_context', { thread_id });
  await call('thread_replay', { thread_id });
} finally {
  await client.close();
}
