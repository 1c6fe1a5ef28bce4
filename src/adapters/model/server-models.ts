import { BoundedBuffer } from '../../base/bounded-buffer.ts';
import { defined } from '../../base/objects.ts';
import type { ProviderConfig } from '../../core/config/providers/provider-config.ts';
import type { ModelFailure } from '../../ports/model.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { noAnswerFailure } from './http/failures/answer-failure.ts';
import { causeOfStatus, failureCauses } from './http/failures/failure-causes.ts';
import { parseTarget, type RequestTarget } from './http/network/destination.ts';
import type { SendHttpRequest } from './http/network/exchange.ts';
import { readWholeBody } from './http/network/response-body.ts';

/** Bounds server-supplied data, which is stored with every thread. */
const [longestRecord, mostModels, mostNames, longestText, largestNumber] = [20_000, 5000, 32, 200, 100_000_000];
/** A smaller number is not a window, and leaves no room for output. */
const leastWindow = 512;
const leastOutput = 500;
const texts = ['default_reasoning_level', 'default_reasoning_summary', 'default_verbosity', 'comp_hash'];
const lists: Readonly<Record<string, string>> = {
  supported_reasoning_levels: 'effort',
  service_tiers: 'id',
  input_modalities: 'name',
};
const leasts: Readonly<Record<string, number>> = {
  context_window: leastWindow,
  max_context_window: leastWindow,
  auto_compact_token_limit: leastWindow,
  max_output_tokens: 1,
  effective_context_window_percent: 10,
};

/** The record without keys whose values are out of bounds; these are treated as for an unknown model. */
function boundedRecord(record: JsonObject): JsonObject | undefined {
  const kept = Object.fromEntries(Object.entries(record).filter(([key, value]) => isBounded(key, value)));
  return JSON.stringify(kept).length > longestRecord ? undefined : kept;
}

function isBounded(key: string, value: Json | undefined): boolean {
  const least = leasts[key];
  if (typeof value === 'number' && least !== undefined) return value >= least && value <= largestNumber;
  if (typeof value === 'string' && texts.includes(key)) return value.length <= longestText;
  const name = lists[key];
  if (name !== undefined && Array.isArray(value)) {
    const names = value.slice(0, mostNames).map((each: Json) => (isJsonObject(each) ? each[name] : each));
    return value.length <= mostNames && names.every((each) => typeof each !== 'string' || each.length <= longestText);
  }
  if (key !== 'truncation_policy') return true;
  const limit = numberAt(objectAt({ value }, 'value') ?? {}, 'limit');
  return limit === undefined || (limit >= leastOutput && limit <= largestNumber);
}

/** A well-formed ETag that does not echo a secret of the request. */
const soundEtag = (etag: string, secrets: readonly string[]): boolean =>
  /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/.test(etag) && !secrets.some((secret) => etag.includes(secret));

export interface ServerModel {
  readonly slug: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly pictures?: boolean;
  readonly record?: JsonObject;
  /** Source of the facts, for people: `ollama /api/ps`. */
  readonly source: string;
}

export type ServerModels =
  | { readonly kind: 'models'; readonly models: readonly ServerModel[]; readonly etag?: string }
  /** The list has not changed since the server gave that ETag. */
  | { readonly kind: 'unchanged' }
  /** No answer, or an unusable one. `why`: without anything secret. */
  | { readonly kind: 'unknown'; readonly why?: Pick<Outcome, 'message' | 'next'> };

