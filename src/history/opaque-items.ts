import type { Item } from '../protocol/item.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import { oncePerObject } from '../protocol/once-per-object.ts';
import { isSameModel, type ProviderName, readsOpaque, isSameProvider } from '../protocol/provider-name.ts';
import { partsKey, withWords } from './media-part.ts';

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
export function forReader(item: Item, maker: ProviderName | undefined, reader: ProviderName): Item | undefined {
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
const withoutOpaqueParts = oncePerObject(({ encrypted_function_args: _arguments, ...item }: Item): Item =>
  withWords(item as Item, (part) => (isOpaquePart(part) ? notice : undefined)),
);

function isOpaquePart(part: Json): boolean {
  return isJsonObject(part) && part['type'] === 'encrypted_content';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
