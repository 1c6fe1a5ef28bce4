import { expect } from 'vitest';
import type { Item } from '../../src/protocol/item.ts';
import { arrayAt, type JsonObject, objectAt, stringAt } from '../../src/protocol/json.ts';
import { type Line, lineType } from '../../src/protocol/line.ts';
import { waitingItem } from '../../src/core/state/fold/waiting-messages.ts';
import type { UserInput } from '../../src/protocol/user-input.ts';
import type { ThreadState } from '../../src/core/state/thread-state.ts';

/** Law: a message that was accepted is in the file from then on, and stands there once: as history, or as waiting. */
export class AcceptedMessages {
  /** Nothing is promised about events after the end of a process. */
  alive = true;
  readonly #asked: string[] = [];
  readonly #accepted: string[] = [];

  /** Something was handed to the thread; `answer` says whether it was accepted. */
  ask(content: UserInput | Item, answer: Promise<{ readonly kind: string }>): void {
    this.#asked.push(keyOf(content));
    const note = ({ kind }: { readonly kind: string }): void => {
      if (kind !== 'refused') this.promise(content);
    };
    // A lost disk promises nothing.
    answer.then(note, () => {});
  }

  /** A turn is asked for with these words. They are promised when its listeners hear that it began. */
  submit(content: UserInput): void {
    this.#asked.push(keyOf(content));
  }

  promise(content: UserInput | Item): void {
    if (this.alive) this.#accepted.push(keyOf(content));
  }

  check(lines: readonly Line[], { waiting }: Pick<ThreadState, 'waiting'>): void {
    checkStored(lines.flatMap(storedMessage), this.#asked, this.#accepted);
    checkOnce(lines, waiting);
  }
}

/** At least what was accepted, and no more than was asked for. */
function checkStored(keys: readonly string[], asked: readonly string[], accepted: readonly string[]): void {
  const [stored, most] = [countOf(keys), countOf(asked)];
  for (const [key, count] of countOf(accepted)) expect([key, stored.get(key) ?? 0]).toEqual([key, atLeast(count)]);
  for (const [key, count] of stored) expect([key, count]).toEqual([key, atMost(most.get(key) ?? 0)]);
}

/** A message whose line says that it waits is counted there, and not again where it enters. */
function storedMessage({ type, payload, metadata }: Line): readonly string[] {
  if (type === lineType.waiting) {
    const [input, item] = [objectAt(payload, 'input'), objectAt(payload, 'item')];
    const content = input ?? item;
    return content === undefined ? [] : [keyOf(content as unknown as UserInput | Item)];
  }
  const ours = objectAt(metadata ?? {}, 'capstan') ?? {};
  const origin = objectAt(ours, 'origin') ?? {};
  const family = stringAt(origin, 'family');
  // The text that lets a failed turn go on is asked for as words, and is recorded as a text of Capstan.
  const isGoingOn = arrayAt(origin, 'kinds')?.includes('turn-continued') === true;
  if (type !== lineType.responseItem || stringAt(ours, 'waited') !== undefined) return [];
  return family === 'user' || family === 'client' || isGoingOn ? [keyOf(payload as Item)] : [];
}

/** Each message enters or leaves once at most, after it was accepted; what is left waits, in its order. */
function checkOnce(lines: readonly Line[], waiting: ThreadState['waiting']): void {
  const left: string[] = [];
  const over = new Set<string>();
  const end = (id: string): void => {
    expect([id, left.includes(id), over.has(id)]).toEqual([id, true, false]);
    left.splice(left.indexOf(id), 1);
    over.add(id);
  };
  for (const { type, payload, metadata } of lines) {
    const id = stringAt(payload, 'id') ?? '';
    const waited = stringAt(objectAt(metadata ?? {}, 'capstan') ?? {}, 'waited');
    if (type === lineType.waiting && payload['dropped'] === undefined) left.push(id);
    else if (type === lineType.waiting) end(id);
    else if (type === lineType.responseItem && waited !== undefined) end(waited);
  }
  expect(new Set(left).size).toBe(left.length);
  const isWaiting = new Set(waiting.map(({ id }) => id));
  expect(left.filter((id) => isWaiting.has(id))).toEqual(waiting.map(({ id }) => id));
  // A rollback takes with it what was accepted after its place.
  if (!lines.some(({ payload }) => payload['type'] === 'thread_rolled_back')) expect(isWaiting).toEqual(new Set(left));
}

/** One key for a waiting message and for the item that it becomes. */
function keyOf(content: UserInput | Item | JsonObject): string {
  const isItem = typeof (content as JsonObject)['type'] === 'string';
  const { id: _id, ...item } = isItem
    ? (content as JsonObject)
    : waitingItem({ kind: 'words', input: content as unknown as UserInput });
  return JSON.stringify(item);
}

function countOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const atLeast = (count: number): unknown => expect.toSatisfy((actual: number) => actual >= count);
const atMost = (count: number): unknown => expect.toSatisfy((actual: number) => actual <= count);
