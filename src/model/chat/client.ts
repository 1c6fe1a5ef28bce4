import type { ModelClient } from '../../ports/model-client.ts';
import type { HttpClientOptions } from '../http/ask.ts';
import { bearerHeader } from '../http/request-headers.ts';
import { httpClient, httpConnection } from '../http/transport.ts';
import type { WireFormat } from '../http/wire-format.ts';
import { chatReader, chatApi } from './decode.ts';
import { chatDialect, everyDialect } from './dialect.ts';
import { chatEncoder } from './encode.ts';
import { afterLengthRefusal, learnedLengthField } from './length-fields.ts';

/** A client of `POST {base}/chat/completions`. */
function chatClient(options: HttpClientOptions): ModelClient {
  const { capabilities, baseUrl } = options.provider;
  const dialect = chatDialect(capabilities);
  const client = httpClient(
    httpConnection(options, {
      api: chatApi,
      endpoint: 'chat/completions',
      identify: bearerHeader,
      reader: (limits) => chatReader(limits, dialect),
    }),
  );
  return {
    ...client,
    lengthField: (model) => learnedLengthField(baseUrl, model),
    async *stream(request, signal) {
      for await (const event of client.stream(request, signal)) {
        if (event.kind !== 'failed') yield event;
        else yield { ...event, failure: afterLengthRefusal(event.failure, request, baseUrl) };
      }
    },
  };
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
