import type { Turn } from '../parts/parts.ts';

/** Names of the thread and of the program, for the provider's logs. */
export function requestHeaders({ threadId, envelope }: Turn): Readonly<Record<string, string>> {
  const { client } = envelope.identity;
  return {
    'session-id': threadId,
    'thread-id': threadId,
    'x-client-request-id': threadId,
    originator: client.name,
    'user-agent': `${client.name}/${client.version}`,
  };
}
