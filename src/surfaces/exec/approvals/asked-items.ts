import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';

/** The calls that are asked about as screens show them: a question itself holds no diff. */
export class AskedItems {
  readonly #items = new Map<string, TurnItem>();

  seen(event: ThreadEvent): void {
    if (event.kind === 'question-asked' && event.item !== undefined) this.#items.set(event.question.id, event.item);
    if (event.kind === 'question-answered') this.#items.delete(event.id);
  }

  of({ id }: Question): TurnItem | undefined {
    return this.#items.get(id);
  }
}
