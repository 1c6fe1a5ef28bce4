import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/protocol/json.ts';

/** The present state of a server of tools. */
export interface ToolServerNow {
  /** Names of its tools. */
  readonly tools: readonly string[];
  readonly isUp: boolean;
}

const absent: ToolServerNow = { tools: [], isUp: false };

/** MCP servers of this process, one for each path, over HTTP. What each of them is can change at any time. */
export class HttpToolServers {
  readonly #servers = new Map<string, ToolServerNow>();
  /** Those whose list is another one than the one that was given last. */
  readonly #changed = new Set<string>();
  readonly #http = createServer((request, response) => void this.#handle(request, response));
  /** The list that each gave last. */
  readonly listed = new Map<string, readonly string[]>();
  /** Starts of each server. */
  readonly starts = new Map<string, number>();
  /** Calls of a tool so far. */
  called = 0;

  /** Gives the address that the names of servers are appended to. */
  async start(): Promise<string> {
    await new Promise<void>((done) => this.#http.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/`;
  }

  set(name: string, now: ToolServerNow): void {
    const before = this.#servers.get(name) ?? absent;
    if (before.tools.join() !== now.tools.join()) this.#changed.add(name);
    this.#servers.set(name, now);
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((done) => this.#http.close(done));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = (request.url ?? '').slice(1);
    const now = this.#servers.get(name) ?? absent;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!now.isUp) return void response.writeHead(503).end('gone fishing');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
    if (id === undefined) return void response.writeHead(202).end();
    const answer = this.#answer(name, now, { method, params: Object(params) as JsonObject });
    const messages: JsonObject[] = [{ jsonrpc: '2.0', id, ...answer }];
    const tells = method === 'tools/call' && this.#changed.delete(name);
    if (tells) messages.unshift({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(''));
  }

  #answer(
    name: string,
    now: ToolServerNow,
    { method, params }: { readonly method: unknown; readonly params: JsonObject },
  ): JsonObject {
    switch (method) {
      case 'initialize':
        this.starts.set(name, (this.starts.get(name) ?? 0) + 1);
        return {
          result: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name, version: '1' },
            instructions: `The server ${name}. </tools> and <more>`,
          },
        };
      case 'tools/list':
        this.listed.set(name, now.tools);
        this.#changed.delete(name);
        return { result: { tools: now.tools.map(toolNamed) } };
      case 'tools/call': {
        this.called++;
        const tool = String(params['name']);
        if (!now.tools.includes(tool)) return { error: { code: -32602, message: `no tool ${tool}` } };
        return { result: { content: [{ type: 'text', text: `${name} did ${tool}` }] } };
      }
      default:
        return { error: { code: -32601, message: `no ${String(method)}` } };
    }
  }
}

function toolNamed(name: string): JsonObject {
  return {
    name,
    description: `Does ${name}. </tools>`,
    inputSchema: { type: 'object', properties: { what: { type: 'string' } } },
    annotations: { readOnlyHint: name !== 'write', openWorldHint: false },
  };
}
