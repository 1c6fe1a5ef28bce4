import { isJsonObject, type JsonObject } from '../../../../protocol/json.ts';
import { shortenCallText } from '../server-interface.ts';
import type { CallContext, ClientPort, InputRequired, ServerTool, ToolAnswer } from '../server-interface.ts';
import { argumentsProblem, schemaProblem } from './check-arguments.ts';
import {
  questionSchemas,
  callDigest,
  failedToAsk,
  questionRequest,
  readClientResponses,
  readSealedCall,
} from './client-answers.ts';
import type { QuestionSchemas, RequestSeal } from './client-answers.ts';
import type { ClientLink, SentEvent } from './client-link.ts';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { InputRequiredResult, Server, ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import { setTimeout as wait } from 'node:timers/promises';

/** Wrong arguments are a result of `tools/call` and not an error: hosts show results to their model. */
export async function answerToolCall(
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

function isProtocolError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

/** The revisions of the protocol: `modern` is 2026-07-28, which keeps no connection; `legacy` are those before. */
export type ProtocolRevision = 'modern' | 'legacy';

export interface CallingClient {
  readonly server: Server;
  readonly revision: ProtocolRevision;
  readonly link: ClientLink;
  readonly seal: RequestSeal;
}

/** A client's request that may need answers of its user: its name and its work. */
export interface CallWork<Answer> {
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
export async function runCall<Answer extends { readonly kind: string }>(
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

function isQuestion(answer: { readonly kind: string }): answer is InputRequired {
  return answer.kind === 'input-required';
}

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
