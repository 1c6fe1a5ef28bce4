import type { AskUser } from '../../../ports/ask-user.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';

export interface ApprovalAnswerer {
  readonly askUser: AskUser;
  /** Called with every event before it is shown: a question may need earlier ones. */
  seen?(event: ThreadEvent): void;
  close?(): Promise<void>;
}

/** Declines the calls of a client's tools, since no answerer here can run them. */
export const withoutClientTools = ({ askUser, ...approvals }: ApprovalAnswerer): ApprovalAnswerer => ({
  ...approvals,
  askUser: {
    ...askUser,
    ask: (question, signal, item) =>
      question.kind === 'client-tool'
        ? Promise.resolve({ kind: 'declined', by: 'client' })
        : askUser.ask(question, signal, item),
  },
});

/** Remembers the calls that questions are about, as screens show them: a question itself has no diff. */
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
