import type { AnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../../ports/model.ts';
import type { Item } from '../../../protocol/item.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Usage } from '../../../protocol/usage.ts';
import type { AnswerEventReader } from '../http/answer-decoder.ts';
import { serverModelEvents } from '../http/answer-headers.ts';
import { answerTooLarge, unreadableAnswer } from '../http/failures/answer-failure.ts';
import { causeOfStopReason } from '../http/failures/failure-causes.ts';
import { httpFailure } from '../http/failures/http-failure.ts';
import {
  endedEarlyMessage,
  failed,
  isOverflowCode,
  modelFailure,
  overflowFailure,
  streamFailure,
} from '../http/failures/model-failure.ts';
import { usageFromWire } from '../responses/decode.ts';
import type { ChatDialect } from './dialect.ts';

export const chatApiName = 'Chat Completions API';
/** Ends a stream. Not JSON. */
const doneMark = '[DONE]';

/**
 * Reads the chunks of one answer. Items are complete only when the server sends a finish reason: a stream that breaks
 * off gives none. Token counts may follow the reason, so the answer ends with them, with the end mark, or with the
 * stream.
 */
export function chatReader({ maxItems }: Pick<AnswerLimits, 'maxItems'>, { thoughts }: ChatDialect): AnswerEventReader {
  const said: string[] = [];
  const thought: string[] = [];
  const calls = createCallCollector();
  let responseId: string | undefined;
  let reason: string | undefined;
  let usage: Usage | undefined;
  let isOver = false;
  let isBroken = false;

  function chunk(event: JsonObject): readonly ModelEvent[] | undefined {
    const error = reportedError(event);
    if (error !== undefined) return [failed(errorFailure(error, chatApiName))];
    const created = begin(event);
    const choice = firstChoice(event);
    const deltas = takeDelta(objectAt(choice, 'delta') ?? objectAt(choice, 'message'));
    // Some servers send an empty reason in every chunk.
    reason ??= stringAt(choice, 'finish_reason') || undefined;
    // Some servers count in every chunk: only counts with or after the finish reason are final.
    const counted = chunkUsage(event, choice);
    usage = counted ?? usage;
    const events = [...created, ...deltas];
    if (calls.count > maxItems) return [...events, failed(answerTooLarge(`${maxItems} items`))];
    if (reason !== undefined && counted !== undefined) return [...events, ...finish()];
    const isChunk = counted !== undefined || arrayAt(event, 'choices') !== undefined;
    return isChunk || events.length > 0 ? events : undefined;
  }

  function begin(event: JsonObject): readonly ModelEvent[] {
    if (responseId !== undefined) return [];
    responseId = stringAt(event, 'id') ?? '';
    const created: readonly ModelEvent[] = responseId === '' ? [] : [{ kind: 'created', responseId }];
    return [...created, ...serverModelEvents(event['model'])];
  }

  function takeDelta(delta: JsonObject | undefined): readonly ModelEvent[] {
    if (delta === undefined) return [];
    const { text, thinking } = wordsIn(delta['content']);
    const refusal = stringAt(delta, 'refusal') ?? '';
    const reasoning = stringAt(delta, 'reasoning_content') || stringAt(delta, 'reasoning') || '';
    const thoughtNow = `${reasoning}${thinking}`;
    const saidNow = `${text}${refusal}`;
    const legacy = objectAt(delta, 'function_call');
    calls.take(arrayAt(delta, 'tool_calls') ?? (legacy === undefined ? [] : [{ index: 0, function: legacy }]));
    if (thoughtNow !== '') thought.push(thoughtNow);
    if (saidNow !== '') said.push(saidNow);
    // Ids are assigned when items are recorded: those of servers are often not unique.
    return [
      ...(thoughtNow === '' ? [] : [{ kind: 'reasoning-delta', itemId: '', part: 0, delta: thoughtNow } as const]),
      ...(saidNow === '' ? [] : [{ kind: 'text-delta', itemId: '', delta: saidNow } as const]),
    ];
  }

  function finish(): readonly ModelEvent[] {
    isOver = true;
    const meaning = finishMeaning(reason ?? 'stop');
    if (meaning.kind === 'lost') return [failed(meaning.failure, usage)];
    const spoken = [...thoughtItems(thought.join(''), thoughts), ...saidItems(said.join(''))].map(asEvent);
    if (meaning.kind === 'cut') return [...spoken, failed(meaning.failure, usage)];
    const made = calls.items(responseId ?? '');
    if (made === undefined) return [failed(unreadableAnswer('item'))];
    return [...spoken, ...made.map(asEvent), { kind: 'completed', responseId: responseId ?? '', usage }];
  }

  return {
    event(data) {
      const text = data.toString('utf8').trim();
      if (isOver || text === '') return undefined;
      // The lost event held a piece of the answer that is not repeated.
      if (isBroken) return [failed(unreadableAnswer('event'))];
      if (text === doneMark) return responseId === undefined ? [failed(unreadableAnswer('end'))] : finish();
      const event = parseJsonObject(text);
      if (event !== undefined) return chunk(event);
      // An unreadable last event may be the cut end of a broken stream; the next event decides.
      isBroken = true;
      return undefined;
    },
    end: () => (isOver || reason === undefined ? [] : finish()),
  };
}

/** Servers that give several answers number them; only the first is read. */
const firstChoice = (event: JsonObject): JsonObject | undefined =>
  (arrayAt(event, 'choices') ?? []).filter(isJsonObject).find(({ index = 0 }) => index === 0);

function wordsIn(content: Json | undefined): { readonly text: string; readonly thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' };
  const parts = Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];
  return {
    text: parts.map((part) => stringAt(part, 'text') ?? '').join(''),
    thinking: parts.map((part) => thinkingIn(part['thinking'])).join(''),
  };
}

