import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { type LineKind, lineType } from '../../protocol/line.ts';
import { type Pin, readPin } from '../../state/pins.ts';
import { readMessage, type WaitingMessage } from '../../state/waiting.ts';
import { type Unproven, unsealed } from './unproven.ts';

/** A file can claim any number; the newest are shown. */
const mostShown = 100;

/** What was set aside in a thread, oldest first. */
export async function readSetAside(store: Pick<RolloutStore, 'read'>, id: ThreadId): Promise<Unproven> {
  const messages = new SetAside<WaitingMessage>((payload) => readMessage(payload));
  const pins = new SetAside<Pin>((payload) => readPin(payload));
  for await (const { type, payload } of store.read(id, { from: 0 as Ordinal, wanted })) {
    if (type === lineType.waiting) messages.take(payload, stringAt(payload, 'dropped'));
    const removed = payload['removed'] === true ? stringAt(payload, 'because') : undefined;
    if (type === lineType.pin) pins.take(payload, removed);
    if (type === lineType.compacted) {
      const carried = objectAt(payload, 'capstan');
      for (const each of listed(carried, 'waiting')) messages.take(each, undefined);
      for (const each of listed(carried, 'pins')) pins.take(each, undefined);
    }
  }
  return { messages: messages.found, pins: pins.found };
}

function wanted({ type }: LineKind): boolean {
  return type === lineType.waiting || type === lineType.pin || type === lineType.compacted;
}

function listed(carried: JsonObject | undefined, key: string): readonly JsonObject[] {
  return (arrayAt(carried, key) ?? []).filter(isJsonObject);
}

/** What lines said of one kind, and which of it ended as unproven. */
class SetAside<Said extends { readonly id: string; readonly seal?: string }> {
  readonly #said = new Map<string, Said>();
  readonly #ended = new Map<string, Said>();
  readonly #read: (payload: JsonObject) => Said | undefined;

  constructor(read: (payload: JsonObject) => Said | undefined) {
    this.#read = read;
  }

  /** `because`: why the line ends what an earlier one said; undefined if it does not. */
  take(payload: JsonObject, because: string | undefined): void {
    const id = stringAt(payload, 'id') ?? '';
    if (because === undefined) {
      const said = this.#read(payload);
      if (said !== undefined) this.#said.set(id, said);
      return;
    }
    const said = this.#said.get(id);
    if (because === 'unproven' && said !== undefined) this.#ended.set(id, said);
  }

  get found(): readonly Said[] {
    return [...this.#ended.values()].slice(-mostShown).map((said) => unsealed<Said>(said));
  }
}
