import { type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../src/protocol/json.ts';
import { variablesWithCompiled } from '../harness/compiled-once.ts';
import { until } from './suite.ts';

/** A client that writes and reads lines itself, and so can do what no well-made client does. */
export interface RawClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: JsonObject[];
  readonly notes: string[];
  readonly ended: Promise<number | null>;
  send(message: JsonObject | string): void;
  /** The answer to a request, or a message of another kind. */
  receive(isIt: (message: JsonObject) => boolean): Promise<JsonObject>;
  answerTo(id: string | number): Promise<JsonObject>;
}

export const initialize = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '1' },
  },
} as const;

/** The members that every request of the new revision carries. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
} as const;

export function rawClient(
  program = [join(import.meta.dirname, 'stdio-program.ts')],
  options: SpawnOptionsWithoutStdio = {},
): RawClient {
  const child = spawn(process.execPath, program, { env: variablesWithCompiled(), ...options });
  const messages: JsonObject[] = [];
  const notes: string[] = [];
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line) as JsonObject));
  createInterface({ input: child.stderr }).on('line', (line) => notes.push(line));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const receive: RawClient['receive'] = async (isIt) => {
    await until(() => messages.some(isIt), 30_000);
    return messages.find(isIt) ?? {};
  };
  return {
    child,
    messages,
    notes,
    ended,
    send: (message) => void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    receive,
    answerTo: (id) => receive((message) => message.id === id && message.method === undefined),
  };
}

/** The same, after the greeting of the old revisions. */
export async function greeted(program?: string[], options?: SpawnOptionsWithoutStdio): Promise<RawClient> {
  const client = rawClient(program, options);
  client.send(initialize);
  await client.answerTo('hello');
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}

export function toolCall(id: string | number, name: string, args: JsonObject, more: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...more } };
}
