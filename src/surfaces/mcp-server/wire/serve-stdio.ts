import { serveStdio as serveOnStdio } from '@modelcontextprotocol/server/stdio';
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
  type Server,
  isJSONRPCNotification,
} from '@modelcontextprotocol/server';
import { type JsonObject, arrayAt, isJsonObject, objectAt } from '../../../protocol/json.ts';
import type { ClientPort } from '../offer/server-tool.ts';
import { createLink } from './client-link.ts';
import { followerPort } from './follower-port.ts';
import { announceLists } from './list-changes.ts';
import { type ServedApp, createProtocolServer } from './protocol-server.ts';
import { ResourceWatches } from './resource-watches.ts';
import { type MessageTap, type StdioStreams, StdioTransport } from './stdio-transport.ts';
import { unknownResource } from './unknown-resource.ts';

/** A server that runs. */
export interface RunningServer {
  /** Resolves when the client is gone, or the server was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client, on streams that no other client has. The app is not closed with it. */
export function serveStdio(served: ServedApp, streams: StdioStreams): RunningServer {
  const link = createLink({ stays: true });
  let server: Server | undefined;
  const changed = (uri: string): void => {
    const send = async ({ params }: { readonly params: JsonObject }): Promise<void> =>
      server?.sendResourceUpdated({ uri: String(params.uri) });
    link.outbox.post({ method: 'notifications/resources/updated', params: { uri }, send });
  };
  const client = followerPort(link, async (event) => server?.notification(event));
  const listening = listenTap(served, { changed, client });
  const stopAnnouncing = announceLists(served.app, () => server);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    stopAnnouncing();
    listening.close();
    link.end();
    resolve();
  };
  const handle = serveOnStdio(
    ({ era }) => {
      server = createProtocolServer(served, era, link);
      return server;
    },
    {
      transport: new StdioTransport(streams, { ...listening.tap, refused: (problem) => served.report(problem), end }),
      onerror: (error) => served.report(error.message),
    },
  );
  return { ended, close: () => handle.close() };
}

/**
 * What a client of the new revision listens to. The SDK answers it and sends the notices, but says to no one which
 * resources are to be watched: that is read from its answers.
 */
function listenTap(
  { app: { resources } }: ServedApp,
  { changed, client }: { readonly changed: (uri: string) => void; readonly client: ClientPort },
) {
  const watches = resources === undefined ? undefined : new ResourceWatches(resources, changed, client);
  const followed = new Map<RequestId, readonly (() => void)[]>();
  const stop = (id: unknown): void => {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    for (const end of followed.get(id) ?? []) end();
    followed.delete(id);
  };
  const tap: Omit<MessageTap, 'refused' | 'end'> = {
    in(message: JSONRPCMessage): void {
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        stop(message.params?.requestId);
    },
    async problem(request: JSONRPCRequest): Promise<string | undefined> {
      const params: unknown = request.params;
      const uris = isJsonObject(params) ? listenedIn(params) : [];
      return (await unknownResource(resources, uris))?.message;
    },
    out(message: JSONRPCMessage): void {
      if (!isJSONRPCNotification(message) || message.method !== 'notifications/subscriptions/acknowledged') return;
      const params: unknown = message.params;
      if (watches === undefined || !isJsonObject(params)) return;
      const id = objectAt(params, '_meta')?.[SUBSCRIPTION_ID_META_KEY];
      if (typeof id !== 'string' && typeof id !== 'number') return;
      followed.set(
        id,
        listenedIn(params).map((uri) => watches.follow(uri)),
      );
    },
  };
  return { tap, close: () => watches?.close() };
}

/** The resources that a request to listen names, or the answer to it. */
function listenedIn(params: JsonObject): readonly string[] {
  const uris = arrayAt(objectAt(params, 'notifications'), 'resourceSubscriptions') ?? [];
  return uris.filter((uri) => typeof uri === 'string');
}
