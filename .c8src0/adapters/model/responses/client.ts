import { defined } from '../../../base/objects.ts';
import { isGateOpen } from '../../../core/config/features.ts';
import type { ProviderConfig } from '../../../core/config/providers/provider-config.ts';
import type { ModelClient, ModelRequest, ProviderCapabilities } from '../../../ports/model.ts';
import type { HttpWire } from '../http/answer-decoder.ts';
import { bearerHeader, type Credentials } from '../http/credentials-and-headers.ts';
import { httpClient, createProviderConnection, type WireFormat } from '../http/http-client.ts';
import type { ProviderConnection, HttpClientOptions } from '../http/send-question.ts';
import { compactRemotely } from './compact.ts';
import { responsesReader } from './decode.ts';
import { type IncrementalFrame, responsesEncoder } from './encode.ts';
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

const responsesWire: HttpWire = {
  api: 'Responses API',
  endpoint: 'responses',
  identify: accountHeaders,
  reader: responsesReader,
};

/** Also posts to the endpoint below `{base}/responses` that makes checkpoints. */
export function responsesClient(options: HttpClientOptions, frame?: IncrementalFrame) {
  const connection = createProviderConnection(options, responsesWire);
  const client = httpClient(connection);
  const http = {
    ...client,
    stream: (request: ModelRequest, signal: AbortSignal) => client.stream(withGate(request), signal),
    compact: (request: ModelRequest, signal: AbortSignal) => compactRemotely(request, signal, connection),
  };
  return options.provider.supportsWebsockets ? { ...http, ...lazySocketClient(connection, { http, frame }) } : http;
}

/** Loaded on use: most providers speak only HTTP. */
function lazySocketClient(
  connection: ProviderConnection,
  parts: ConstructorParameters<typeof SocketClient>[1],
): Pick<ModelClient, 'stream' | 'prewarm' | 'close'> {
  let loading: Promise<SocketClient> | undefined;
  const load = async (): Promise<SocketClient> => {
    const { SocketClient: Client } = await import('./socket-client.ts');
    return new Client(connection, parts);
  };
  const get = (): Promise<SocketClient> => (loading ??= load());
  return {
    async *stream(request, signal) {
      yield* (await get()).stream(request, signal);
    },
    prewarm: (request) => void get().then((client) => client.prewarm(request)),
    close: () => void loading?.then((client) => client.close()),
  };
}

/** Some servers accept a request that ends in a trigger only with this header. */
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
