import type { AskUser } from '../../../ports/ask-user.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';

/** Who answers the questions of a run. */
export interface Approvals {
  readonly askUser: AskUser;
  /** Called with every event, before it is shown: a question may need what was said before it. */
  seen?(event: ThreadEvent): void;
  /** The run is over: gives the terminal back. */
  close?(): Promise<void>;
}

/** A tool that a client defined cannot be run by who answers here. */
export function withoutClientTools({ askUser, ...approvals }: Approvals): Approvals {
  return {
    ...approvals,
    askUser: {
      ...askUser,
      ask: (question, signal, item) =>
        question.kind === 'client-tool'
          ? Promise.resolve({ kind: 'declined', by: 'client' })
          : askUser.ask(question, signal, item),
    },
  };
}
