import type { AnswerLimits } from '../../config/defaults.ts';
import type { ModelEvent, ModelFailure } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  objectAt,
  parseJsonObject,
  stringAt,
} from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { AnswerReader } from '../http/answer-decoder.ts';
import { serverModel } from '../http/answer-headers.ts';
import { answerTooLarge, unreadableAnswer } from '../http/answer-failure.ts';
import { callPieces } from './call-pieces.ts';
import { chunkUsage } from './chat-usage.ts';
import type { ChatDialect } from './dialect.ts';
import { errorFailure, finishMeaning, reportedError } from './finish.ts';

/** What the format is called in advice about base URLs. */
export const chatApi = 'Chat Completions API';

/** The event that ends a stream. It is no JSON. */
const doneMark = '[DONE]';

/**
 * Reads the chunks of one answer. Its items are whole when the server says why the answer ends, and not before: a stream
 * that breaks off gives none. Counts may follow the reason, so the answer is over with them, with the end mark, or with
 * the stream.
 */
export function chatReader({ maxItems }: Pick<AnswerLimits, 'maxItems'>, { thoughts }: ChatDialect): AnswerReader {
  const said: string[] = [];
  const thought: string[] = [];
  const calls = callPieces();
  let responseId: string | undefined;
  let reason: string | undefined;
  let usage: Usage | undefined;
  let isOver = false;
  /** The last event could not be read. */
  let isBroken = false;

  function chunk(event: JsonObject): readonly ModelEvent[] | undefined {
    const error = reportedError(event);
    if (error !== undefined) return failed(errorFailure(error, chatApi));
    const created = begin(event);
    const choice = firstChoice(event);
    const deltas = takeDelta(objectAt(choice, 'delta') ?? objectAt(choice, 'message'));
    // An empty one is none: some servers have it in every chunk.
    reason ??= stringAt(choice, 'finish_reason') || undefined;
    // Some servers count with every chunk: only counts beside the reason or behind it are the last ones.
    const counted = chunkUsage(event, choice);
    usage = counted ?? usage;
    const events = [...created, ...deltas];
    if (calls.count > maxItems) return [...events, ...failed(answerTooLarge(`${maxItems} items`))];
    if (reason !== undefined && counted !== undefined) return [...events, ...finish()];
    const isChunk = counted !== undefined || arrayAt(event, 'choices') !== undefined;
    return isChunk || events.length > 0 ? events : undefined;
  }

  function begin(event: JsonObject): readonly ModelEvent[] {
    if (responseId !== undefined) return [];
    responseId = stringAt(event, 'id') ?? '';
    const created: readonly ModelEvent[] = responseId === '' ? [] : [{ kind: 'created', responseId }];
    return [...created, ...serverModel(event['model'])];
  }

  function takeDelta(delta: JsonObject | undefined): readonly ModelEvent[] {
    if (delta === undefined) return [];
    const { text, thinking } = wordsIn(delta['content']);
    const refusal = stringAt(delta, 'refusal') ?? '';
    const reasoning = [delta['reasoning_content'], delta['reasoning']].find(
      (each) => typeof each === 'string' && each !== '',
    );
    const thoughtNow = `${typeof reasoning === 'string' ? reasoning : ''}${thinking}`;
    const saidNow = `${text}${refusal}`;
    const legacy = objectAt(delta, 'function_call');
    calls.take(arrayAt(delta, 'tool_calls') ?? (legacy === undefined ? [] : [{ index: 0, function: legacy }]));
    if (thoughtNow !== '') thought.push(thoughtNow);
    if (saidNow !== '') said.push(saidNow);
    // Items get their ids where they are recorded: what servers give is often not unique.
    return [
      ...(thoughtNow === '' ? [] : [{ kind: 'reasoning-delta', itemId: '', part: 0, delta: thoughtNow } as const]),
      ...(saidNow === '' ? [] : [{ kind: 'text-delta', itemId: '', delta: saidNow } as const]),
    ];
  }

  function finish(): readonly ModelEvent[] {
    isOver = true;
    const meaning = finishMeaning(reason ?? 'stop');
    if (meaning.kind === 'lost') return failed(meaning.failure, usage);
    const spoken = [...thoughtItems(thought.join(''), thoughts), ...saidItems(said.join(''))].map(asEvent);
    if (meaning.kind === 'cut') return [...spoken, ...failed(meaning.failure, usage)];
    const made = calls.items(responseId ?? '');
    if (made === undefined) return failed(unreadableAnswer('item'));
    return [
      ...spoken,
      ...made.map(asEvent),
      { kind: 'completed', responseId: responseId ?? '', ...defined({ usage }) },
    ];
  }

  return {
    event(data) {
      const text = data.toString('utf8').trim();
      if (isOver || text === '') return undefined;
      // A piece of the answer is lost with it: nothing says it again.
      if (isBroken) return failed(unreadableAnswer('event'));
      if (text === doneMark) return responseId === undefined ? failed(unreadableAnswer('end')) : finish();
      const event = parseJsonObject(text);
      if (event !== undefined) return chunk(event);
      // The last event of a stream that broke off is none: what comes next tells.
      isBroken = true;
      return undefined;
    },
    end: () => (isOver || reason === undefined ? [] : finish()),
  };
}

/** There is one answer to a request; a server that gives more of them numbers them. */
function firstChoice(event: JsonObject): JsonObject | undefined {
  const choices = (arrayAt(event, 'choices') ?? []).filter(isJsonObject);
  return choices.find(({ index = 0 }) => index === 0);
}

/** Content is a text, or parts of which some are thoughts. */
function wordsIn(content: Json | undefined): { readonly text: string; readonly thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' };
  const parts = Array.isArray(content) ? (content as readonly Json[]).filter(isJsonObject) : [];
  return {
    text: parts.map((part) => stringAt(part, 'text') ?? '').join(''),
    thinking: parts.map((part) => thinkingIn(part['thinking'])).join(''),
  };
}

function thinkingIn(thinking: Json | undefined): string {
  return typeof thinking === 'string' ? thinking : wordsIn(thinking).text;
}

/** Thoughts that go back to the model are content; others are there to be read. */
function thoughtItems(text: string, thoughts: ChatDialect['thoughts']): readonly Item[] {
  if (text === '') return [];
  return thoughts === 'returned'
    ? [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }]
    : [{ type: 'reasoning', summary: [{ type: 'summary_text', text }] }];
}

function saidItems(text: string): readonly Item[] {
  return text === '' ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }];
}

function asEvent(item: Item): ModelEvent {
  return { kind: 'item', item };
}

/** `usage`: what the answer cost all the same. */
function failed(failure: ModelFailure, usage?: Usage): readonly ModelEvent[] {
  return [{ kind: 'failed', failure, ...defined({ usage }) }];
}
