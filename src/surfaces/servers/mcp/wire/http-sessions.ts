import { announceLists, type ClientLink, createClientLink } from './client-link.ts';
import { createProtocolServer, type ServedApp } from './protocol-server.ts';
import { StreamFlow } from './stream-flow.ts';
import {
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { EventId, EventStore, JSONRPCMessage, RequestId, Server, StreamId } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';

export type SessionLimits = Readonly<typeof sessionLimits>;

export const sessionLimits = {
  most: 100,
  /** A session ends after this time without a stream and without a request. */
  idleMs: 30 * 60 * 1000,
  /** The limit for a session with a call that waits for its client to come back for the answer. */
  abandonedMs: 60 * 1000,
  lookEveryMs: 15 * 1000,
};

interface Session {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly link: ClientLink;
  readonly flow: StreamFlow;
  readonly unanswered: Set<RequestId>;
  readonly stopAnnouncing: () => void;
  usedAt: number;
}

/** Delay before a client comes back for the rest of a stream that was cut off. */
const retryMs = 1000;

export class HttpSessions {
  readonly #served: ServedApp;
  readonly #limits: SessionLimits;
  readonly #sessions = new Map<string, Session>();
  readonly #looking: NodeJS.Timeout;

  constructor(served: ServedApp, limits: SessionLimits) {
    this.#served = served;
    this.#limits = limits;
    this.#looking = setInterval(() => this.#endOld(), limits.lookEveryMs).unref();
  }

  async handle(request: Request, body: unknown): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(body)) return this.#start(request, body);
      return httpErrorResponse(400, -32_000, 'This request belongs to no session. Begin with "initialize".');
    }
    const session = this.#sessions.get(id);
    if (session === undefined)
      return httpErrorResponse(404, -32_001, 'The session has ended. Begin a new one with "initialize".');
    session.usedAt = Date.now();
    const used = noteRequests(session, body);
    if (used !== undefined)
      return httpErrorResponse(400, -32_600, `A request with the id ${JSON.stringify(used)} is not answered yet.`);
    return this.#respond(session, request, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all([...this.#sessions.values()].map((session) => session.transport.close()));
  }

  async #start(request: Request, body: unknown): Promise<Response> {
    if (this.#sessions.size >= this.#limits.most && !(await this.#endOldest()))
      return httpErrorResponse(503, -32_000, `There are ${this.#limits.most} sessions already. Try again later.`);
    const flow = new StreamFlow();
    const link = createClientLink({ stays: true, taken: () => flow.taken() });
    const server = createProtocolServer(this.#served, 'legacy', link);
    const unanswered = new Set<RequestId>();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventLog(),
      retryInterval: retryMs,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id);
      await send(message, options);
    };
    const stopAnnouncing = announceLists(this.#served.app, () => server);
    const session: Session = { server, transport, link, flow, unanswered, stopAnnouncing, usedAt: Date.now() };
    await server.connect(transport);
    Object.assign(server, { onclose: () => this.#forget(session) });
    noteRequests(session, body);
    const response = await this.#respond(session, request, body);
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  async #respond(session: Session, request: Request, body: unknown): Promise<Response> {
    const response = await session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
    // The transport did not accept the requests, so they wait for no answer.
    if (response.status >= 400) for (const id of requestIds(body)) session.unanswered.delete(id);
    const over = (): void => void (session.usedAt = Date.now());
    return session.flow.watch(response, { signal: request.signal, over, whenFull: 'wait' });
  }

  #forget({ link, transport, stopAnnouncing }: Session): void {
    if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    stopAnnouncing();
    link.end();
  }

  #endOld(): void {
    const now = Date.now();
    for (const session of this.#sessions.values()) {
      if (session.flow.openStreams > 0) continue;
      const { abandonedMs, idleMs } = this.#limits;
      if (now - session.usedAt > (session.unanswered.size > 0 ? abandonedMs : idleMs)) void session.transport.close();
    }
  }

  /** Makes room by ending the session that was unused for the longest time; one that listens is in use. */
  async #endOldest(): Promise<boolean> {
    const unused = [...this.#sessions.values()].filter(
      ({ flow, unanswered }) => flow.openStreams === 0 && unanswered.size === 0,
    );
    const [oldest] = unused.toSorted((a, b) => a.usedAt - b.usedAt);
    await oldest?.transport.close();
    return oldest !== undefined;
  }
}

const messagesIn = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body]);

const requestIds = (body: unknown): readonly RequestId[] =>
  messagesIn(body)
    .filter((message) => isJSONRPCRequest(message))
    .map(({ id }) => id);

/** Records which requests wait for an answer. Returns the id of one that already does. */
function noteRequests({ unanswered }: Session, body: unknown): RequestId | undefined {
  const ids = requestIds(body);
  const used = ids.find((id, index) => unanswered.has(id) || ids.indexOf(id) !== index);
  if (used !== undefined) return used;
  for (const id of ids) unanswered.add(id);
  for (const message of messagesIn(body)) {
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') continue;
    // A cancelled request gets no answer.
    const id = message.params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') unanswered.delete(id);
  }
  return undefined;
}

export const httpErrorResponse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });

/** Kept for a client that comes back for missed events. */
const mostEvents = 1000;
const mostBytes = 4 * 1024 * 1024;

interface LoggedEvent {
  readonly id: EventId;
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** The newest messages of a session, by which the SDK resumes a stream that was cut off. */
class EventLog implements EventStore {
  #events: LoggedEvent[] = [];
  #bytes = 0;
  #count = 0;

  async storeEvent(stream: StreamId, message: JSONRPCMessage): Promise<EventId> {
    this.#count += 1;
    const event = { id: `${this.#count}-${stream}`, stream, message, bytes: JSON.stringify(message).length };
    this.#events.push(event);
    this.#bytes += event.bytes;
    // Cut rarely and in large pieces: each cut moves everything that stays.
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