export interface ServerModelsQuestion {
  readonly provider: Pick<ProviderConfig, 'baseUrl' | 'capabilities' | 'queryParams'>;
  readonly headers: Readonly<Record<string, string>>;
  /** The model in use: servers that say little in a list are asked about it. */
  readonly model?: string;
  readonly etag?: string;
  /** Values that must not be kept: a server may echo them. */
  readonly secrets?: readonly string[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Asks a server for its models and their context windows. Never rejects. */
export async function askServerModels(ask: AskServer, question: ServerModelsQuestion): Promise<ServerModels> {
  const { secrets = [] } = question;
  const found = await askAll(ask, question);
  if (found.kind !== 'models' || secrets.length === 0) return found;
  const isSecret = (text: string): boolean => secrets.some((secret) => text.includes(secret));
  return { ...found, models: found.models.filter((model) => !isSecret(JSON.stringify(model))) };
}

async function askAll(ask: AskServer, question: ServerModelsQuestion): Promise<ServerModels> {
  const { windowFrom } = question.provider.capabilities;
  const own = windowFrom === 'list' ? [] : await asks[windowFrom](door(ask, question), question.model);
  // A server that answers its own endpoint is asked nothing else, unless the names of all models are wanted.
  if (own.length > 0 && question.model !== undefined) return { kind: 'models', models: own };
  const listed = await list(ask, question);
  if (listed.kind !== 'models') return own.length === 0 ? listed : { kind: 'models', models: own };
  const others = listed.models.filter(({ slug }) => !own.some((each) => each.slug === slug));
  return { ...listed, models: [...own, ...others] };
}

async function list(ask: AskServer, question: ServerModelsQuestion): Promise<ServerModels> {
  const { provider, headers, etag, secrets = [], timeoutMs, signal } = question;
  const query = new URLSearchParams(provider.queryParams).toString();
  const url = `${provider.baseUrl}/models${query === '' ? '' : `?${query}`}`;
  const known = { ...headers, ...defined({ 'if-none-match': etag }) };
  const answer = await ask({ url, headers: known, timeoutMs, signal });
  if (answer.kind !== 'answer') return { kind: 'unknown', why: answer.why };
  if (answer.status === 304) return { kind: 'unchanged' };
  const json = answer.status === 200 ? parseJsonObject(answer.text) : undefined;
  const found = arrayAt(json, 'models') ?? dataIn(json);
  if (found === undefined) return { kind: 'unknown', why: noList(url, answer.status) };
  const models = found.slice(0, mostModels).flatMap((model) => (isJsonObject(model) ? listedModel(model) : []));
  const tag = answer.etag !== undefined && soundEtag(answer.etag, secrets) && { etag: answer.etag };
  return { kind: 'models', models, ...tag };
}

/** Some servers write `null` for an empty list. */
const dataIn = (json: JsonObject | undefined) => (json?.['data'] === null ? [] : arrayAt(json, 'data'));

/** The server's text is not shown: it may repeat what was sent. */
function noList(url: string, status: number): Pick<Outcome, 'message' | 'next'> {
  const cause = causeOfStatus(status);
  const hasNone = status === 200 || cause === 'not-found' || cause === 'request';
  const next = hasNone
    ? 'Check the base URL of the provider. If its server has no list, name a model with -m or in config.toml.'
    : failureCauses[cause].next;
  return { message: `${new URL(url).origin} answered with status ${status} and no list.`, next };
}

function listedModel(model: JsonObject): readonly ServerModel[] {
  const slug = nameOf(model['slug'] ?? model['id']);
  if (slug === undefined) return [];
  const { base_instructions: _, model_messages: __, ...facts } = model;
  // Instructions come from the user or Capstan, never from a server.
  const record = model['slug'] === undefined ? undefined : boundedRecord(facts);
  const top = objectAt(model, 'top_provider') ?? {};
  const inputs = arrayAt(objectAt(model, 'architecture') ?? {}, 'input_modalities');
  const windowKeys = ['context_window', 'context_length', 'max_model_len', 'max_context_length'];
  const contextWindow = windowKeys.map((key) => windowOf(model[key])).find((tokens) => tokens !== undefined);
  const maxOutputTokens = tokensOf(top['max_completion_tokens']);
  const source = 'the server’s list of models';
  return [{ slug, source, contextWindow, maxOutputTokens, pictures: inputs?.includes('image'), record }];
}

/** Queries the server outside its API, below its address. Undefined: no answer, or not an object. */
type Door = (path: string, body?: JsonObject) => Promise<JsonObject | undefined>;

function door(ask: AskServer, { provider, headers, timeoutMs, signal }: ServerModelsQuestion): Door {
  const root = provider.baseUrl.replace(/\/v1$/, '');
  return async (path, body) => {
    const answer = await ask({ url: `${root}${path}`, headers, timeoutMs, signal, body });
    return answer.kind === 'answer' && answer.status === 200 ? parseJsonObject(answer.text) : undefined;
  };
}

const asks = { ollama: askOllama, lmstudio: askLmStudio, 'llama.cpp': askLlamaCpp } as const;
/** Ollama does not state the effective window of an unloaded model: it loads most with less than their maximum. */
const mostUnloaded = 32_768;
const longestParameters = 1_000_000;

async function askOllama(ask: Door, model: string | undefined): Promise<readonly ServerModel[]> {
  const showing = model === undefined ? undefined : ask('/api/show', { model });
  const [running, shown] = await Promise.all([ask('/api/ps'), showing]);
  const loaded = objects(running, 'models').flatMap((each): readonly ServerModel[] => {
    const name = nameOf(each['model'] ?? each['name']);
    const contextWindow = windowOf(each['context_length']);
    if (name === undefined || contextWindow === undefined) return [];
    // Without a tag, the newest is meant.
    const slug = model !== undefined && name === `${model}:latest` ? model : name;
    return [{ slug, contextWindow, source: 'ollama /api/ps' }];
  });
  if (model === undefined || shown === undefined) return loaded;
  const pictures = arrayAt(shown, 'capabilities')?.includes('vision');
  const here = loaded.find(({ slug }) => slug === model);
  if (here !== undefined) return [{ ...here, pictures }];
  const contextWindow = chosenWindow(stringAt(shown, 'parameters') ?? '');
  if (contextWindow !== undefined)
    return [{ slug: model, contextWindow, pictures, source: 'ollama /api/show, num_ctx' }];
  const trained = Object.entries(objectAt(shown, 'model_info') ?? {}).find(([key]) => key.endsWith('.context_length'));
  const most = windowOf(trained?.[1]);
  if (most === undefined) return [];
  const source = `ollama /api/show; not loaded yet, assumed to be at most ${mostUnloaded}`;
  return [{ slug: model, contextWindow: Math.min(most, mostUnloaded), pictures, source }];
}

/** Reads lines of a model's file, such as `num_ctx 8192`. */
function chosenWindow(parameters: string): number | undefined {
  for (const line of parameters.slice(0, longestParameters).split('\n')) {
    // Trim first: a pattern that may begin at every blank takes very long on a text of blanks.
    const digits = /^num_ctx\s+(\d{1,9})$/.exec(line.trim())?.[1];
    if (digits !== undefined) return windowOf(Number(digits));
  }
  return undefined;
}

async function askLmStudio(ask: Door): Promise<readonly ServerModel[]> {
  return objects(await ask('/api/v0/models'), 'data').flatMap((each): readonly ServerModel[] => {
    const slug = nameOf(each['id']);
    if (slug === undefined || each['type'] === 'embeddings') return [];
    const contextWindow = windowOf(each['loaded_context_length']) ?? windowOf(each['max_context_length']);
    const pictures = each['type'] === undefined ? undefined : each['type'] === 'vlm';
    return [{ slug, source: 'lmstudio /api/v0/models', contextWindow, pictures }];
  });
}

/** It serves a single model, whatever its name. */
async function askLlamaCpp(ask: Door, model: string | undefined): Promise<readonly ServerModel[]> {
  const props = await ask('/props');
  const contextWindow = windowOf(objectAt(props, 'default_generation_settings')?.['n_ctx']);
  if (contextWindow === undefined) return [];
  const vision = objectAt(props, 'modalities')?.['vision'];
  const pictures = typeof vision === 'boolean' ? vision : undefined;
  return [{ slug: model ?? 'default', contextWindow, pictures, source: 'llama.cpp /props' }];
}

const objects = (json: JsonObject | undefined, key: string): readonly JsonObject[] =>
  (arrayAt(json, key) ?? []).slice(0, mostModels).filter(isJsonObject);

function nameOf(value: Json | undefined): string | undefined {
  if (typeof value !== 'string' || value.trim() === '' || value.length > longestText) return undefined;
  return /[\x00-\x1f\x7f-\x9f\ud800-\udfff]/u.test(value) ? undefined : value;
}

const windowOf = (value: Json | undefined): number | undefined => tokensOf(value, leastWindow);

function tokensOf(value: Json | undefined, least = 1): number | undefined {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value);
  return isCount && value >= least && value <= largestNumber ? value : undefined;
}

export interface ServerQuestion {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST. Absent: GET. */
  readonly body?: JsonObject;
  /** Total time, from the first byte to the last. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** `lost`: no complete answer in time. `why`: without anything secret; absent if it was aborted or has no address. */
export type ServerQuestionAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly etag?: string }
  | { readonly kind: 'lost'; readonly why?: Pick<ModelFailure, 'message' | 'next'> };

export type AskServer = (question: ServerQuestion) => Promise<ServerQuestionAnswer>;
const largestAnswerBytes = 8 * 1024 * 1024;

/** Asks a server about itself, over the connections that requests use. Never rejects, and ends within its time. */
export const createServerQuestions =
  (sendTo: (target: RequestTarget) => SendHttpRequest): AskServer =>
  async ({ url, headers = {}, body, timeoutMs, signal: given }) => {
    const target = parseTarget(url);
    if (target === undefined) return { kind: 'lost' };
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = given === undefined ? limit : AbortSignal.any([limit, given]);
    const form = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) };
    const opened = await sendTo(target)({
      method: body === undefined ? 'GET' : undefined,
      headers: { ...headers, ...form },
      body: body === undefined ? [] : [Buffer.from(JSON.stringify(body))],
      idleMs: timeoutMs,
      signal,
    });
    if (opened.kind !== 'answer') {
      if (given?.aborted === true) return { kind: 'lost' };
      const { origin } = target;
      if (limit.aborted) {
        const message = `${origin} gave no answer within ${timeoutMs / 1000} seconds.`;
        return { kind: 'lost', why: { message, next: 'Check that the server works, then try again.' } };
      }
      const { message, next } = noAnswerFailure(opened, { origin, idleMs: timeoutMs });
      return { kind: 'lost', why: { message, next } };
    }
    const read = await readWholeBody(opened.body, { idleMs: timeoutMs, maxBytes: largestAnswerBytes });
    if (read.kind !== 'whole') return { kind: 'lost' };
    const { status, headers: got } = opened.head;
    return { kind: 'answer', status, text: read.text, etag: got['etag'] };
  };

export type LocalServerAnswer =
  | { readonly kind: 'answers'; readonly models: readonly string[] }
  | { readonly kind: 'silent' | 'other' };

/** The user waits for it, and a server on the same machine is quick. */
const usualPatienceMs = 5000;

/** Asks for the list of models, which servers with a Responses endpoint have beside it. */
export async function askLocalServer(baseUrl: string, patienceMs = usualPatienceMs): Promise<LocalServerAnswer> {
  let text: string;
  try {
    const answer = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(patienceMs) });
    text = answer.ok ? await boundedText(answer) : '';
  } catch {
    return { kind: 'silent' };
  }
  const list = dataIn(parseJsonObject(text));
  if (list === undefined) return { kind: 'other' };
  return { kind: 'answers', models: list.filter(isJsonObject).flatMap((model) => stringAt(model, 'id') ?? []) };
}

/** Empty if the answer is too long for a list of models. */
async function boundedText({ body }: Response): Promise<string> {
  const held = new BoundedBuffer(largestAnswerBytes);
  for await (const chunk of body ?? []) if (!held.add(chunk as Uint8Array)) return '';
  return held.take().toString('utf8');
}
