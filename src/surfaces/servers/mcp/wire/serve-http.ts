import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import { isJsonObject, type Json, type JsonObject, objectAt } from '../../../../protocol/json.ts';
import { type ClientPort, shortenCallText } from '../server-interface.ts';
import { type ClientLink, createClientLink, subscriptionPort } from './client-link.ts';
import { bracketedHost, createRequestGuard, mcpHttpPath, rejectHttpRequest } from './http-access.ts';
import type { AccessToken, HttpAddress } from './http-access.ts';
import { HttpSessions, httpErrorResponse, type SessionLimits, sessionLimits } from './http-sessions.ts';
import { messageLimits, MessageScan, messageTooDeep } from './message-scan.ts';
import { createProtocolServer, type ServedApp } from './protocol-server.ts';
import { listenedIn, ResourceWatches, unknownResourceError } from './resource-watches.ts';
import type { RunningServer } from './serve-stdio.ts';
import { StreamFlow } from './stream-flow.ts';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpOptions = HttpAddress & Pick<AccessToken, 'token'> & { readonly limits?: SessionLimits };
/** Limits of concurrent `subscriptions/listen` streams, and of the resources that one of them follows. */
const mostListeners = 256;
const mostFollowed = 1024;

/** Serves any number of clients over streamable HTTP. Closing it leaves the app open. Rejects if it cannot listen. */
export async function serveHttp(
  served: ServedApp,
  options: HttpOptions,
): Promise<RunningServer & { readonly url: string }> {
  const endpoint = createEndpoint(served, options);
  const handler = toNodeHandler(endpoint, {
    maxRequestBodySize: messageLimits.longest,
    onerror: (error) => served.report(error.message),
  });
  const isAllowed = createRequestGuard(options);
  const http = createServer((request, response) => {
    if (!isAllowed(request, response) || refuseLargeBody(request, response, messageLimits.longest)) return;
    const handled = handler(inLargePieces(request) as NodeIncomingMessageLike & IncomingMessage, response);
    handled.catch((error: unknown) => served.report(String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port, options.host, resolve);
  });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  http.on('close', resolve).on('error', (error) => served.report(error.message));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://${bracketedHost(options.host)}:${port}${mcpHttpPath}`,
    ended,
    async close(): Promise<void> {
      http.close();
      await endpoint.close();
      http.closeAllConnections();
      await ended;
    },
  };
}

const pieceBytes = 64 * 1024;

/** The SDK appends each chunk of a body to a string: a body in chunks of one byte would take many times its size. */
function inLargePieces(request: IncomingMessage): IncomingMessage {
  const chunks = request[Symbol.asyncIterator].bind(request);
  return Object.assign(request, {
    async *[Symbol.asyncIterator]() {
      const held = new BoundedBuffer(pieceBytes);
      for await (const chunk of chunks() as AsyncIterable<Buffer>) {
        if (held.length + chunk.length > pieceBytes) yield held.take();
        if (chunk.length > pieceBytes) yield chunk;
        else held.add(chunk);
      }
      if (held.length > 0) yield held.take();
    },
  });
}

