import type { ModelClient } from '../../ports/model-client.ts';
import type { HttpClientOptions } from '../http/ask.ts';
import { bearerHeader } from '../http/request-headers.ts';
import { httpClient, httpConnection } from '../http/transport.ts';
import type { WireFormat } from '../http/wire-format.ts';
import { chatReader, chatApi } from './decode.ts';
import { chatDialect, everyDialect } from './dialect.ts';
import { chatEncoder } from './encode.ts';

/** A client of `POST {base}/chat/completions`. */
function chatClient(options: HttpClientOptions): ModelClient {
  const dialect = chatDialect(options.provider.capabilities);
  return httpClient(
    httpConnection(options, {
      api: chatApi,
      endpoint: 'chat/completions',
      identify: bearerHeader,
      reader: (limits) => chatReader(limits, dialect),
    }),
  );
}

/** The Chat Completions API of OpenAI, and of the many servers that follow it. */
export const chatFormat: WireFormat = {
  name: 'chat',
  encoder: (provider) => chatEncoder(chatDialect(provider.capabilities)),
  everyEncoder: () => everyDialect().map(chatEncoder),
  client: chatClient,
  capabilities: () => ({
    remoteCompaction: 'none',
    freeformTools: 'none',
    accessPrograms: 'unknown',
    outputLimit: 'always',
  }),
};
