import { cachePerObject } from '../../base/objects.ts';
import { stableItemId } from '../../protocol/ids.ts';
import type { Item } from '../../protocol/item.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import {
  isSameModel,
  isSameProvider,
  providerKey,
  type ProviderName,
  readsOpaque,
} from '../../protocol/provider-name.ts';
import type { InputWriter } from '../../protocol/user-input.ts';
import { abortedCall } from '../fragments/answers/tool-calls.ts';
import { type Entry, writerOf } from './entry.ts';
import type { History } from './history.ts';
import { type MissingMedia, missingMedia, partsKey, withoutMedia, withWords } from './media-parts.ts';

export interface ProjectOptions {
  /** What the model takes in: `text`, `image`, `audio`. */
  readonly modalities?: readonly string[];
  /** Who gets them. Absent, as for requests of older versions: every provider is sent what any provider made. */
  readonly reader?: ProviderName;
}

/**
 * The items to send. Every call has an answer and every answer a call; pictures, recordings and opaque items are there
 * only for those that can read them. What is put in depends only on its item, so that a longer history projects to a
 * longer list with the same beginning, and the last projection of a storage is extended.
 */
export function projectHistory(history: History, options: ProjectOptions = {}): readonly Item[] {
  return projectWithWriters(history, options).items;
}

/** The same, and who wrote messages of the user's role, if not the user. */
export function projectWithWriters(
  history: History,
  { modalities, reader }: ProjectOptions,
): { readonly items: readonly Item[]; readonly writers: ReadonlyMap<Item, InputWriter> } {
  const { storage, length } = history;
  const missing = missingMedia(modalities);
  const known = projections.get(storage);
  const isFor = known?.missing === missing && providerKey(known.reader) === providerKey(reader);
  if (known !== undefined && isFor && known.length <= length && extend(known, history)) return valueOf(known);
  const sets = { calls: new Set<string>(), answers: new Set<string>(), open: new Set<string>() };
  const lists = { items: [], writers: new Map<Item, InputWriter>() };
  const fresh = { missing, reader, length: 0, ...lists, ...sets, leftOut: new Set<string>() };
  extend(fresh, history);
  // An older value of a storage that has grown is looked at and forgotten, unless it is the first: what follows
  // continues from it.
  if (known === undefined || length === storage.length) projections.set(storage, fresh);
  return valueOf(fresh);
}

/** The writers of a longer list are those of a shorter one and more. */
function valueOf({ items, writers }: Projection) {
  return { items: items.slice(), writers };
}

interface Projection {
  readonly missing: MissingMedia;
  readonly reader: ProviderName | undefined;
  /** How many entries have been projected. */
  length: number;
  readonly items: Item[];
  readonly writers: Map<Item, InputWriter>;
  readonly calls: Set<string>;
  readonly answers: Set<string>;
  /** Calls that stand with a stand-in for their answer. */
  readonly open: Set<string>;
  /** Answers that were left out because nothing asked for them. */
  readonly leftOut: Set<string>;
}

const projections = new WeakMap<readonly Entry[], Projection>();

/** False, and nothing done, if a new entry is the other half of one that was projected as if it had none. */
function extend(projection: Projection, { storage, length }: History): boolean {
  const { items, writers, calls, answers, open, leftOut, reader } = projection;
  const from = projection.length;
  for (let index = from; index < length; index++) {
    const paired = pairedItem(storage[index]!.item);
    if (paired !== undefined && (paired.half === 'answer' ? open : leftOut).has(paired.id)) return false;
  }
  for (let index = from; index < length; index++) {
    const paired = pairedItem(storage[index]!.item);
    if (paired !== undefined) (paired.half === 'answer' ? answers : calls).add(paired.id);
  }
  for (let index = from; index < length; index++) {
    const { item: made, maker } = storage[index]!;
    const writer = writerOf(storage[index]!);
    const item = reader === undefined ? made : itemForProvider(made, maker, reader);
    if (item === undefined) continue;
    const paired = pairedItem(item);
    if (paired?.half === 'answer' && !calls.has(paired.id)) {
      leftOut.add(paired.id);
      continue;
    }
    const sent = withoutMedia(item, projection.missing);
    items.push(sent);
    if (writer !== undefined) writers.set(sent, writer);
    if (paired?.half === 'call' && !answers.has(paired.id)) {
      open.add(paired.id);
      items.push(missingAnswer(item));
    }
  }
  projection.length = length;
  return true;
}

/** Calls and answers that must come in pairs: providers refuse anything else. */

