import type { ModelEvent } from '../../ports/model-client.ts';
import { isMessage, type Item } from '../../protocol/item.ts';
import type { Turn } from '../parts/parts.ts';

type Delta = Extract<ModelEvent, { kind: 'text-delta' | 'reasoning-delta' }>;

/**
 * Shows an answer while it arrives. Every item that was begun is completed, or dropped when the answer ends. One whose
 * first piece no subscriber wanted is not begun later: its pieces would not be the item.
 */
export class AnswerPreviews {
  readonly #turn: Pick<Turn, 'log' | 'parts' | 'turnId'>;
  readonly #begun = new Set<string>();
  readonly #unwanted = new Set<string>();
  /** Given to a message that the server does not name. */
  #ownId: string | undefined;

  constructor(turn: Pick<Turn, 'log' | 'parts' | 'turnId'>) {
    this.#turn = turn;
  }

  delta(event: Delta): void {
    const { log, turnId } = this.#turn;
    if (event.delta === '' || this.#unwanted.has(event.itemId)) return;
    if (!log.subscribers.wantPreviews) return void this.#unwanted.add(event.itemId);
    const itemId = event.itemId === '' ? (this.#ownId ??= `msg_${this.#turn.parts.ids.uuid()}`) : event.itemId;
    this.#begun.add(itemId);
    const about = { provisional: true, turnId, itemId, text: event.delta } as const;
    log.subscribers.preview(
      event.kind === 'text-delta' ? { ...about, kind: 'text' } : { ...about, kind: 'reasoning', part: event.part },
    );
  }

  /** The item under the name of its preview. */
  named(item: Item): Item {
    // The next one without a name is another.
    if (item['id'] === undefined) this.#unwanted.delete('');
    if (item['id'] !== undefined || this.#ownId === undefined || !isMessage(item)) return item;
    const { type, ...rest } = item;
    const id = this.#ownId;
    this.#ownId = undefined;
    return { type, id, ...rest };
  }

  /** The answer is over: what is not recorded by now never will be. */
  end(): void {
    this.#turn.log.dropPreviews((itemId) => this.#begun.has(itemId));
  }
}
