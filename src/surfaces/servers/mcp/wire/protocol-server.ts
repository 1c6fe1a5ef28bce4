import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  CompleteResult,
  ListResourcesResult,
  ListToolsResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../../protocol/json.ts';
import { version } from '../../../../protocol/version.ts';
import { nearestWord } from '../../../views/command-line/did-you-mean.ts';
import { type ServerApp, type ServerResources, type ServerTool, shortened } from '../server-interface.ts';
import { answerToolCall, type Caller, type Revision } from './run-call.ts';
import { type ClientLink, followerPort, postUpdate } from './client-link.ts';
import { createRequestSeal } from './client-answers.ts';
import { ResourceWatches, unknownResourceError } from './resource-watches.ts';

export interface ServedApp {
  readonly app: ServerApp;
  readonly listsAliases: boolean;
  /** Reports a problem that no answer can contain. */
  report(problem: string): void;
}

const mostSubscriptions = 1024;
/** The protocol's limit for one answer. */
const mostCompletions = 100;

export function createProtocolServer(served: ServedApp, revision: Revision, link: ClientLink): Server {
  const { tools, resources, instructions, ...app } = served.app;
  const seal = createRequestSeal(app);
  const listChanged = false;
  const capabilities = {
    tools: { listChanged },
    logging: {},
    completions: {},
    resources: { subscribe: true, listChanged },
  };
  const server = new Server(
    { name: 'capstan', title: 'Capstan', version },
    { capabilities, requestState: { verify: seal.open }, instructions },
  );
  Object.assign(server, { onerror: (error: Error) => served.report(error.message) });
  const caller: Caller = { server, revision, link, seal };
  serveTools(served, tools, caller);
  serveResources(resources, caller);
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }): Promise<CompleteResult> => {
    const isPrompt = ref.type === 'ref/prompt';
    const values = isPrompt ? [] : await resources.complete(ref.uri, argument.name, argument.value);
    const hasMore = values.length > mostCompletions;
    return { completion: { values: values.slice(0, mostCompletions), total: values.length, hasMore } };
  });
  return server;
}

function serveTools(served: ServedApp, tools: readonly ServerTool[], caller: Caller): void {
  const listed = tools
    .filter((tool) => tool.isAlias !== true || served.listsAliases)
    .map(({ input, output, annotations, name, title, description }) => {
      return { name, title, description, inputSchema: input, outputSchema: output, annotations };
    });
  caller.server.setRequestHandler('tools/list', () => ({ tools: listed }) as unknown as ListToolsResult);
  caller.server.setRequestHandler('tools/call', async ({ params }, request) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw unknownTool(params.name, tools);
    const args = (params.arguments ?? {}) as JsonObject;
    return (await answerToolCall(served, caller, request, tool, args)) as CallToolResult;
  });
}

function unknownTool(name: string, tools: readonly ServerTool[]): ProtocolError {
  const known = tools.map((tool) => tool.name);
  const meant = name.length > 100 ? undefined : nearestWord(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  const message = `There is no tool ${JSON.stringify(name.slice(0, 100))}.${hint}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function serveResources(resources: ServerResources, { server, revision, link }: Caller): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { resources: page, next: nextCursor } = await resources.list(params?.cursor);
    return { resources: page, ...(nextCursor !== undefined && { nextCursor }) } as unknown as ListResourcesResult;
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resources.templates] }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    const contents = await resources.read(params.uri);
    if (contents === undefined) throw new ResourceNotFoundError(shortened(params.uri));
    return { contents } as unknown as ReadResourceResult;
  });
  if (revision === 'legacy') serveSubscriptions(resources, server, link);
}

/** The new revision has `subscriptions/listen` instead, which the transports serve. */
function serveSubscriptions(resources: ServerResources, server: Server, link: ClientLink): void {
  const client = followerPort(link, (event) => server.notification(event));
  const watches = new ResourceWatches(resources, (uri) => postUpdate(link, uri, server), client);
  link.gone.addEventListener('abort', () => watches.close(), { once: true });
  const followed = new Map<string, () => void>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const unknown = await unknownResourceError(resources, [uri]);
    if (unknown !== undefined) throw new ResourceNotFoundError(shortened(unknown.uri), unknown.message);
    if (followed.size >= mostSubscriptions) {
      const message = `A connection can follow ${mostSubscriptions} resources at a time. Unsubscribe from some first.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    if (!followed.has(uri)) followed.set(uri, watches.follow(uri));
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    followed.get(uri)?.();
    followed.delete(uri);
    return {};
  });
}
