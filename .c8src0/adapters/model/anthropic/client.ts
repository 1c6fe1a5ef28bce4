import type { ModelClient } from '../../../ports/model.ts';
import type { Credentials } from '../http/credentials-and-headers.ts';
import { httpClient, createProviderConnection, plainCapabilities, type WireFormat } from '../http/http-client.ts';
import type { HttpClientOptions } from '../http/send-question.ts';
import { anthropicReader } from './decode.ts';
import { anthropicEncoder } from './encode.ts';

/** Headers with the API revision used here and the key. */
export function apiKeyHeaders(credentials: Credentials): Readonly<Record<string, string>> {
  const revision = { 'anthropic-version': '2023-06-01' };
  return credentials.kind === 'bearer' ? { ...revision, 'x-api-key': credentials.token } : revision;
}

/** Accepts base URLs with and without the API version. */
export const messagesEndpoint = (baseUrl: string): string =>
  /\/v\d+[a-z0-9]*\/*$/i.test(baseUrl.split(/[?#]/)[0]!) ? 'messages' : 'v1/messages';

export function anthropicClient(options: HttpClientOptions): ModelClient {
  const endpoint = messagesEndpoint(options.provider.baseUrl);
  const wire = { api: 'Messages API', endpoint, identify: apiKeyHeaders, reader: anthropicReader };
  return httpClient(createProviderConnection(options, wire));
}

export const anthropicFormat: WireFormat = {
  name: 'anthropic',
  encoder: () => anthropicEncoder(),
  everyEncoder: () => (['anthropic/1', 'anthropic/2', 'anthropic/3', 'anthropic/4'] as const).map(anthropicEncoder),
  client: anthropicClient,
  capabilities: () => plainCapabilities,
};
