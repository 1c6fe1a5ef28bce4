import { isJsonObject, type Json, type JsonObject, sortedJson } from '../../../../protocol/json.ts';
import type { ClientQuestion, ClientResponse, InputRequired, ServerApp } from '../server-interface.ts';
import { schemaProblem } from './check-arguments.ts';
import { createRequestStateCodec, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { createHash, randomBytes } from 'node:crypto';

export function questionRequest(question: ClientQuestion): { readonly method: string; readonly params: JsonObject } {
  if ('method' in question) return { method: question.method, params: question.params };
  const { message, schema, extra } = question;
  return { method: 'elicitation/create', params: { ...extra, message, requestedSchema: schema } };
}

export function questionSchemas({ questions }: InputRequired): QuestionSchemas {
  const keys = Object.entries(questions).map(([key, question]) => [key, 'schema' in question ? question.schema : null]);
  return Object.fromEntries(keys) as QuestionSchemas;
}

/** The client's answers to the questions; answers to anything else are ignored. */
export async function readClientResponses(
  asked: QuestionSchemas,
  given: readonly (readonly [string, unknown])[],
): Promise<Readonly<Record<string, ClientResponse>>> {
  const responses = given.map(async ([key, answer]) => {
    const schema = Object.hasOwn(asked, key) ? asked[key] : undefined;
    if (schema === undefined) return [];
    return [[key, schema === null ? requestAnswer(answer) : await formAnswer(answer, schema)] as const];
  });
  return Object.fromEntries((await Promise.all(responses)).flat());
}

/** Replaces an answer: the client could not ask, or its connection broke. */
export const failedToAsk = Symbol('the client failed to ask');
const unreadable: ClientResponse = { action: 'unanswered', because: 'unreadable' };

/** Reads a client's answer to a form with this schema. No other shape speaks for the user. */
async function formAnswer(answer: unknown, schema: JsonObject): Promise<ClientResponse> {
  if (answer === failedToAsk) return { action: 'unanswered', because: 'failed' };
  if (!isJsonObject(answer)) return unreadable;
  const decided = answer.decision === undefined ? undefined : decisionAnswer(answer.decision);
  if (decided !== undefined && (answer.action === undefined || decided.action !== 'accept')) return decided;
  if (answer.action === 'decline' || answer.action === 'cancel') return { action: answer.action };
  if (answer.action !== 'accept') return unreadable;
  // Without the member there is no content; `null` is invalid content.
  const { content = {} } = answer;
  if (!isJsonObject(content)) return unreadable;
  // An `accept` without content is a plain approval, whatever the form requires.
  const fits = Object.keys(content).length === 0 || (await schemaProblem(schema, content)) === undefined;
  return fits ? { action: 'accept', content } : unreadable;
}

/** The answer of older Codex clients, whose approvals are not those of the protocol. */
function decisionAnswer(decision: Json): ClientResponse {
  const [name, ...others] = isJsonObject(decision) ? Object.keys(decision) : [decision];
  if (others.length > 0 || typeof name !== 'string') return unreadable;
  if (name.startsWith('approved')) return { action: 'accept', content: { decision } };
  if (name === 'timed_out') return { action: 'unanswered', because: 'timed-out' };
  return name === 'denied' ? { action: 'decline' } : name === 'abort' ? { action: 'cancel' } : unreadable;
}

const requestAnswer = (answer: unknown): ClientResponse =>
  isJsonObject(answer) ? { action: 'accept', content: answer } : unreadable;

/** The schema of a form; null for another request. */
export type QuestionSchemas = Readonly<Record<string, JsonObject | null>>;

/** State of a call that waits for its user. The client keeps it, since the server keeps nothing. */
export interface SealedCall {
  /** Digest of the method, name and arguments that it was made for. */
  readonly call: string;
  readonly state: JsonObject;
  /** The questions by key: an answer to anything else does not count. */
  readonly asked: QuestionSchemas;
}

/** People answer when they come back to the screen. */
const ttlSeconds = 24 * 60 * 60;
/** Used if an app has no secret: state sealed by another process is refused. */
const processKey = randomBytes(32);
export type RequestSeal = ReturnType<typeof createRequestSeal>;

/** With a secret that outlives the process, an answer still counts after the server was restarted. */
export function createRequestSeal({ callSecret }: Pick<ServerApp, 'callSecret'>) {
  // The secret is requested on use: a server that never asks its user needs none.
  let made: ReturnType<typeof createRequestStateCodec<SealedCall>> | undefined;
  const codec = () => (made ??= createRequestStateCodec<SealedCall>({ key: keyOf(callSecret?.()), ttlSeconds }));
  return {
    close: (sealed: SealedCall) => codec().mint(sealed),
    /** Called by the SDK before a handler. Throws on anything that was not sealed with the same secret. */
    open: (state: string, context: ServerContext) => codec().verify(state, context),
  };
}

const keyOf = (secret: string | undefined): Uint8Array =>
  secret === undefined ? processKey : createHash('sha256').update(secret).digest();

export function readSealedCall(call: string, context: ServerContext): SealedCall | undefined {
  const sealed = context.mcpReq.requestState<SealedCall>();
  if (sealed === undefined || sealed.call === call) return sealed;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This requestState belongs to another call.');
}

/** Independent of the order in which a client writes its arguments. */
export const callDigest = (method: string, name: string, args: JsonObject): string =>
  createHash('sha256')
    .update(sortedJson([method, name, args]))
    .digest('base64url');
