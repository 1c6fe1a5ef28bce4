import { defined } from '../../../base/objects.ts';
import { isGateOpen } from '../../../core/config/features.ts';
import type { ProviderConfig } from '../../../core/config/providers/provider-config.ts';
import type {
  CompactAnswer,
  ModelClient,
  ModelFailure,
  ModelRequest,
  ProviderCapabilities,
} from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import { arrayAt, objectAt, parseJsonObject } from '../../../protocol/json.ts';
import { type Credentials, bearerHeader } from '../http/credentials-and-headers.ts';
import { answerTooLarge, bodyEndFailure, formatMegabytes } from '../http/failures/answer-failure.ts';
import { type AnswerContext, httpFailure } from '../http/failures/http-failure.ts';
import { failed, modelFailure } from '../http/failures/model-failure.ts';
import { type WireFormat, createProviderConnection, httpClient } from '../http/http-client.ts';
import { readWholeBody } from '../http/network/response-body.ts';
import type { OpenAnswer } from '../http/open-answer.ts';
import type { HttpClientOptions, ProviderConnection } from '../http/send-question.ts';
import { answerLimits, sendModelRequest } from '../http/send-question.ts';
import { responsesReader, usageFromWire } from './decode.ts';
import { type IncrementalFrame, parseServerItem, responsesEncoder } from './encode.ts';
import type { SocketClient } from './socket-client.ts';

/** Identifies the sender. A login with ChatGPT also names its account and, at its own address, the requested model. */
export function accountHeaders(
  credentials: Credentials,
  { routing }: Pick<ModelRequest, 'routing'> = {},
): Readonly<Record<string, string>> {
  const { accountId, isFedramp, baseUrl } = credentials.kind === 'bearer' ? credentials : {};
  const tier = routing?.tier === undefined ? '' : `;tier=${routing.tier}`;
  const hint = baseUrl === undefined || routing === undefined ? undefined : `model=${routing.model}${tier}`;
  const isGovernment = isFedramp === true ? 'true' : undefined;
  return {
    ...bearerHeader(credentials),
    ...defined({ 'chatgpt-account-id': accountId, 'x-openai-fedramp': isGovernment, 'x-codex-routing-hint': hint }),
  };
}

/** Also posts to the endpoint below `{base}/responses` that makes checkpoints. */
export function responsesClient(options: HttpClientOptions, frame?: IncrementalFrame) {
  const wire = { api: 'Responses API', endpoint: 'responses', identify: accountHeaders, reader: responsesReader };
  const connection = createProviderConnection(options, wire);
  const client = httpClient(connection);
  const http = {
    ...client,
    stream: (request: ModelRequest, signal: AbortSignal) => client.stream(withGate(request), signal),
    compact: (request: ModelRequest, signal: AbortSignal) => compactRemotely(request, signal, connection),
  };
  return options.provider.supportsWebsockets ? { ...http, ...lazySocketClient(connection, http, frame) } : http;
}

/** Loaded on use: most providers speak only HTTP. */
function lazySocketClient(
  connection: ProviderConnection,
  http: Pick<ModelClient, 'stream'>,
  frame: IncrementalFrame | undefined,
): Pick<ModelClient, 'stream' | 'prewarm' | 'close'> {
  let loading: Promise<SocketClient> | undefined;
  const get = (): Promise<SocketClient> =>
    (loading ??= import('./socket-client.ts').then(({ SocketClient: Client }) => new Client(connection, http, frame)));
  return {
    async *stream(request, signal) {
      yield* (await get()).stream(request, signal);
    },
    prewarm: (request) => void get().then((client) => client.prewarm(request)),
    close: () => void loading?.then((client) => client.close()),
  };
}

/** Some servers accept a request for a checkpoint, which ends in a compaction trigger, only with this header. */
const triggerGate = { 'x-codex-beta-features': 'remote_compaction_v2' } as const;
const withGate = (request: ModelRequest): ModelRequest =>
  request.wants !== 'checkpoint' ? request : { ...request, headers: { ...request.headers, ...triggerGate } };

export const responsesFormat: WireFormat = {
  name: 'responses',
  encoder: responsesEncoder,
  client: responsesClient,
  capabilities: responsesCapabilities,
};

export function responsesCapabilities(
  { capabilities }: Pick<ProviderConfig, 'capabilities'>,
  gates: Readonly<Record<string, boolean>>,
): ProviderCapabilities {
  const form = isGateOpen('remote_compaction_v2', gates) ? 'stream' : 'unary';
  return {
    remoteCompaction: capabilities.remoteCompaction ? form : 'none',
    freeformTools: capabilities.freeformTools ? 'grammar' : 'none',
    requestCompression:
      capabilities.requestCompression && isGateOpen('enable_request_compression', gates) ? 'zstd' : undefined,
    // Servers for accounts refuse a limit of the output.
    outputLimit: 'with-key',
    // Other servers do not know access programs and may refuse a request that names one.
    accessPrograms: capabilities.accessPrograms ? 'known' : 'unknown',
  };
}

/** Factor for the idle timeout: nothing comes until the whole checkpoint is made. */
const patience = 4;

/** Posts to `{base}/responses/compact`, whose answer comes in one piece. */
async function compactRemotely(
  request: ModelRequest,
  signal: AbortSignal,
  connection: ProviderConnection,
): Promise<CompactAnswer> {
  const { wire, options } = connection;
  const { provider, clock } = options;
  const { maxBytes } = answerLimits(options, request);
  const idleMs = patience * provider.streamIdleTimeoutMs;
  const question = { endpoint: 'responses/compact', wants: 'json', idleMs, signal } as const;
  const { opened, hide } = await sendModelRequest(connection, request, question);
  const answer =
    opened.kind === 'failed' ? opened : await read(opened, { idleMs, now: clock.now(), api: wire.api, maxBytes });
  return answer.kind === 'failed' ? failed(hide(answer.failure)) : answer;
}

async function read(
  { body, status, headers }: OpenAnswer,
  { idleMs, maxBytes, ...place }: AnswerContext & { readonly idleMs: number; readonly maxBytes: number },
): Promise<CompactAnswer> {
  const whole = await readWholeBody(body, { idleMs, maxBytes });
  if (whole.kind === 'large') return failed(answerTooLarge(formatMegabytes(maxBytes)));
  if (whole.kind !== 'whole') return failed(bodyEndFailure(whole, { idleMs }));
  const { text } = whole;
  const answer = parseJsonObject(text);
  if (answer === undefined) return failed(unreadable('is not a JSON object'));
  const output = arrayAt(answer, 'output');
  // Some servers report an error under a success status.
  if (output === undefined && objectAt(answer, 'error') !== undefined)
    return failed(httpFailure({ status, headers, body: text }, place));
  if (output === undefined) return failed(unreadable('has no list of items in "output"'));
  const items = output.map(parseServerItem);
  if (items.includes(undefined)) return failed(unreadable('has something in "output" that is not an item'));
  return { kind: 'compacted', output: items as Item[], usage: usageFromWire(objectAt(answer, 'usage')) };
}

function unreadable(what: string): ModelFailure {
  const message = `The answer to the checkpoint request ${what}.`;
  const next =
    'Check that the base URL belongs to a provider that can compact, or set compaction.strategy to "structured".';
  return modelFailure({ cause: 'request', message, next });
}
