import { looksInjected } from '../fragments/recognise.ts';
import { type Item, isMessage } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { TurnId } from '../protocol/ids.ts';

/** Where a model-visible item comes from. Kept beside the item in its line, never read out of its text. */
export type Origin =
  | { readonly family: 'user' }
  | { readonly family: 'model' }
  | { readonly family: 'tool' }
  /** Injected by us; `kinds` names the fragment kind of each part. */
  | { readonly family: 'context'; readonly kinds: readonly string[] };

/** One model-visible item with what is known about it. */
export interface Entry {
  readonly item: Item;
  readonly origin: Origin;
  readonly turn?: TurnId;
}

/** Line metadata that carries the origin. Other programs keep it and pass over it. */
export function entryMetadata(origin: Origin, turn: TurnId): JsonObject {
  return { capstan: { turn, origin } as unknown as JsonObject };
}

/** The entry of a stored item: its recorded origin, or for foreign items what their shape says. */
export function entryOf(item: Item, metadata: JsonObject | undefined): Entry {
  const ours = metadata === undefined ? undefined : objectAt(metadata, 'capstan');
  const origin = readOrigin(ours) ?? guessOrigin(item);
  const turn = ours === undefined ? undefined : stringAt(ours, 'turn');
  return turn === undefined ? { item, origin } : { item, origin, turn: turn as TurnId };
}

function readOrigin(ours: JsonObject | undefined): Origin | undefined {
  const origin = ours?.['origin'];
  if (!isJsonObject(origin)) return undefined;
  const family = origin['family'];
  if (family === 'user' || family === 'model' || family === 'tool') return { family };
  if (family !== 'context') return undefined;
  const kinds = arrayAt(origin, 'kinds')?.filter((kind) => typeof kind === 'string') ?? [];
  return { family, kinds };
}

function guessOrigin(item: Item): Origin {
  if (item.type.endsWith('_output')) return { family: 'tool' };
  if (!isMessage(item) || item.role === 'assistant') return { family: 'model' };
  return looksInjected(item) ? { family: 'context', kinds: ['foreign'] } : { family: 'user' };
}
