import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { LengthField, ModelClient, ModelFailure, ModelRequest } from '../../../ports/model.ts';
import type { AnswerReader } from '../http/answer-decoder.ts';
import { bearerHeader } from '../http/credentials-and-headers.ts';
import { httpClient, httpConnection, plainCapabilities, type WireFormat } from '../http/http-client.ts';
import type { HttpClientOptions } from '../http/send-question.ts';
import { chatApi, chatReader } from './decode.ts';
import { chatDialect, everyDialect } from './dialect.ts';
import { chatEncoder } from './encode.ts';

/** Length fields learned from refusals, by address and model, for this process. */
const learned = new Map<string, LengthField>();
const keyOf = (baseUrl: string, model: string): string => `${baseUrl} ${model}`;
/** Matches servers that do not know a field, not those that find its value too large. */
const refusal =
  /unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed)|extra (?:inputs?|fields?)|\binstead\b/i;

/** A failure after which the request is sent once more with the other field: a server has to know one of them. */
function afterLengthRefusal(
  failure: ModelFailure,
  { body, routing }: Pick<ModelRequest, 'body' | 'routing'>,
  baseUrl: string,
): ModelFailure {
  if (failure.status !== 400 && failure.status !== 422) return failure;
  const field = lengthFieldIn(body);
  if (field === undefined || routing === undefined || !refusal.test(failure.message)) return failure;
  if (!new RegExp(`\\b${field}\\b`).test(failure.message)) return failure;
  const key = keyOf(baseUrl, routing.model);
  if (learned.has(key)) return failure;
  learned.set(key, field === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens');
  return { ...failure, retry: { otherwise: true } };
}

/** Options of the answer are in the last piece of a body. */
function lengthFieldIn(body: ModelRequest['body']): LengthField | undefined {
  const end = Buffer.from(body.at(-1) ?? []).toString('utf8');
  return /"(max_tokens|max_completion_tokens)":\d/.exec(end)?.[1] as LengthField | undefined;
}

function chatClient(options: HttpClientOptions): ModelClient {
  const { capabilities, baseUrl } = options.provider;
  const dialect = chatDialect(capabilities);
  const reader = (limits: AnswerLimits): AnswerReader => chatReader(limits, dialect);
  const wire = { api: chatApi, endpoint: 'chat/completions', identify: bearerHeader, reader };
  const client = httpClient(httpConnection(options, wire));
  return {
    ...client,
    lengthField: (model) => learned.get(keyOf(baseUrl, model)),
    async *stream(request, signal) {
      for await (const event of client.stream(request, signal)) {
        if (event.kind !== 'failed') yield event;
        else yield { ...event, failure: afterLengthRefusal(event.failure, request, baseUrl) };
      }
    },
  };
}

export const chatFormat: WireFormat = {
  name: 'chat',
  encoder: (provider) => chatEncoder(chatDialect(provider.capabilities)),
  everyEncoder: () => everyDialect().map(chatEncoder),
  client: chatClient,
  capabilities: () => plainCapabilities,
};