const answerTypes: Readonly<Record<string, { readonly type: string; readonly prefix: string }>> = {
  function_call: { type: 'function_call_output', prefix: 'fco' },
  local_shell_call: { type: 'function_call_output', prefix: 'fco' },
  custom_tool_call: { type: 'custom_tool_call_output', prefix: 'ctco' },
  tool_search_call: { type: 'tool_search_output', prefix: 'tso' },
};

const answerTypeNames: ReadonlySet<string> = new Set(Object.values(answerTypes).map(({ type }) => type));

/** Set for an item that needs its other half. Events from outside and what a server did itself stand alone. */
export function pairedItem(item: Item): { readonly id: string; readonly half: 'call' | 'answer' } | undefined {
  const isAnswer = answerTypeNames.has(item.type);
  if (!isAnswer && answerTypes[item.type] === undefined) return undefined;
  const id = item['call_id'];
  if (typeof id !== 'string' || id === '' || item['execution'] === 'server') return undefined;
  return { id, half: isAnswer ? 'answer' : 'call' };
}

/** Stands in for the answer that a call never got. The same object for the same call, so that it is encoded once. */
export const missingAnswer = cachePerObject((call: Item): Item => {
  const { type, prefix } = answerTypes[call.type] ?? { type: 'function_call_output', prefix: 'fco' };
  const itemId = typeof call['id'] === 'string' ? { id: stableItemId(prefix, call['id']) } : {};
  const body =
    type === 'tool_search_output' ? { status: 'completed', execution: 'client', tools: [] } : { output: abortedCall };
  return { type, ...itemId, call_id: call['call_id'], ...body };
});

/** Items that only the provider that made them can read, or only the model. */

const checkpointTypes: ReadonlySet<string> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

/** A checkpoint that a provider made and encrypted: it stands for history that is not in the request any more. */
export function isOpaqueCheckpoint(item: Item): boolean {
  return checkpointTypes.has(item.type) && isText(item['encrypted_content']);
}

/** A type that only the provider's own interface knows, whether or not there is anything in it. */
export function isCheckpointItem({ type }: Item): boolean {
  return checkpointTypes.has(type);
}

/** Whether something in the item can be read by its maker alone. Outputs that have not been read yet are texts. */
export function isOpaque(item: Item): boolean {
  if (checkpointTypes.has(item.type)) return true;
  if (item.type === 'reasoning') return isText(item['encrypted_content']);
  if (item.type === 'function_call' && item['encrypted_function_args'] !== undefined) return true;
  const key = partsKey(item);
  return key !== undefined && (item[key] as readonly Json[]).some(isOpaquePart);
}

/** Whether it matters who made the item. Thoughts in plain words go back to their maker alone: others refuse them. */
export function needsMaker(item: Item): boolean {
  return item.type === 'reasoning' || isOpaque(item);
}

/** The item as a provider is sent it, without what only another can read; undefined if nothing of it is left. */
export function itemForProvider(item: Item, maker: ProviderName | undefined, reader: ProviderName): Item | undefined {
  if (maker !== undefined && isSameProvider(maker, reader)) {
    if (isForOneModel(item) && !isSameModel(maker, reader)) return undefined;
    return isEncrypted(item) && !readsOpaque(reader, maker) ? undefined : item;
  }
  // Whose plain thoughts they are is not known in files of other programs.
  if (maker === undefined ? !isOpaque(item) : !needsMaker(item)) return item;
  if (item.type === 'reasoning' || checkpointTypes.has(item.type)) return undefined;
  return withoutOpaqueParts(item);
}

/** What a provider encrypts for some of its models: the others know nothing of it, or refuse it. */
function isEncrypted(item: Item): boolean {
  return isOpaqueCheckpoint(item) || (item.type === 'reasoning' && isText(item['encrypted_content']));
}

/** Formats put such a mark before a thought that is signed for the model that had it. */
const forOneModel = /^[a-z]+\/(?:redacted_)?thinking:/;

function isForOneModel({ type, encrypted_content: content }: Item): boolean {
  return type === 'reasoning' && typeof content === 'string' && forOneModel.test(content);
}

const notice = '[Something stands here that only another provider can read. It was left out.]';

/** The same object each time, so that it is encoded once and the prefix holds. */
const withoutOpaqueParts = cachePerObject(({ encrypted_function_args: _arguments, ...item }: Item): Item =>
  withWords(item as Item, (part) => (isOpaquePart(part) ? notice : undefined)),
);

function isOpaquePart(part: Json): boolean {
  return isJsonObject(part) && part['type'] === 'encrypted_content';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
