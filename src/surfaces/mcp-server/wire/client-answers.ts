import { type Json, type JsonObject, isJsonObject } from '../../../protocol/json.ts';
import type { ClientQuestion, ClientResponse, InputRequired } from '../offer/server-tool.ts';
import { misfit } from './check-arguments.ts';

/** A question as either revision puts it on the wire. */
export function questionRequest(question: ClientQuestion): { readonly method: string; readonly params: JsonObject } {
  if ('method' in question) return { method: question.method, params: question.params };
  const { message, schema, extra } = question;
  return { method: 'elicitation/create', params: { ...extra, message, requestedSchema: schema } };
}

/** The schemas of those that are forms. */
export function formSchemas({ questions }: InputRequired): Readonly<Record<string, JsonObject>> {
  const forms = Object.entries(questions).flatMap(([key, question]) =>
    'schema' in question ? [[key, question.schema] as const] : [],
  );
  return Object.fromEntries(forms);
}

/** What a client answered, where a form asked for something of this schema. Any other shape is a `cancel`. */
export function formAnswer(answer: unknown, schema: JsonObject): ClientResponse {
  if (!isJsonObject(answer)) return { action: 'cancel' };
  if (answer.action === undefined && answer.decision !== undefined) return decisionAnswer(answer.decision);
  if (answer.action === 'decline') return { action: 'decline' };
  if (answer.action !== 'accept') return { action: 'cancel' };
  const content = answer.content ?? {};
  if (!isJsonObject(content)) return { action: 'cancel' };
  // An `accept` without content is a plain yes, whatever the form asks for.
  const fits = Object.keys(content).length === 0 || misfit(schema, content) === undefined;
  return fits ? { action: 'accept', content } : { action: 'cancel' };
}

/** The answer of older clients of Codex, whose approvals are not those of the protocol. */
function decisionAnswer(decision: Json): ClientResponse {
  const name = isJsonObject(decision) ? Object.keys(decision)[0] : decision;
  if (typeof name === 'string' && name.startsWith('approved')) return { action: 'accept', content: { decision } };
  return { action: name === 'denied' ? 'decline' : 'cancel' };
}

/** What a client answered to another request: its result as it is. */
export function requestAnswer(answer: unknown): ClientResponse {
  return isJsonObject(answer) ? { action: 'accept', content: answer } : { action: 'cancel' };
}