const thinkingIn = (thinking: Json | undefined): string =>
  typeof thinking === 'string' ? thinking : wordsIn(thinking).text;

/** Thoughts that Capstan returns to the model are content. Others are summaries for the user. */
function thoughtItems(text: string, thoughts: ChatDialect['thoughts']): readonly Item[] {
  if (text === '') return [];
  return thoughts === 'returned'
    ? [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }]
    : [{ type: 'reasoning', summary: [{ type: 'summary_text', text }] }];
}

const saidItems = (text: string): readonly Item[] =>
  text === '' ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }];
const asEvent = (item: Item): ModelEvent => ({ kind: 'item', item });
type OpenCall = { id: string; name: string; readonly pieces: string[] };

export function createCallCollector() {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();

  function callFor(index: number | undefined, id: string, name: string): OpenCall {
    // Without index and id, a piece with a name begins a call, and one without continues the last.
    const named = id === '' ? undefined : calls.find((call) => call.id === id);
    const unnumbered = named ?? (name === '' ? calls.at(-1) : undefined);
    const known = index === undefined ? unnumbered : byIndex.get(index);
    // Some servers number every call 0, others rename each piece: only a new id together with a name begins a new call.
    const isAnother = known !== undefined && id !== '' && known.id !== '' && known.id !== id && name !== '';
    if (known !== undefined && !isAnother) return known;
    const call: OpenCall = { id: '', name: '', pieces: [] };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    return call;
  }

  function add(piece: JsonObject): void {
    const made = objectAt(piece, 'function') ?? {};
    const [id, name] = [stringAt(piece, 'id') ?? '', stringAt(made, 'name') ?? ''];
    const call = callFor(numberAt(piece, 'index'), id, name);
    if (call.id === '') call.id = id;
    // A name may come in pieces; some servers repeat it with every piece of the arguments.
    if (name !== call.name && call.pieces.length === 0) call.name += name;
    const given = textOf(made['arguments']);
    if (given !== '') call.pieces.push(given);
  }

  return {
    take(pieces: readonly Json[]): void {
      for (const piece of pieces) if (isJsonObject(piece)) add(piece);
    },
    get count(): number {
      return calls.length;
    },
    /** The calls as items, in order; undefined if one has no name. Calls without an id are numbered. */
    items(responseId: string): readonly Item[] | undefined {
      if (calls.some(({ name }) => name === '')) return undefined;
      return calls.map(({ id, name, pieces }, at) => ({
        type: 'function_call',
        name,
        arguments: pieces.length === 0 ? '{}' : pieces.join(''),
        call_id: id === '' ? `call_${responseId}_${at}` : id,
      }));
    },
  };
}

