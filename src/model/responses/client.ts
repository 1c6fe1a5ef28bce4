import type { ModelClient, ModelRequest } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import type { Connection, HttpClientOptions } from '../http/ask.ts';
import type { Credentials } from '../http/credentials.ts';
import type { HttpWire } from '../http/answer-decoder.ts';
import { bearerHeader } from '../http/request-headers.ts';
import { httpClient, httpConnection } from '../http/transport.ts';
import { compactRemotely } from './compact.ts';
import { responsesReader } from './decode.ts';
import type { WireFormat } from '../http/wire-format.ts';
import { responsesCapabilities } from './capabilities.ts';
import { type IncrementalFrame, responsesEncoder } from './encode.ts';
import type { SocketClient } from './socket-client.ts';

/** Says who sends a request. A login with ChatGPT names its account as well, and at its own address which model is asked. */
export function identify(
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
  identify,
  reader: responsesReader,
};

/** A client of `POST {base}/responses`, and of the endpoint below it that makes checkpoints. */
export function responsesClient(
  options: HttpClientOptions,
  frame?: IncrementalFrame,
): ModelClient & Required<Pick<ModelClient, 'compact'>> {
  const connection = httpConnection(options, responsesWire);
  const client = httpClient(connection);
  const http = {
    ...client,
    stream: (request: ModelRequest, signal: AbortSignal) => client.stream(withGate(request), signal),
    compact: (request: ModelRequest, signal: AbortSignal) => compactRemotely(request, signal, connection),
  };
  return options.provider.supportsWebsockets
    ? { ...http, ...lazySocketClient(connection, { http, ...defined({ frame }) }) }
    : http;
}

/** Loaded on use: most providers speak HTTP alone. */
function lazySocketClient(
  connection: Connection,
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

/** Some servers take a request that ends in a trigger only from a program that says it means it. */
const triggerGate = { 'x-codex-beta-features': 'remote_compaction_v2' } as const;

function withGate(request: ModelRequest): ModelRequest {
  if (request.wants !== 'checkpoint') return request;
  return { ...request, headers: { ...request.headers, ...triggerGate } };
}

/** The Responses API of OpenAI, and of servers that follow it. */
export const responsesFormat: WireFormat = {
  name: 'responses',
  encoder: responsesEncoder,
  client: responsesClient,
  capabilities: responsesCapabilities,
};
