import type { AskUser } from '../../ports/ask-user.ts';

/** Waits: the answer comes from a client, through `LiveThread.answer`. */
export const awaitAnswer: AskUser = {
  ask: (_question, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'lapsed' }), { once: true });
    }),
};
