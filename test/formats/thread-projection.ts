import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';

/**
 * The only table of possible differences between two runs of a thread, and between formats. Everything else is equal. A
 * row takes a value out (`undefined`) or names what stands for it.
 */
type Row = (value: Json, key: string, around: JsonObject) => Json | undefined;

const gone: Row = () => undefined;
const one: Row = () => 'one';

/** Between two runs: what clocks, keys and ports make. */
const ofEveryRun: Readonly<Record<string, Row>> = {
  ...rows(gone, 'timestamp started_at startedAt completed_at completed_at_ms started_at_ms ended_at endedAt'),
  ...rows(gone, 'duration duration_ms durationMs time_to_first_token_ms first_event_ms answer_ms total_ms elapsedMs'),
  ...rows(gone, 'trace_id traceId seal address ordinal pid mark'),
  // Over texts that name the folder of the run.
  ...rows(one, 'instructions rest', (value) => typeof value === 'string' && /^[0-9a-f]{40}$/.test(value)),
};

/** The provider and its client: the tests vary them. */
const ofProvider: Readonly<Record<string, Row>> = {
  ...rows(one, 'model_provider model_provider_id provider modelClient'),
};

/** By format. */
const ofFormats: Readonly<Record<string, Row>> = {
  // An answer that ends early is counted by some; whatever is counted has tests of its own, and so has what servers say.
  ...rows(gone, 'usage total last next message', (value) => !Array.isArray(value)),
  // The part of the contract of the turn that was written last: the provider may be in it.
  ...rows(gone, 'newest restored context telemetry'),
  // Tokens that no server has counted are estimated from the request.
  ...rows(gone, 'total_tokens percentRemaining percent_remaining estimated estimated_tokens'),
  ...rows(gone, 'tokensBefore tokensAfter tokens_before tokens_after start end model_limits tool_sets'),
  // Messages counts no thoughts, and thoughts of Chat Completions are not encrypted: what is kept of them weighs something else.
  ...rows(gone, 'reasoningOutput reasoning_output_tokens tokens encrypted_content'),
};

const table: Readonly<Record<string, Row>> = { ...ofEveryRun, ...ofProvider, ...ofFormats };

function rows(row: Row, keys: string, when: (value: Json) => boolean = () => true): Readonly<Record<string, Row>> {
  const limited: Row = (value, key, around) => (when(value) ? row(value, key, around) : value);
  return Object.fromEntries(keys.split(' ').map((key) => [key, limited]));
}

/** Names that servers and Capstan give: the first one that comes is the first in every format. */
const names = /^(?:id|itemId|item_id|callId|call_id|turnId|turn_id|threadId|thread_id|session_id|response_id)$/;

export function projected(values: readonly object[], place: string): readonly Json[] {
  const known = new Map<string, string>();
  const plain = JSON.parse(JSON.stringify(values).replaceAll(place, '/place')) as readonly JsonObject[];
  return plain.filter((value) => !isOfFormat(value)).map((value) => walk(value, known));
}

/**
 * Records of Capstan beside the conversation: requests, their bytes and lists of tools; commands and snapshots, which
 * race each other; the choice of a provider, and the contract of a turn, which names it. Retries, too: a WebSocket is
 * given up where HTTP is tried again in silence, and only some formats can tell a broken event from an unknown one.
 */
function isOfFormat(value: JsonObject): boolean {
  const { type, kind, payload } = value;
  const event = isJsonObject(payload) ? payload['type'] : undefined;
  if (event === 'thread_settings_applied' || event === 'stream_error' || event === 'token_count') return true;
  if (kind === 'prefix-broken' || kind === 'retrying' || type === 'turn_context') return true;
  return String(type).startsWith('capstan_') || saysNoSocket(value);
}

/** That HTTP is used instead. */
function saysNoSocket(value: JsonObject): boolean {
  const isWarning = value['kind'] === 'warning' || value['type'] === 'event_msg';
  return isWarning && JSON.stringify(value).includes('WebSocket');
}

const uuid = /\b(?:[a-z]+_)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

function walk(value: Json, known: Map<string, string>): Json {
  const nameOf = (found: string): string => {
    if (!known.has(found)) known.set(found, `name ${known.size}`);
    return known.get(found)!;
  };
  // By that estimate a checkpoint cuts what the model said last.
  const cut = /(-+ The model's last answer)[^]*?(-+ End of the answer)/g;
  if (typeof value === 'string')
    return value
      .replace(cut, '$1$2')
      .replace(uuid, nameOf)
      .replace(/Wall time: [\d.]+ seconds/g, 'Wall time');
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => walk(each, known));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(asFunction(value)).flatMap(([key, each]) => {
    if (names.test(key) && typeof each === 'string') return [[key, nameOf(each)] as const];
    const shown = Object.hasOwn(table, key) ? table[key]!(each!, key, value) : each;
    return shown === undefined ? [] : [[key, walk(shown, known)] as const];
  });
  return Object.fromEntries(kept);
}

/** A call with free text, as a function. */
function asFunction(value: JsonObject): JsonObject {
  if (value['type'] === 'custom_tool_call_output') return { ...value, type: 'function_call_output' };
  if (value['type'] !== 'custom_tool_call') return value;
  const { input, ...call } = value;
  return { ...call, type: 'function_call', arguments: JSON.stringify({ input }) };
}
