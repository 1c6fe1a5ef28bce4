import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, objectAt, parseJsonObject } from '../../src/protocol/json.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/**
 * A server at an address whose tool `ask` asks the user before it answers. `together`: it asks nothing before so many
 * calls are there, and then for the oldest first.
 */
export async function askingServer({ together }: { readonly together: number }): Promise<string> {
  const calls: { readonly id: unknown; readonly name: string; readonly stream: ServerResponse }[] = [];
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = parseJsonObject(Buffer.concat(chunks).toString('utf8'));
    const json = (value: JsonObject): void =>
      void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id: message?.['id'] ?? null, ...value }));
    if (message === undefined) return void response.writeHead(405).end();
    const params = objectAt(message, 'params') ?? {};
    switch (message['method']) {
      case 'initialize': {
        const { protocolVersion = '' } = params;
        return json({
          result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'asking', version: '1' } },
        });
      }
      case 'tools/list': {
        const annotations = { readOnlyHint: true, openWorldHint: false };
        return json({ result: { tools: [{ name: 'ask', inputSchema: { type: 'object' }, annotations }] } });
      }
      case 'tools/call': {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const name = String(objectAt(params, 'arguments')?.['name']);
        calls.push({ id: message['id'], name, stream: response });
        if (calls.length === together) for (const call of calls) ask(call);
        return;
      }
      case undefined: {
        response.writeHead(202).end();
        const call = calls[Number(String(message['id']).replace('ask-', ''))];
        const text = `${call?.name}: ${JSON.stringify(objectAt(message, 'result')?.['content'])}`;
        send(call?.stream, { id: call?.id as string, result: { content: [{ type: 'text', text }] } });
        call?.stream.end();
        return;
      }
      default:
        return message['id'] === undefined
          ? void response.writeHead(202).end()
          : json({ error: { code: -32601, message: 'no such method' } });
    }
  }

  function ask(call: (typeof calls)[number]): void {
    const requestedSchema = { type: 'object', properties: { who: { type: 'string' } } };
    const params = { message: `Who is ${call.name}?`, requestedSchema };
    send(call.stream, { id: `ask-${calls.indexOf(call)}`, method: 'elicitation/create', params });
  }

  function send(stream: ServerResponse | undefined, message: JsonObject): void {
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  }

  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
