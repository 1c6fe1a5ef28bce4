import { looksInjected, recognise } from '../fragments/recognise.ts';
import { isMessage, type Item } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { TurnId } from '../protocol/ids.ts';

/** Where a model-visible item comes from. Kept beside the item in its line, never read out of its text. */
export type Origin =
  | { readonly family: 'user' }
  | { readonly family: 'model' }
  | { readonly family: 'tool' }
  /** Put in by the program that drives the engine. */
  | { readonly family: 'client' }
  /** Injected by us; `kinds` names the fragment kind of each part. Older lines do not say the cause. */
  | { readonly family: 'context'; readonly kinds: readonly string[]; readonly cause?: ContextCause };

/**
 * Why context was injected: the thread began; a fact changed; all was told again because nobody can prove what the
 * model knows; or something happened once.
 */
export type ContextCause = (typeof causes)[number];

const causes = ['initial', 'change', 'reinjection', 'event'] as const;

/** One model-visible item with what is known about it. */
export interface Entry {
  readonly item: Item;
  readonly origin: Origin;
  readonly turn?: TurnId;
  /** Where a checkpoint's text quotes the user, in the order in which they were said. */
  readonly words?: readonly QuotedWords[];
}

/** A message of the user that stands in a text of ours, word for word. */
export interface QuotedWords {
  /** Of the message that it was. */
  readonly id: string;
  readonly turn?: TurnId;
  /** Places in the text of the item, `end` not included. */
  readonly start: number;
  readonly end: number;
  /** Calls of tools followed it: there was work on it. */
  readonly worked?: true;
  /** It defines the task that is being worked on. */
  readonly task?: true;
  /** Only a part of it stands there. */
  readonly cut?: true;
}

/** Somebody wants something: here a turn begins, and reasoning before it belongs to earlier turns. */
export function isBoundary({ item, origin }: Entry): boolean {
  return origin.family === 'user' || item.type === 'agent_message';
}

/** The model made it in a response, whose usage covers it. */
export function isModelMade({ item, origin }: Entry): boolean {
  return origin.family === 'model' && item.type !== 'agent_message';
}

/** Line metadata that carries the origin. Other programs keep it and pass over it. */
export function entryMetadata(origin: Origin, turn: TurnId, words?: readonly QuotedWords[]): JsonObject {
  return { capstan: { turn, origin, ...(words === undefined ? {} : { words }) } as unknown as JsonObject };
}

/** Whether a line says where its item comes from. Then nothing is read out of the item's text. */
export function hasOrigin(metadata: JsonObject | undefined): boolean {
  return metadata !== undefined && readOrigin(objectAt(metadata, 'capstan')) !== undefined;
}

/** The entry of a stored item: its recorded origin, or for foreign items what their shape says. */
export function entryOf(item: Item, metadata: JsonObject | undefined): Entry {
  const ours = metadata === undefined ? undefined : objectAt(metadata, 'capstan');
  const origin = readOrigin(ours) ?? guessOrigin(item);
  const turn = ours === undefined ? undefined : stringAt(ours, 'turn');
  const words = readWords(ours);
  return {
    item,
    origin,
    ...(turn === undefined ? {} : { turn: turn as TurnId }),
    ...(words === undefined ? {} : { words }),
  };
}

function readWords(ours: JsonObject | undefined): readonly QuotedWords[] | undefined {
  const words = ours === undefined ? undefined : arrayAt(ours, 'words');
  return words?.flatMap((value): QuotedWords[] => {
    if (!isJsonObject(value)) return [];
    const { id, turn, start, end } = value;
    if (typeof id !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
    return [
      {
        id,
        ...(typeof turn === 'string' ? { turn: turn as TurnId } : {}),
        start,
        end,
        ...(value['worked'] === true ? { worked: true } : {}),
        ...(value['task'] === true ? { task: true } : {}),
        ...(value['cut'] === true ? { cut: true } : {}),
      },
    ];
  });
}

function readOrigin(ours: JsonObject | undefined): Origin | undefined {
  const origin = ours?.['origin'];
  if (!isJsonObject(origin)) return undefined;
  const family = origin['family'];
  if (family === 'user' || family === 'model' || family === 'tool' || family === 'client') return { family };
  if (family !== 'context') return undefined;
  const kinds = arrayAt(origin, 'kinds')?.filter((kind) => typeof kind === 'string') ?? [];
  const cause = causes.find((known) => known === origin['cause']);
  return cause === undefined ? { family, kinds } : { family, kinds, cause };
}

/** A part that no kind fits is named `foreign`. */
function guessOrigin(item: Item): Origin {
  if (item.type.endsWith('_output')) return { family: 'tool' };
  if (item.type !== 'message' || item['role'] === 'assistant') return { family: 'model' };
  const role = String(item['role']);
  if (role === 'user' && !looksInjected(item)) return { family: 'user' };
  const parts = isMessage(item) ? item.content : [];
  const kinds = parts.map(({ text }) => (typeof text === 'string' ? recognise(role, text) : undefined) ?? 'foreign');
  return { family: 'context', kinds };
}
