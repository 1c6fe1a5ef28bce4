import { asItem, type Item } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { type ProviderName, readProviderName } from '../protocol/provider-name.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** A message that the thread has accepted and that has not entered history: a user's words, or an item of a program. */
export type WaitingMessage =
  | { readonly id: string; readonly kind: 'words'; readonly input: UserInput }
  | {
      readonly id: string;
      readonly kind: 'item';
      readonly item: Item;
      /** Of an item that only its maker can read: who answered when it was accepted. */
      readonly maker?: ProviderName;
    };

/** How many messages may wait at once: each one that comes or goes is held against all of them. */
const mostWaiting = 5000;

/** Why no further message can wait, or undefined when one can. */
export function waitingProblem(waiting: readonly WaitingMessage[]): Outcome<'too-many-waiting'> | undefined {
  if (waiting.length < mostWaiting) return undefined;
  return {
    code: 'too-many-waiting',
    message: `${waiting.length} messages wait for the next request of this thread; no more can wait at once.`,
    next: 'Send it again after the next request, or start a turn.',
  };
}

/** Why a message leaves without entering history: the code of an outcome, or what was done to its thread. */
export type DroppedBecause = 'forked' | 'rolled-back' | (string & {});

export function messageWaits(message: WaitingMessage): LineDraft {
  return { type: lineType.waiting, payload: message as unknown as JsonObject };
}

export function messageDropped(id: string, because: DroppedBecause): LineDraft {
  return { type: lineType.waiting, payload: { id, dropped: because } };
}

/** The line that brings a message into history. It says which one, so that no message waits and stands at once. */
export function entering(line: LineDraft, id: string | undefined): LineDraft {
  if (id === undefined) return line;
  const capstan = { ...(line.metadata?.['capstan'] as JsonObject | undefined), waited: id };
  return { ...line, metadata: { ...line.metadata, capstan } };
}

/** What waits after a `capstan_waiting` line. A line that makes no sense, or says a message again, changes nothing. */
export function foldWaiting(waiting: readonly WaitingMessage[], payload: JsonObject): readonly WaitingMessage[] {
  const id = stringAt(payload, 'id');
  if (id === undefined) return waiting;
  if (payload['dropped'] !== undefined) return without(waiting, id);
  const message = readMessage(id, payload);
  if (message === undefined || waiting.length >= mostWaiting) return waiting;
  return waiting.some((each) => each.id === id) ? waiting : [...waiting, message];
}

/** What waits after a `response_item` line with this metadata. */
export function foldEntered(
  waiting: readonly WaitingMessage[],
  metadata: JsonObject | undefined,
): readonly WaitingMessage[] {
  if (waiting.length === 0 || metadata === undefined) return waiting;
  const id = stringAt(objectAt(metadata, 'capstan') ?? {}, 'waited');
  return id === undefined ? waiting : without(waiting, id);
}

/** As a checkpoint carries it. */
export function readWaiting(carried: JsonObject): readonly WaitingMessage[] {
  return (arrayAt(carried, 'waiting') ?? []).filter(isJsonObject).reduce(foldWaiting, [] as readonly WaitingMessage[]);
}

/** What goes on waiting after a rollback: it waited at the place, and has neither entered history nor been dropped since. */
export function stillWaiting(
  then: readonly WaitingMessage[],
  now: readonly WaitingMessage[],
): readonly WaitingMessage[] {
  return then.length === 0 ? then : then.filter(({ id }) => now.some((each) => each.id === id));
}

function without(waiting: readonly WaitingMessage[], id: string): readonly WaitingMessage[] {
  return waiting.some((each) => each.id === id) ? waiting.filter((each) => each.id !== id) : waiting;
}

function readMessage(id: string, payload: JsonObject): WaitingMessage | undefined {
  if (payload['kind'] === 'item') {
    const item = asItem(payload['item']);
    const maker = readProviderName(payload['maker']);
    return item === undefined ? undefined : { id, kind: 'item', item, ...(maker === undefined ? {} : { maker }) };
  }
  const input = payload['kind'] === 'words' ? readInput(objectAt(payload, 'input')) : undefined;
  return input === undefined ? undefined : { id, kind: 'words', input };
}

function readInput(stored: JsonObject | undefined): UserInput | undefined {
  const text = stored === undefined ? undefined : stringAt(stored, 'text');
  if (stored === undefined || text === undefined) return undefined;
  const images = (arrayAt(stored, 'images') ?? []).filter(isImage);
  const unusable = arrayAt(stored, 'unusableImages')?.filter(isUnusable);
  return {
    text,
    images: images as unknown as UserInput['images'],
    ...(unusable === undefined
      ? {}
      : { unusableImages: unusable as unknown as NonNullable<UserInput['unusableImages']> }),
  };
}

function isImage(value: Json): boolean {
  return isJsonObject(value) && stringAt(value, 'path') !== undefined && stringAt(value, 'dataUrl') !== undefined;
}

function isUnusable(value: Json): boolean {
  if (!isJsonObject(value) || stringAt(value, 'path') === undefined) return false;
  const problem = objectAt(value, 'problem') ?? {};
  return ['code', 'message', 'next'].every((key) => stringAt(problem, key) !== undefined);
}
