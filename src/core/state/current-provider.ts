import type { HistoryEntry } from '../history/entry.ts';
import { needsMaker } from '../history/sent-items.ts';
import type { Item } from '../../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { providerName, type ProviderName } from '../../protocol/provider-name.ts';
import { importNameOf } from './line-seals.ts';
import type { ThreadState } from './thread-state.ts';

type Said = Pick<ThreadState, 'meta' | 'envelope' | 'settings' | 'context'>;

/**
 * The provider of the thread's requests here: our turns name id and address, other programs the id. A fork's first line
 * counts for the fork alone. In an imported file, an id alone refers to another user's configuration.
 */
export const currentProvider = (said: Said): ProviderName | undefined => believed(nameIn(said), said.meta);

const believed = (name: ProviderName | undefined, meta: JsonObject): ProviderName | undefined =>
  name?.address === undefined && importNameOf(meta) !== undefined ? undefined : name;

function nameIn({ meta, envelope, settings, context }: Said): ProviderName | undefined {
  const compatibility = stringAt(context, 'comp_hash');
  const identity = objectAt(envelope, 'identity');
  const own = nonBlankTextAt(identity, 'provider');
  if (own !== undefined) {
    const [address, wire] = ['address', 'modelClient'].map((key) => stringAt(identity, key));
    const model = nonBlankTextAt(objectAt(identity, 'model'), 'slug');
    return providerName(own, { address, wire, model, compatibility });
  }
  const ours = objectAt(settings, 'capstan');
  const id = nonBlankTextAt(ours, 'provider') ?? nonBlankTextAt(settings, 'model_provider_id');
  if (id !== undefined) return { id, compatibility };
  const first = stringAt(meta, 'forked_from_id') === undefined ? nonBlankTextAt(meta, 'model_provider') : undefined;
  return first === undefined ? undefined : { id: first, compatibility };
}

export function nonBlankTextAt(source: JsonObject | undefined, key: string): string | undefined {
  const name = stringAt(source, key);
  return name?.trim() === '' ? undefined : name;
}

export function withMaker(entry: HistoryEntry, said: Said): HistoryEntry {
  if (entry.maker !== undefined) {
    if (believed(entry.maker, said.meta) !== undefined) return entry;
    const { maker: _claimed, ...rest } = entry;
    return rest;
  }
  if (!needsMaker(entry.item)) return entry;
  const maker = currentProvider(said);
  return maker === undefined ? entry : { ...entry, maker };
}

/** Maker of an item that only its maker can read: the provider at its acceptance; another may answer when it enters. */
export const providerForWaitingItem = (item: Item, said: Said): ProviderName | undefined =>
  needsMaker(item) ? currentProvider(said) : undefined;
