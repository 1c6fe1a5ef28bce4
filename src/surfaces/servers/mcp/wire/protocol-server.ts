import { isJsonObject, type JsonObject } from '../../../../protocol/json.ts';
import { version } from '../../../../protocol/version.ts';
import { nearestWord } from '../../../views/command-line/did-you-mean.ts';
import {
  type CallContext,
  type ClientPort,
  type InputRequired,
  type ServerApp,
  type ServerResources,
  type ServerTool,
  shortenCallText,
  type ToolAnswer,
} from '../server-interface.ts';
import { argumentsProblem, schemaProblem } from './check-arguments.ts';
import {
  callDigest,
  createRequestSeal,
  failedToAsk,
  questionRequest,
  questionSchemas,
  readClientResponses,
  readSealedCall,
} from './client-answers.ts';
import type { QuestionSchemas, RequestSeal } from './client-answers.ts';
import { type ClientLink, postResourceUpdate, type SentEvent, subscriptionPort } from './client-link.ts';
import { ResourceWatches, unknownResourceError } from './resource-watches.ts';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type CompleteResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';

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
    (uri) => postResourceUpdate(link, uri, () => server),
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

/** Wrong arguments are a result of `tools/call` and not an error: hosts show results to their model. */
async function answerToolCall(
  { report }: { report(problem: string): void },
  caller: CallingClient,
  request: ServerContext,
  tool: ServerTool,
  args: JsonObject,
): Promise<JsonObject | InputRequiredResult> {
  const problem = await argumentsProblem(tool.input, args);
  if (problem !== undefined) return failure(`The arguments of ${tool.name} are wrong. ${problem}`);
  request.mcpReq.signal.throwIfAborted();
  try {
    const work = (context: CallContext) => tool.call(args, context);
    const answer = await runCall(caller, request, { name: tool.name, args, work });
    return 'resultType' in answer ? answer : await resultOf(tool, answer);
  } catch (error) {
    if (request.mcpReq.signal.aborted || isProtocolError(error)) throw error;
    report(`The tool ${tool.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return failure(`${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function failure(text: string): JsonObject {
  return { content: [{ type: 'text', text: shortenCallText(text) }], isError: true };
}

/** Clients check structured content against the schema of the tool, even for an error. */
async function resultOf(tool: ServerTool, { text, content, data, isError }: ToolAnswer): Promise<JsonObject> {
  const shown = content ?? [{ type: 'text', text }];
  if (isError !== true) return { content: shown, structuredContent: data };
  const fits = (await schemaProblem(tool.output, data)) === undefined;
  return { content: shown, ...(fits ? { structuredContent: data } : {}), isError };
}

const isProtocolError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'number';

/** The revisions of the protocol: `modern` is 2026-07-28, which keeps no connection; `legacy` are those before. */
type ProtocolRevision = 'modern' | 'legacy';

interface CallingClient {
  readonly server: Server;
  readonly revision: ProtocolRevision;
  readonly link: ClientLink;
  readonly seal: RequestSeal;
}

/** A client's request that may need answers of its user: its name and its work. */
interface CallWork<Answer> {
  readonly name: string;
  readonly args: JsonObject;
  work(context: CallContext): Promise<Answer | InputRequired>;
}

/** People answer when they come back to the screen; the client can cancel its call at any time. */
const answerMs = 24 * 60 * 60 * 1000;
const patienceMs = 30_000;

/**
 * Asks a client of the old revisions during the call, and repeats the work with its answers. A client of the new
 * revision gets the questions as the result, and calls again itself.
 */
async function runCall<Answer extends { readonly kind: string }>(
  caller: CallingClient,
  request: ServerContext,
  call: CallWork<Answer>,
): Promise<Answer | InputRequiredResult> {
  const { link, revision } = caller;
  const { signal } = request.mcpReq;
  // An answered call is no longer cancelled, although the SDK may still report that when the request is closed.
  const cancelled = new AbortController();
  const cancel = (): void => cancelled.abort(signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  const state = { isOver: false };
  const context = {
    signal: cancelled.signal,
    requestId: request.mcpReq.id,
    client: clientPort(caller, request, state),
    progress: progressOf(caller, request, state),
  };
  try {
    const digest = callDigest(request.mcpReq.method, call.name, call.args);
    if (revision === 'modern') return await oneRound(caller, request, context, { ...call, digest });
    let again: Pick<CallContext, 'responses' | 'state'> = {};
    for (;;) {
      const answer = await call.work({ ...context, ...again });
      if (!isQuestion(answer)) return answer;
      again = { responses: await askAll(request, answer), state: answer.state };
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    // The answer must follow the events of the call that were posted before it.
    // A client that does not read them for some time gets the answer first.
    const late = wait(patienceMs, undefined, { signal, ref: false }).catch(() => {});
    if (!signal.aborted) await Promise.race([link.outbox.handed(), late]);
    state.isOver = true;
  }
}

const isQuestion = (answer: { readonly kind: string }): answer is InputRequired => answer.kind === 'input-required';

async function oneRound<Answer extends { readonly kind: string }>(
  { seal }: Pick<CallingClient, 'seal'>,
  request: ServerContext,
  context: CallContext,
  { digest, work }: CallWork<Answer> & { readonly digest: string },
): Promise<Answer | InputRequiredResult> {
  const sealed = readSealedCall(digest, request);
  const again =
    sealed === undefined ? {} : { responses: await givenResponses(request, sealed.asked), state: sealed.state };
  const answer = await work({ ...context, ...again });
  if (!isQuestion(answer)) return answer;
  const entries = Object.entries(answer.questions).map(([key, question]) => [key, questionRequest(question)] as const);
  const requestState = await seal.close({ call: digest, state: answer.state, asked: questionSchemas(answer) });
  // The questions of an app are data; the SDK checks each before it is sent.
  const inputRequests = Object.fromEntries(entries);
  return { resultType: 'input_required', inputRequests, requestState } as InputRequiredResult;
}

/** Responses of a client of the new revision. One that the SDK could not read counts as one of the wrong shape. */
function givenResponses({ mcpReq }: ServerContext, asked: QuestionSchemas): ReturnType<typeof readClientResponses> {
  const given = [
    ...Object.entries(mcpReq.inputResponses ?? {}),
    ...(mcpReq.droppedInputResponseKeys ?? []).map((key) => [key, undefined] as const),
  ];
  return readClientResponses(asked, given);
}

/** Asks a client of the old revisions. An error counts as an answer, so the call does not wait for ever. */
async function askAll({ mcpReq }: ServerContext, asked: InputRequired): ReturnType<typeof readClientResponses> {
  const keys = questionSchemas(asked);
  const entries = Object.entries(asked.questions).map(async ([key, question]) => {
    const signal = AbortSignal.any([mcpReq.signal, asked.answered ?? mcpReq.signal]);
    const options = { timeout: answerMs, signal };
    const answer: unknown = await mcpReq.send(questionRequest(question), anything, options).catch(() => failedToAsk);
    const { [key]: response } = await readClientResponses(keys, [[key, answer]]);
    // The end of the call, or of the question, is no answer.
    if (response !== undefined && !signal.aborted) asked.given?.(key, response);
    return [key, answer] as const;
  });
  return readClientResponses(keys, await Promise.all(entries));
}

/** Accepts anything: answers are read by rules of their own. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'capstan', validate: (value) => ({ value }) },
};

function clientPort(caller: CallingClient, request: ServerContext, state: { readonly isOver: boolean }): ClientPort {
  const { server, link } = caller;
  const { mcpReq } = request;
  return {
    id: link.id,
    canAsk: canAsk(caller, request),
    stays: link.stays,
    gone: link.gone,
    ready: () => link.outbox.ready(),
    notify(method, params) {
      const send = async (event: SentEvent): Promise<void> => {
        if (method === 'notifications/message' && event.method === method) await log(mcpReq, event.params);
        else await (state.isOver ? server.notification(event) : mcpReq.notify(event));
        await link.taken?.();
      };
      link.outbox.post({ method, params, send });
    },
  };
}

/** Sent only to clients that requested messages of this level. */
async function log(mcpReq: ServerContext['mcpReq'], { level, data, logger }: JsonObject): Promise<void> {
  await mcpReq.log(level as Parameters<typeof mcpReq.log>[0], data, typeof logger === 'string' ? logger : undefined);
}

/** Elicitation without a mode means forms; a client that only opens URLs has no forms. */
function canAsk({ server, revision }: CallingClient, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const capabilities =
    revision === 'modern' ? envelope[CLIENT_CAPABILITIES_META_KEY] : (server.getClientCapabilities() as unknown);
  const elicitation = isJsonObject(capabilities) ? capabilities.elicitation : undefined;
  return isJsonObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

function progressOf({ link }: CallingClient, { mcpReq }: ServerContext, state: { readonly isOver: boolean }) {
  const progressToken = mcpReq._meta?.progressToken;
  let last = Number.NEGATIVE_INFINITY;
  return (done: number, message: string): void => {
    if (progressToken === undefined || state.isOver) return;
    // The protocol requires increasing values.
    last = done > last ? done : last + 1;
    const params = { progressToken, progress: last, message };
    const send = async (event: SentEvent): Promise<void> => {
      await mcpReq.notify(event);
      await link.taken?.();
    };
    link.outbox.post({ method: 'notifications/progress', params, send });
  };
}
