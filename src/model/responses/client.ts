import type { ModelClient, ModelRequest } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import type { HttpClientOptions } from '../http/ask.ts';
import type { Credentials } from '../http/credentials.ts';
import type { HttpWire } from '../http/answer-decoder.ts';
import { bearerHeader } from '../http/request-headers.ts';
import { httpClient, httpConnection } from '../http/transport.ts';
import { compactRemotely } from './compact.ts';
import { responsesReader } from './decode.ts';
import type { WireFormat } from '../http/wire-format.ts';
import { responsesCapabilities } from './capabilities.ts';
import { responsesEncoder } from './encode.ts';

/** Says who sends a request. A login with ChatGPT names its account as well. */
export function identify(credentials: Credentials): Readonly<Record<string, string>> {
  const account = credentials.kind === 'bearer' ? credentials.accountId : undefined;
  return { ...bearerHeader(credentials), ...defined({ 'chatgpt-account-id': account }) };
}

const responsesWire: HttpWire = {
  api: 'Responses API',
  endpoint: 'responses',
  identify,
  reader: responsesReader,
};

/** A client of `POST {base}/responses`, and of the endpoint below it that makes checkpoints. */
export function responsesClient(options: HttpClientOptions): Required<ModelClient> {
  const connection = httpConnection(options, responsesWire);
  const client = httpClient(connection);
  return {
    ...client,
    stream: (request, signal) => client.stream(withGate(request), signal),
    compact: (request, signal) => compactRemotely(request, signal, connection),
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
