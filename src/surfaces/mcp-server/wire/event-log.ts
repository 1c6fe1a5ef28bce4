import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';

/** Kept for a client that comes back for what it did not get. */
const mostEvents = 1000;
const mostBytes = 4 * 1024 * 1024;

interface LoggedEvent {
  readonly id: EventId;
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** The newest messages of a session, by which the SDK resumes a stream that was cut off. */
export class EventLog implements EventStore {
  #events: LoggedEvent[] = [];
  #bytes = 0;
  #count = 0;

  async storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    this.#count += 1;
    const event = { id: `${this.#count}-${stream}`, stream, message, bytes: JSON.stringify(message).length };
    this.#events.push(event);
    this.#bytes += event.bytes;
    // Cut in large pieces: each cut moves all that stay.
    if (this.#events.length > 2 * mostEvents || this.#bytes > 2 * mostBytes) this.#cut();
    return event.id;
  }

  async getStreamIdForEventId(id: EventId): Promise<StreamId | undefined> {
    return this.#events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(
    id: EventId,
    { send }: { send: (id: EventId, message: JSONRPCMessage) => Promise<void> },
  ): Promise<StreamId> {
    const at = this.#events.findIndex((event) => event.id === id);
    const stream = this.#events[at]?.stream ?? '';
    // The SDK stores an empty message to give a stream its first id.
    const missed = this.#events.slice(at + 1).filter((event) => event.stream === stream && 'jsonrpc' in event.message);
    for (const event of missed) await send(event.id, event.message);
    return stream;
  }

  #cut(): void {
    let from = this.#events.length;
    let bytes = 0;
    while (from > 0 && this.#events.length - from < mostEvents) {
      bytes += this.#events[from - 1]?.bytes ?? 0;
      if (bytes > mostBytes) break;
      from -= 1;
    }
    this.#events = this.#events.slice(from);
    this.#bytes = this.#events.reduce((sum, event) => sum + event.bytes, 0);
  }
}
