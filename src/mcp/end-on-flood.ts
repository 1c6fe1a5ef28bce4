import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/** So many requests of a server may wait for our answer. */
const mostWaiting = 1000;
/** An id may have any length, and is kept until then: a long one counts as several. */
const idCharacters = 1000;

/**
 * Has `end` called when the server sends requests and waits for no answer: each one is held until its answer has
 * left. To be called before the transport is given to a client.
 */
export function endOnFlood(transport: Transport, end: (why: string) => void): void {
  const waiting = new Map<unknown, number>();
  /** Those whose answer is on its way: the server can take them back no longer. */
  const answered = new Set<unknown>();
  let weight = 0;
  let isOver = false;
  const forget = (id: unknown): void => {
    weight -= waiting.get(id) ?? 0;
    waiting.delete(id);
    answered.delete(id);
  };
  const send = transport.send.bind(transport);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the interface of the library
  transport.onmessage = (message: JSONRPCMessage) => {
    if (!('method' in message)) return;
    if (!('id' in message)) {
      // One that the server takes back is not answered.
      const id = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
      if (!answered.has(id)) forget(id);
      return;
    }
    const own = 1 + Math.floor(String(message.id).length / idCharacters);
    weight += own;
    // An answer takes off one of those that share an id: nothing tells them apart.
    waiting.set(message.id, own);
    if (isOver || weight <= mostWaiting) return;
    isOver = true;
    end(`it sent more than ${mostWaiting} requests that have no answer yet`);
  };
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options);
    answered.add(message.id);
    await send(message, options).finally(() => forget(message.id));
  };
}
