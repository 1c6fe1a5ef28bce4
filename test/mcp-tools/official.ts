import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { JsonObject } from '../../src/protocol/json.ts';
import { capstanScript, type Place } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { type ClientSetup, connected } from '../mcp-server/clients.ts';
import { until } from '../mcp-server/suite.ts';

/** The official client of a `capstan mcp-server` that is a process of its own. */
export class OfficialHost {
  readonly client: Client;
  /** The typed events so far. */
  readonly events: JsonObject[] = [];

  private constructor(client: Client) {
    this.client = client;
    client.setNotificationHandler('notifications/capstan/event', { params: anything }, (params) => {
      this.events.push((params as unknown as { readonly event: JsonObject }).event);
    });
  }

  static async in(place: Place, setup: ClientSetup, ...words: readonly string[]): Promise<OfficialHost> {
    const env = { ...(process.env as Record<string, string>), CAPSTAN_HOME: place.home };
    const args = [capstanScript, 'mcp-server', ...words];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      env,
      cwd: place.workspace,
      stderr: 'ignore',
    });
    const client = await connected(setup, transport);
    whenTestEnds(() => client.close());
    return new OfficialHost(client);
  }

  /** Connects over HTTP. */
  static async overHttp(place: Place, setup: ClientSetup): Promise<OfficialHost> {
    const env = { ...process.env, CAPSTAN_HOME: place.home };
    const words = [capstanScript, 'mcp-server', '--http', '0'];
    const server = spawn(process.execPath, words, { env, cwd: place.workspace, stdio: ['ignore', 'ignore', 'pipe'] });
    whenTestEnds(async () => {
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    });
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    await until(() => said.includes('Bearer'), 60_000);
    const authorization = /^Authorization: (.+)$/m.exec(said)?.[1] ?? '';
    const url = new URL(/http:\S+/.exec(said)?.[0] ?? '');
    const client = await connected(
      setup,
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }),
    );
    whenTestEnds(() => client.close());
    return new OfficialHost(client);
  }

  /** The data of a call, which may be about an error. */
  async call(
    name: string,
    args: JsonObject,
  ): Promise<{ readonly data: JsonObject; readonly isError: boolean; readonly text: string }> {
    const result = await this.client.callTool({ name, arguments: args });
    const [first] = result.content as readonly { readonly text?: string }[];
    return {
      data: (result.structuredContent ?? {}) as JsonObject,
      isError: result.isError === true,
      text: first?.text ?? '',
    };
  }

  async data(name: string, args: JsonObject): Promise<JsonObject> {
    const { data, isError, text } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${text}`);
    return data;
  }

  /** The results of a call: its data, and the events before its answer. */
  async heard(
    name: string,
    args: JsonObject,
  ): Promise<{ readonly data: JsonObject; readonly events: readonly JsonObject[] }> {
    const before = this.events.length;
    const data = await this.data(name, args);
    return { data, events: this.events.slice(before) };
  }
}

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;
