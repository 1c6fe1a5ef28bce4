import { type Json, type JsonObject, isJsonObject } from '../../../protocol/json.ts';
import type { ClientQuestion, ClientResponse, InputRequired } from '../offer/server-tool.ts';
import { misfit } from './check-arguments.ts';
import type { AskedKeys } from './request-seal.ts';

/** A question as either revision puts it on the wire. */
export function questionRequest(question: ClientQuestion): { readonly method: string; readonly params: JsonObject } {
  if ('method' in question) return { method: question.method, params: question.params };
  const { message, schema, extra } = question;
  return { method: 'elicitation/create', params: { ...extra, message, requestedSchema: schema } };
}

/** What a client may answer. */
export function askedKeys({ questions }: InputRequired): AskedKeys {
  const keys = Object.entries(questions).map(([key, question]) => [key, 'schema' in question ? question.schema : null]);
  return Object.fromEntries(keys) as AskedKeys;
}

/** What it answered to what was asked; answers to anything else are left out. */
export async function responsesTo(
  asked: AskedKeys,
  given: readonly (readonly [string, unknown])[],
): Promise<Readonly<Record<string, ClientResponse>>> {
  const responses = given.map(async ([key, answer]) => {
    const schema = Object.hasOwn(asked, key) ? asked[key] : undefined;
    if (schema === undefined) return [];
    return [[key, schema === null ? requestAnswer(answer) : await formAnswer(answer, schema)] as const];
  });
  return Object.fromEntries((await Promise.all(responses)).flat());
}

/** In the place of an answer: the client could not ask, or its connection broke. */
export const failedToAsk = Symbol('the client failed to ask');

const unreadable: ClientResponse = { action: 'unanswered', because: 'unreadable' };

/** What a client answered, where a form asked for something of this schema. No other shape speaks for the user. */
async function formAnswer(answer: unknown, schema: JsonObject): Promise<ClientResponse> {
  if (answer === failedToAsk) return { action: 'unanswered', because: 'failed' };
  if (!isJsonObject(answer)) return unreadable;
  const decided = answer.decision === undefined ? undefined : decisionAnswer(answer.decision);
  if (decided !== undefined && (answer.action === undefined || decided.action !== 'accept')) return decided;
  if (answer.action === 'decline' || answer.action === 'cancel') return { action: answer.action };
  if (answer.action !== 'accept') return unreadable;
  // Without the member there is no content; `null` is a wrong one.
  const { content = {} } = answer;
  if (!isJsonObject(content)) return unreadable;
  // An `accept` without content is a plain yes, whatever the form asks for.
  const fits = Object.keys(content).length === 0 || (await misfit(schema, content)) === undefined;
  return fits ? { action: 'accept', content } : unreadable;
}

/** The answer of older clients of Codex, whose approvals are not those of the protocol. */
function decisionAnswer(decision: Json): ClientResponse {
  const [name, ...others] = isJsonObject(decision) ? Object.keys(decision) : [decision];
  if (others.length > 0 || typeof name !== 'string') return unreadable;
  if (name.startsWith('approved')) return { action: 'accept', content: { decision } };
  if (name === 'timed_out') return { action: 'unanswered', because: 'timed-out' };
  return name === 'denied' ? { action: 'decline' } : name === 'abort' ? { action: 'cancel' } : unreadable;
}

/** What a client answered to another request: its result as it is. */
function requestAnswer(answer: unknown): ClientResponse {
  return isJsonObject(answer) ? { action: 'accept', content: answer } : unreadable;
}
