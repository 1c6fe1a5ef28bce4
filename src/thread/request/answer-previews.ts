import type { ModelEvent } from '../../ports/model-client.ts';
import { isMessage, isReasoning, type Item } from '../../protocol/item.ts';
import type { Turn } from '../parts/parts.ts';

type Delta = Extract<ModelEvent, { kind: 'text-delta' | 'reasoning-delta' }>;

const prefixes: Readonly<Record<Delta['kind'], string>> = { 'text-delta': 'msg', 'reasoning-delta': 'rs' };

/**
 * Shows an answer while it arrives. Every item that was begun is completed, or dropped when the answer ends. One whose
 * first piece no subscriber wanted is not begun later: its pieces would not be the item.
 */
export class AnswerPreviews {
  readonly #turn: Pick<Turn, 'log' | 'parts' | 'turnId'>;
  readonly #begun = new Set<string>();
  readonly #unwanted = new Set<string>();
  /** Messages whose beginning was shown. */
  readonly #shown = new Set<string>();
  /** Given to a message, and to a thought, that the server does not name. */
  readonly #ownIds = new Map<Delta['kind'], string>();

  constructor(turn: Pick<Turn, 'log' | 'parts' | 'turnId'>) {
    this.#turn = turn;
  }

  delta(event: Delta): void {
    const { log, turnId } = this.#turn;
    const name = event.itemId === '' ? event.kind : event.itemId;
    if (event.delta === '' || this.#unwanted.has(name)) return;
    if (!log.subscribers.wantPreviews) return void this.#unwanted.add(name);
    const itemId = event.itemId === '' ? this.#ownId(event.kind) : event.itemId;
    this.#begun.add(itemId);
    if (event.kind === 'text-delta' && event.delta.trim() !== '') this.#shown.add(itemId);
    const about = { provisional: true, turnId, itemId, text: event.delta } as const;
    log.subscribers.preview(
      event.kind === 'text-delta' ? { ...about, kind: 'text' } : { ...about, kind: 'reasoning', part: event.part },
    );
  }

  /** Whether the beginning of a message was shown that has not come as a whole. */
  get hasPart(): boolean {
    return this.#shown.size > 0;
  }

  /** The item under the name of its preview, which is whole now. */
  named(item: Item): Item {
    const named = this.#named(item);
    this.#shown.delete(String(named['id']));
    return named;
  }

  #named(item: Item): Item {
    const kind = isMessage(item) ? 'text-delta' : isReasoning(item) ? 'reasoning-delta' : undefined;
    if (item['id'] !== undefined || kind === undefined) return item;
    // The next one without a name is another.
    this.#unwanted.delete(kind);
    const id = this.#ownIds.get(kind);
    this.#ownIds.delete(kind);
    const { type, ...rest } = item;
    return id === undefined ? item : { type, id, ...rest };
  }

  #ownId(kind: Delta['kind']): string {
    const id = this.#ownIds.get(kind) ?? `${prefixes[kind]}_${this.#turn.parts.ids.uuid()}`;
    this.#ownIds.set(kind, id);
    return id;
  }

  /** The answer is over: what is not recorded by now never will be. */
  end(): void {
    this.#turn.log.dropPreviews((itemId) => this.#begun.has(itemId));
  }
}
