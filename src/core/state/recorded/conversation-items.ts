import { defined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { isMessage, isReasoning, type Item, messageText, proposedPlan } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, objectAt, parseJson, stringAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { ContextEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import type { NonUserAuthor } from '../../../protocol/user-input.ts';
import { isImageLabel } from '../../fragments/answers/content-parts.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { fragmentFamilyName } from '../../world/catalog.ts';
import { readContextFacts } from '../drafts/item-lines.ts';

export type RecordedItem =
  | {
      readonly kind: 'user';
      /** Absent: the user wrote it. */
      readonly author?: NonUserAuthor;
      readonly texts: readonly string[];
      readonly pictures: readonly string[];
    }
  | { readonly kind: 'assistant'; readonly text: string; readonly phase?: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** From the program to the model, not from the user. */
  | { readonly kind: 'context'; readonly title: string; readonly text: string }
  | RecordedCall
  | { readonly kind: 'checkpoint'; readonly text: string };

export interface RecordedCall {
  readonly kind: 'call';
  readonly name: string;
  readonly form: 'command' | 'patch' | 'other';
  readonly input: string;
  /** Questions to the user, or to a reviewer instead of the user, in order. */
  readonly asked?: readonly CallQuestion[];
  /** It left the sandbox of its turn; `confined`: for a wider one, which only denied protected reads. */
  readonly outside?: true;
  readonly confined?: true;
  readonly output?: { readonly text: string; readonly pictures: readonly string[] };
}

export type CallQuestion = Pick<Question, 'kind' | 'host'> & { readonly answer?: Answer };

/** Undefined if the entry holds nothing to read. The answer of a tool belongs to its call. */
export function recordedItem({ item, origin }: HistoryEntry): RecordedItem | undefined {
  if (isReasoning(item)) {
    const text = item.summary.map((part) => stringAt(part, 'text') ?? '').join('\n\n');
    return text === '' ? undefined : { kind: 'reasoning', text };
  }
  if (isMessage(item)) {
    const { content } = item;
    if (origin.family === 'user') {
      const texts = textsOf(content.filter((_, index) => !isImageLabel(content, index)));
      const said = { texts, pictures: picturesIn(content) };
      return { kind: 'user', ...defined({ author: origin.author }), ...said };
    }
    if (item.role !== 'assistant') {
      const kinds = origin.family === 'context' ? origin.kinds : [origin.family];
      return { kind: 'context', title: [...new Set(kinds)].join(', '), text: textsOf(content).join('\n\n') };
    }
    return { kind: 'assistant', text: messageText(item), ...defined({ phase: stringAt(item, 'phase') }) };
  }
  return item.type.endsWith('_call') || item.type === 'agent_message' ? recordedCall(item) : undefined;
}

export function outputOf(item: Item): NonNullable<RecordedCall['output']> {
  const output = item['output'] ?? item['tools'] ?? '';
  if (typeof output === 'string') return { text: output, pictures: [] };
  const parts = Array.isArray(output) ? output.filter(isJsonObject) : [];
  const texts = textsOf(parts);
  return { text: texts.length === 0 ? JSON.stringify(output) : texts.join('\n'), pictures: picturesIn(parts) };
}

function recordedCall(item: Item): RecordedCall {
  const name = stringAt(item, 'name') ?? item.type;
  const input = stringAt(item, 'input');
  if (input !== undefined) return { kind: 'call', name, form: name === 'apply_patch' ? 'patch' : 'other', input };
  const written = stringAt(item, 'arguments');
  const parsed = written === 'null' ? undefined : written && (parseJson(written) ?? written);
  const given = parsed ?? item['action'] ?? item['arguments'] ?? item['content'] ?? '';
  const command = isJsonObject(given) ? commandOf(given) : undefined;
  if (command !== undefined) return { kind: 'call', name, form: 'command', input: command };
  const shown = typeof given === 'string' ? given : JSON.stringify(given, null, 2);
  return { kind: 'call', name, form: 'other', input: shown };
}

function commandOf(given: JsonObject): string | undefined {
  const command = given['cmd'] ?? given['command'];
  if (typeof command === 'string') return command;
  return Array.isArray(command) && command.every((word) => typeof word === 'string') ? command.join(' ') : undefined;
}

const textsOf = (parts: readonly JsonObject[]): readonly string[] =>
  parts.flatMap((part) => stringAt(part, 'text') ?? []);

const picturesIn = (parts: readonly JsonObject[]): readonly string[] =>
  parts.flatMap((part) => stringAt(part, 'image_url') ?? []);

export function contextEvents(
  entry: HistoryEntry,
  metadata: JsonObject | undefined,
  { turnId, place }: { readonly turnId: TurnId; readonly place: number },
): readonly ContextEvent[] {
  const { item, origin } = entry;
  if (!isMessage(item)) return [];
  const about = { kind: 'context', turnId, itemId: stringAt(item, 'id') ?? `item-${place}` } as const;
  if (origin.family === 'user') {
    const said = recordedItem(entry);
    const text = said?.kind === 'user' ? said.texts.join('\n') : '';
    return [{ ...about, content: 'plain', cause: 'user', ...defined({ author: origin.author }), text }];
  }
  if (origin.family !== 'context') return [];
  const { values, why } = readContextFacts(metadata);
  return item.content.map((part, index) => ({
    ...about,
    content: fragmentFamilyName(origin.kinds[index] ?? 'foreign'),
    cause: origin.cause ?? 'event',
    ...defined({ why, value: values[index] }),
    text: stringAt(part, 'text') ?? '',
  }));
}

/** Visible text of the model; undefined if there is nothing to read. `place` names an item without an id. */
export function modelItem(item: Item, place: number): TurnItem | undefined {
  const id = stringAt(item, 'id') ?? `item-${place}`;
  if (isMessage(item)) {
    if (item.role !== 'assistant') return undefined;
    const text = messageText(item);
    const more = defined({ phase: stringAt(item, 'phase'), plan: proposedPlan(text) });
    return { kind: 'agent-message', id, text, ...more };
  }
  if (item.type === 'web_search_call') {
    const action = objectAt(item, 'action');
    return { kind: 'web-search', id, query: stringAt(action, 'query') ?? stringAt(action, 'url') ?? '' };
  }
  if (!isReasoning(item)) return undefined;
  // Without a summary, the reasoning itself is shown.
  const summary = textsIn(item.summary);
  const shown = summary.length > 0 ? summary : textsIn(arrayAt(item, 'content') ?? []);
  return shown.length === 0 ? undefined : { kind: 'reasoning', id, summary: shown };
}

const textsIn = (parts: readonly Json[]): readonly string[] =>
  textsOf(parts.filter(isJsonObject)).filter((text) => text.trim() !== '');
