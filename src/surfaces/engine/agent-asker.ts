import type { AskUser } from '../../ports/ask-user.ts';
import { awaitAnswer } from './await-answer.ts';

/** Puts questions of an agent to whoever answers those of its root, with the path of the agent. */
export function agentAsker(asker: AskUser, path: string): AskUser {
  if (asker === awaitAnswer) return asker;
  return {
    ...asker,
    // One that an agent of the agent asks has the path of that one.
    ask: (question, signal) => asker.ask({ agent: path, ...question }, signal),
    isThere: () => asker.isThere?.() ?? true,
  };
}