function createEndpoint(served: ServedApp, options: HttpOptions) {
  const links = new WeakMap<Request, ClientLink>();
  const sessions = new HttpSessions(served, options.limits ?? sessionLimits);
  const modern = createMcpHandler(
    // The SDK passes on the request that it was given; without one there is no client.
    ({ requestInfo }) =>
      createProtocolServer(
        served,
        'modern',
        (requestInfo && links.get(requestInfo)) ?? createClientLink({ stays: false }),
      ),
    {
      legacy: 'reject',
      maxSubscriptions: mostListeners,
      maxRequestBodySize: messageLimits.longest,
      onerror: (error) => served.report(error.message),
    },
  );
  const { resources } = served.app;
  const watches = resources && new ResourceWatches(resources, (uri) => modern.notify.resourceUpdated(uri));
  const stopAnnouncing = served.app.watchLists?.((list) => {
    const notices = {
      tools: modern.notify.toolsChanged,
      resources: modern.notify.resourcesChanged,
      prompts: modern.notify.promptsChanged,
    };
    notices[list]();
  });

  async function fetch(request: Request): Promise<Response> {
    let body: Json | undefined;
    if (request.method === 'POST') {
      const bytes = Buffer.from(await request.arrayBuffer());
      const scan = new MessageScan();
      scan.read(bytes);
      if (scan.deepest > messageLimits.deepest) return httpErrorResponse(400, -32_600, messageTooDeep);
      try {
        body = JSON.parse(bytes.toString('utf8')) as Json;
      } catch {
        return httpErrorResponse(400, -32_700, 'The body is not JSON.');
      }
    }
    if (await isLegacyRequest(request, body)) return sessions.handle(request, body);
    const uris = listenedUris(body);
    const unknown = await unknownResourceError(resources, uris);
    if (unknown !== undefined && isListening(body)) return notFound(body, unknown);
    const flow = new StreamFlow();
    const link = createClientLink({ stays: false, taken: () => flow.taken() });
    links.set(request, link);
    request.signal.addEventListener('abort', () => link.end(), { once: true });
    const stops = watches === undefined ? [] : uris.map((uri) => watches.follow(uri));
    if (isListening(body) && resources !== undefined) {
      // The SDK sends only notices on a listener's stream. The events of what it follows are sent between them.
      const listener = listenerOn(flow, link, body);
      stops.push(...uris.map((uri) => resources.watch(uri, () => {}, listener)));
    }
    const response = await modern.fetch(request, body === undefined ? {} : { parsedBody: body });
    const over = (): void => {
      for (const stop of stops) stop();
      link.end();
    };
    // Notices for a listener that does not read would pile up; the events of a call are bounded by its outbox.
    const whenFull = isListening(body) ? 'cut off' : 'wait';
    return flow.watch(response, { signal: request.signal, over, whenFull });
  }

  async function close(): Promise<void> {
    stopAnnouncing?.();
    watches?.close();
    await Promise.all([modern.close(), sessions.close()]);
  }

  return { fetch, close };
}

/** The answer that a handler of the SDK would give: for this method the SDK has none. */
const notFound = ({ id = null }: JsonObject, { uri, message }: { readonly uri: string; readonly message: string }) =>
  Response.json({ jsonrpc: '2.0', id, error: { code: -32_602, message, data: { uri: shortenCallText(uri) } } });

function listenerOn(flow: StreamFlow, link: ClientLink, { id = null }: JsonObject): ClientPort {
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id };
  return subscriptionPort(link, ({ method, params }) =>
    flow.send({ jsonrpc: '2.0', method, params: { ...params, _meta } }),
  );
}

const isListening = (body: Json | undefined): body is JsonObject =>
  isJsonObject(body) && body.method === 'subscriptions/listen';

const listenedUris = (body: Json | undefined): readonly string[] =>
  isListening(body) ? listenedIn(objectAt(body, 'params')).slice(0, mostFollowed) : [];

/** A client that sends more than this, or for longer, is disconnected. */
const mostDrained = 256 * 1024 * 1024;
const drainMs = 10_000;

/** Refuses a body that is too long once it was read and dropped: most clients read no answer while they send. */
function refuseLargeBody(request: IncomingMessage, response: ServerResponse, longest: number): boolean {
  const length = Number(request.headers['content-length']);
  if (!(length > longest)) return false;
  const message = `Payload Too Large: a message has at most ${longest / 1024 / 1024} MiB.`;
  const answer = (): unknown => rejectHttpRequest(response, 413, message);
  if (length > mostDrained) answer();
  else {
    const timer = setTimeout(() => request.destroy(), drainMs).unref();
    request.once('close', () => clearTimeout(timer));
    request.once('end', answer);
    request.resume();
  }
  return true;
}
