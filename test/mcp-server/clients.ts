import { join } from 'node:path';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { JsonObject } from '../../src/protocol/json.ts';
import { compiledVariables } from '../harness/compiled-once.ts';

/** The revisions that a client may insist on. */
export const revisions = ['2026-07-28', '2025-11-25'] as const;
export type WireRevision = (typeof revisions)[number];

type Answer = (params: JsonObject) => JsonObject | Promise<JsonObject>;

export interface ClientSetup {
  readonly revision: WireRevision;
  /** The answer of its user; absent: it cannot ask. */
  readonly answer?: Answer;
  readonly more?: Partial<ClientOptions>;
}

/** The official client, which speaks one revision and no other. */
function officialClient({ revision, answer, more }: ClientSetup): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: answer === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
      ...more,
    },
  );
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => (await answer(params as JsonObject)) as never);
  }
  return client;
}

/** The program that serves the fake app, as a child of the official client. */
export function stdioProgram(...words: string[]): {
  readonly transport: StdioClientTransport;
  readonly notes: string[];
} {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(import.meta.dirname, 'stdio-program.ts'), ...words],
    env: compiledVariables,
    stderr: 'pipe',
  });
  const notes: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => notes.push(...chunk.toString().trimEnd().split('\n')));
  return { transport, notes };
}

export async function connected(setup: ClientSetup, transport: Transport): Promise<Client> {
  const client = officialClient(setup);
  await client.connect(transport);
  return client;
}
