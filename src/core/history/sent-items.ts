import { cachePerObject } from '../../base/objects.ts';
import { stableItemId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import {
  isSameModel,
  isSameProvider,
  providerComparisonKey,
  canReadOpaqueItems,
} from '../../protocol/provider-name.ts';
import type { ProviderName } from '../../protocol/provider-name.ts';
import type { InputAuthor } from '../../protocol/user-input.ts';
import { abortedCallText } from '../fragments/answers/tool-calls.ts';
import { type HistoryEntry, writerOf } from './entry.ts';
import type { History } from './history.ts';
import { unsupportedMedia, mediaContentKey, withoutUnsupportedMedia, replacePartsByText } from './media-parts.ts';
import type { UnsupportedMedia } from './media-parts.ts';

export interface SentItemsOptions {
  /** Input that the model takes: `text`, `image`, `audio`. */
  readonly modalities?: readonly string[];
  /** The provider that gets the items. If absent, as in older versions, content of every provider is sent. */
  readonly reader?: ProviderName;
}

/**
 * The items to send. Calls and answers are paired; media and opaque items go only to readers that can use them.
 * Insertions depend only on their item, so a longer history keeps its prefix.
 */
export const toSentItems = (history: History, options: SentItemsOptions = {}): readonly Item[] =>
  toSentItemsWithWriters(history, options).items;

/** Also returns who wrote messages in the user's role, if not the user. */
export function toSentItemsWithWriters(history: History, { modalities, reader }: SentItemsOptions): SentItems {
  const { storage, length } = history;
  const missing = unsupportedMedia(modalities);
  const known = projections.get(storage);
  const isFor = known?.missing === missing && providerComparisonKey(known.reader) === providerComparisonKey(reader);
  if (known !== undefined && isFor && known.length <= length && extend(known, history)) return valueOf(known);
  const sets = { calls: new Set<string>(), answers: new Set<string>(), open: new Set<string>() };
  const lists = { items: [], writers: new Map<Item, InputAuthor>() };
  const fresh = { missing, reader, length: 0, ...lists, ...sets, leftOut: new Set<string>() };
  extend(fresh, history);
  // Keep a projection only for the newest value of its storage, or if it is the first: later values extend that.
  if (known === undefined || length === storage.length) projections.set(storage, fresh);
  return valueOf(fresh);
}

/** A longer list's writers include those of a shorter one. */
const valueOf = ({ items, writers }: Projection): SentItems => ({ items: items.slice(), writers });
type SentItems = { readonly items: readonly Item[]; readonly writers: ReadonlyMap<Item, InputAuthor> };

interface Projection {
  readonly missing: UnsupportedMedia;
  readonly reader: ProviderName | undefined;
  length: number;
  readonly items: Item[];
  readonly writers: Map<Item, InputAuthor>;
  readonly calls: Set<string>;
  readonly answers: Set<string>;
  /** Calls with a stand-in for their answer. */
  readonly open: Set<string>;
  /** Answers left out because they have no call. */
  readonly leftOut: Set<string>;
}

const projections = new WeakMap<readonly HistoryEntry[], Projection>();

/** Returns false and changes nothing if a new entry completes one that was projected as unpaired. */
function extend(projection: Projection, { storage, length }: History): boolean {
  const { items, writers, calls, answers, open, leftOut, reader } = projection;
  const added = storage.slice(projection.length, length);
  const halves = added.flatMap(({ item }) => pairedItem(item) ?? []);
  if (halves.some(({ half, id }) => (half === 'answer' ? open : leftOut).has(id))) return false;
  for (const { half, id } of halves) (half === 'answer' ? answers : calls).add(id);
  for (const entry of added) {
    const { item: made, maker } = entry;
    const writer = writerOf(entry);
    const item = reader === undefined ? made : itemForProvider(made, maker, reader);
    if (item === undefined) continue;
    const paired = pairedItem(item);
    if (paired?.half === 'answer' && !calls.has(paired.id)) {
      leftOut.add(paired.id);
      continue;
    }
    const sent = withoutUnsupportedMedia(item, projection.missing);
    items.push(sent);
    if (writer !== undefined) writers.set(sent, writer);
    if (paired?.half === 'call' && !answers.has(paired.id)) {
      open.add(paired.id);
      items.push(placeholderAnswer(item));
    }
  }
  projection.length = length;
  return true;
}

const answerTypes: Readonly<Record<string, { readonly type: string; readonly prefix: string }>> = {
  function_call: { type: 'function_call_output', prefix: 'fco' },
  local_shell_call: { type: 'function_call_output', prefix: 'fco' },
  custom_tool_call: { type: 'custom_tool_call_output', prefix: 'ctco' },
  tool_search_call: { type: 'tool_search_output', prefix: 'tso' },
};

const answerTypeNames: ReadonlySet<string> = new Set(Object.values(answerTypes).map(({ type }) => type));

/** Id and half of an item that must be paired. Undefined for external events and actions on the provider's server. */
export function pairedItem(item: Item): { readonly id: string; readonly half: 'call' | 'answer' } | undefined {
  const isAnswer = answerTypeNames.has(item.type);
  if (!isAnswer && answerTypes[item.type] === undefined) return undefined;
  const id = item['call_id'];
  if (typeof id !== 'string' || id === '' || item['execution'] === 'server') return undefined;
  return { id, half: isAnswer ? 'answer' : 'call' };
}

/** Replaces the answer that a call never got. The same object for the same call, so that it is encoded once. */
export const placeholderAnswer = cachePerObject((call: Item): Item => {
  const { type, prefix } = answerTypes[call.type] ?? { type: 'function_call_output', prefix: 'fco' };
  const itemId = typeof call['id'] === 'string' ? { id: stableItemId(prefix, call['id']) } : {};
  const body =
    type === 'tool_search_output'
      ? { status: 'completed', execution: 'client', tools: [] }
      : { output: abortedCallText };
  return { type, ...itemId, call_id: call['call_id'], ...body };
});

const checkpointTypes: ReadonlySet<string> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/** A provider's encrypted checkpoint: it represents history that is no longer in the request. */
export const isOpaqueCheckpoint = (item: Item): boolean =>
  checkpointTypes.has(item.type) && isText(item['encrypted_content']);

/** True for types that only the provider's own interface knows, even if the item is empty. */
export const isCheckpointItem = ({ type }: Item): boolean => checkpointTypes.has(type);

/** True if only its maker can read part of the item. An output that is not parsed yet is always a text. */
export function isOpaque(item: Item): boolean {
  if (checkpointTypes.has(item.type)) return true;
  if (item.type === 'reasoning') return isText(item['encrypted_content']);
  if (item.type === 'function_call' && item['encrypted_function_args'] !== undefined) return true;
  const key = mediaContentKey(item);
  return key !== undefined && (item[key] as readonly Json[]).some(isOpaquePart);
}

/** True if the item's maker matters. Plain-text thoughts go only to their maker, because others refuse them. */
export const needsMaker = (item: Item): boolean => item.type === 'reasoning' || isOpaque(item);

/** The item without content that this provider cannot read; undefined if nothing is left. */
export function itemForProvider(item: Item, maker: ProviderName | undefined, reader: ProviderName): Item | undefined {
  if (maker !== undefined && isSameProvider(maker, reader)) {
    if (isForOneModel(item) && !isSameModel(maker, reader)) return undefined;
    return isEncrypted(item) && !canReadOpaqueItems(reader, maker) ? undefined : item;
  }
  // Files of other programs do not record whose plain thoughts they contain.
  if (maker === undefined ? !isOpaque(item) : !needsMaker(item)) return item;
  if (item.type === 'reasoning' || checkpointTypes.has(item.type)) return undefined;
  return withoutOpaqueParts(item);
}

/** Content that a provider encrypts for some of its models: others do not know or refuse it. */
const isEncrypted = (item: Item): boolean =>
  isOpaqueCheckpoint(item) || (item.type === 'reasoning' && isText(item['encrypted_content']));

/** Wire formats put this mark before a signed thought that only its own model accepts. */
const forOneModel = /^[a-z]+\/(?:redacted_)?thinking:/;

const isForOneModel = ({ type, encrypted_content: content }: Item): boolean =>
  type === 'reasoning' && typeof content === 'string' && forOneModel.test(content);

const notice = '[Something stands here that only another provider can read. It was left out.]';

/** Returns the same object each time, so that it is encoded once and the prefix stays valid. */
const withoutOpaqueParts = cachePerObject(({ encrypted_function_args: _arguments, ...item }: Item): Item =>
  replacePartsByText(item as Item, (part) => (isOpaquePart(part) ? notice : undefined)),
);

const isOpaquePart = (part: Json): boolean => isJsonObject(part) && part['type'] === 'encrypted_content';
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
