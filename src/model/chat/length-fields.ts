import type { ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import type { LengthField } from '../../ports/prompt.ts';

/** The fields that servers want in the place of the one that they refused, by address and model, for this process. */
const learned = new Map<string, LengthField>();

const keyOf = (baseUrl: string, model: string): string => `${baseUrl} ${model}`;

/** In which field the server at this address wants the length of the model's answers. Undefined: it refused none. */
export function learnedLengthField(baseUrl: string, model: string): LengthField | undefined {
  return learned.get(keyOf(baseUrl, model));
}

/** Words of servers that do not know a field, and not of those to which its value is too large. */
const refusal =
  /unsupported|not supported|unknown|unrecogni[sz]ed|unexpected|not (?:permitted|allowed)|extra (?:inputs?|fields?)|\binstead\b/i;

/** A failure after which the request can be sent with the other field: once, since a server has to know one of them. */
export function afterLengthRefusal(
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

/** What is asked of the answer is the last piece of a body. */
function lengthFieldIn(body: ModelRequest['body']): LengthField | undefined {
  const end = Buffer.from(body.at(-1) ?? []).toString('utf8');
  return /"(max_tokens|max_completion_tokens)":\d/.exec(end)?.[1] as LengthField | undefined;
}
