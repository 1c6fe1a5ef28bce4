import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** So many requests of a server may wait for our answer. */
const mostWaiting = 1000;

/**
 * Has `end` called when the server sends requests and waits for no answer: each one is held until its answer has
 * left. To be called before the transport is given to a client.
 */
export function endOnFlood(transport: Transport, end: (why: string) => void): void {
  const waiting = new Set<unknown>();
  /** With an id that waits already: no answer of ours tells them apart. */
  let repeated = 0;
  const send = transport.send.bind(transport);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the interface of the library
  transport.onmessage = (message: JSONRPCMessage) => {
    if (!('method' in message)) return;
    if (!('id' in message)) {
      // One that the server takes back is not answered.
      if (message.method === 'notifications/cancelled') waiting.delete(message.params?.['requestId']);
      return;
    }
    if (waiting.has(message.id)) repeated += 1;
    waiting.add(message.id);
    if (waiting.size + repeated === mostWaiting + 1)
      end(`it sent more than ${mostWaiting} requests and waited for no answer`);
  };
  transport.send = async (message, options) => {
    await send(message, options);
    if (!('method' in message)) waiting.delete(message.id);
  };
}