/** Arguments are a text; a few servers send the object itself. */
function textOf(given: Json | undefined): string {
  if (typeof given === 'string') return given;
  return isJsonObject(given) ? JSON.stringify(given) : '';
}

/** Undefined without meaningful counts. They are beside the choices, in one, or under a server's own name. */
function chunkUsage(chunk: JsonObject, choice: JsonObject | undefined): Usage | undefined {
  const wire = objectAt(chunk, 'usage') ?? objectAt(choice, 'usage') ?? objectAt(objectAt(chunk, 'x_groq'), 'usage');
  if (wire === undefined) return undefined;
  const { cached_tokens: ofInput, cache_write_tokens: written } = objectAt(wire, 'prompt_tokens_details') ?? {};
  const cached = ofInput ?? wire['prompt_cache_hit_tokens'] ?? wire['cached_tokens'];
  const reasoning = objectAt(wire, 'completion_tokens_details')?.['reasoning_tokens'];
  return usageFromWire({
    input_tokens: wire['prompt_tokens'],
    output_tokens: wire['completion_tokens'],
    total_tokens: wire['total_tokens'],
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens_details: { reasoning_tokens: reasoning },
  });
}

/** Meaning of a finish reason. `cut`: the text is valid, but calls may be incomplete. */
type FinishMeaning = { readonly kind: 'whole' } | { readonly kind: 'cut' | 'lost'; readonly failure: ModelFailure };
/** Reasons of common servers for an aborted answer. A retry may help. */
const broken: ReadonlySet<string> = new Set(['error', 'network_error', 'insufficient_system_resource']);

/** Unknown reasons end an answer well: `stop`, `tool_calls`, `eos`, … */
export function finishMeaning(reason: string): FinishMeaning {
  if (broken.has(reason)) {
    const message = `The provider broke off the answer. Reason: ${reason}.`;
    return { kind: 'lost', failure: modelFailure({ cause: 'server', message }) };
  }
  if (isOverflowCode(reason)) return { kind: 'lost', failure: overflowFailure('') };
  const cause = causeOfStopReason(reason);
  if (cause !== 'answer-length' && cause !== 'content-filter') return { kind: 'whole' };
  const failure = modelFailure({ cause, message: endedEarlyMessage(reason) });
  return { kind: cause === 'answer-length' ? 'cut' : 'lost', failure };
}

/** The error in a stream event, in any shape that servers use; undefined if there is none. */
export function reportedError(event: JsonObject): JsonObject | undefined {
  const error = event['error'];
  if (typeof error === 'string') return { message: error };
  if (isJsonObject(error)) return error;
  return event['object'] === 'error' ? event : undefined;
}

/** A code that is an HTTP status means the same as that status before the stream began. */
export function errorFailure(error: JsonObject, api: string): ModelFailure {
  const status = statusOf(error['code']);
  if (status === undefined) return streamFailure(error);
  const { code: _status, ...rest } = error;
  const words = { ...rest, message: stringAt(error, 'message') ?? '' };
  return httpFailure({ status, headers: {}, body: JSON.stringify({ error: words }) }, { now: 0, api });
}

function statusOf(code: Json | undefined): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : numberAt({ code }, 'code');
  return status !== undefined && status >= 400 && status <= 599 ? status : undefined;
}
