import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, Server } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListToolsResult,
  ReadResourceResult,
  ServerCapabilities,
} from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../../protocol/json.ts';
import { version } from '../../../../protocol/version.ts';
import { nearestWord } from '../../../views/command-line/did-you-mean.ts';
import { type CallContext, type ServerApp, type ServerResources, shortenCallText } from '../server-interface.ts';
import { answerToolCall, type CallingClient, type ProtocolRevision, runCall } from './run-call.ts';
import { type ClientLink, subscriptionPort } from './client-link.ts';
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

export function createProtocolServer(served: ServedApp, revision: ProtocolRevision, link: ClientLink): Server {
  const { app } = served;
  const seal = createRequestSeal(app);
  const server = new Server(
    { name: 'capstan', title: 'Capstan', version },
    { capabilities: capabilitiesOf(app), requestState: { verify: seal.open }, instructions: app.instructions },
  );
  Object.assign(server, { onerror: (error: Error) => served.report(error.message) });
  const caller: CallingClient = { server, revision, link, seal };
  serveTools(served, caller);
  if (app.resources !== undefined) serveResources(app.resources, caller);
  if (app.prompts !== undefined) servePrompts(app.prompts, caller);
  serveCompletions(app, server);
  return server;
}

function capabilitiesOf(app: ServerApp): ServerCapabilities {
  const listChanged = app.watchLists !== undefined;
  return {
    tools: { listChanged },
    logging: {},
    completions: {},
    ...(app.resources === undefined ? {} : { resources: { subscribe: true, listChanged } }),
    ...(app.prompts === undefined ? {} : { prompts: { listChanged } }),
  };
}

function serveTools(served: ServedApp, caller: CallingClient): void {
  const { tools } = served.app;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const listed = tools
    .filter((tool) => tool.isAlias !== true || served.listsAliases)
    .map(({ input, output, annotations, name, title, description }) => {
      return { name, title, description, inputSchema: input, outputSchema: output, annotations };
    });
  caller.server.setRequestHandler('tools/list', () => ({ tools: listed }) as unknown as ListToolsResult);
  caller.server.setRequestHandler('tools/call', async ({ params }, request) => {
    const tool = byName.get(params.name);
    if (tool === undefined) throw unknownName('tool', params.name, [...byName.keys()]);
    const args = (params.arguments ?? {}) as JsonObject;
    return (await answerToolCall(served, caller, request, tool, args)) as CallToolResult;
  });
}

function unknownName(what: string, name: string, known: readonly string[]): ProtocolError {
  const meant = name.length > 100 ? undefined : nearestWord(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
  const shown = JSON.stringify(name.slice(0, 100));
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${what} ${shown}.${hint}`);
}

function serveResources(resources: ServerResources, { server, revision, link }: CallingClient): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { resources: page, next } = await resources.list(params?.cursor);
    return { resources: page, ...(next === undefined ? {} : { nextCursor: next }) } as unknown as ListResourcesResult;
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resources.templates] }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    const contents = await resources.read(params.uri);
    if (contents === undefined) throw new ResourceNotFoundError(shortenCallText(params.uri));
    return { contents } as unknown as ReadResourceResult;
  });
  if (revision === 'legacy') serveSubscriptions(resources, server, link);
}

/** The new revision has `subscriptions/listen` instead, which the transports serve. */
function serveSubscriptions(resources: ServerResources, server: Server, link: ClientLink): void {
  const watches = new ResourceWatches(
    resources,
    (uri) => {
      const send = async ({ params }: { readonly params: JsonObject }): Promise<void> =>
        server.sendResourceUpdated({ uri: String(params.uri) });
      link.outbox.post({ method: 'notifications/resources/updated', params: { uri }, send });
    },
    subscriptionPort(link, (event) => server.notification(event)),
  );
  link.gone.addEventListener('abort', () => watches.close(), { once: true });
  const followed = new Map<string, () => void>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const unknown = await unknownResourceError(resources, [uri]);
    if (unknown !== undefined) throw new ResourceNotFoundError(shortenCallText(unknown.uri), unknown.message);
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

function servePrompts(prompts: NonNullable<ServerApp['prompts']>, caller: CallingClient): void {
  const { server } = caller;
  server.setRequestHandler('prompts/list', () => ({ prompts: [...prompts.list] }) as unknown as ListPromptsResult);
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, request) => {
    const work = async (context: CallContext) =>
      (await prompts.get(name, args, context)) ?? ({ kind: 'unknown' } as const);
    const answer = await runCall(caller, request, { name, args, work });
    if ('resultType' in answer) return answer;
    const known = prompts.list.map((prompt) => String(prompt.name));
    if (answer.kind !== 'prompt') throw unknownName('prompt', name, known);
    return { messages: answer.messages } as unknown as GetPromptResult;
  });
}

function serveCompletions({ resources, prompts }: ServerApp, server: Server): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }): Promise<CompleteResult> => {
    const found =
      ref.type === 'ref/prompt'
        ? await prompts?.complete(ref.name, argument.name, argument.value)
        : await resources?.complete(ref.uri, argument.name, argument.value);
    const values = found ?? [];
    const hasMore = values.length > mostCompletions;
    return { completion: { values: values.slice(0, mostCompletions), total: values.length, hasMore } };
  });
}
