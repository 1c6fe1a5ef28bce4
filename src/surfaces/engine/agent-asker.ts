import type { AgentQuestions } from '../../agents/agent-questions.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import { defined } from '../../protocol/defined.ts';
import type { Question } from '../../protocol/question.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import { awaitAnswer } from './await-answer.ts';

/** The port of the root behind the port of an agent: an agent of an agent asks there as well. */
const rootOf = new WeakMap<AskUser, AskUser>();
/** What a port was asked last: it is asked one thing at a time, whichever thread asks. */
const asked = new WeakMap<AskUser, Promise<unknown>>();

/** Puts questions of an agent to the port that answers those of its root, with the path of the agent. */
export function agentAsker(asker: AskUser, path: string, questions: AgentQuestions): AskUser {
  const root = rootOf.get(asker) ?? asker;
  const own: AskUser = {
    ...defined({ answersOnce: root.answersOnce }),
    ask: (question, signal, item) =>
      questions.ask(
        { ...question, agent: path },
        {
          signal,
          ...defined({ item }),
          put: (named, end) => ask(root, named, { signal: end, ...defined({ item }) }),
        },
      ),
    isThere: () => root.isThere?.() ?? true,
  };
  rootOf.set(own, root);
  return own;
}

/** The port of a root, which is asked in turn with its agents. */
export function rootAsker(asker: AskUser): AskUser {
  if (asker === awaitAnswer || rootOf.has(asker)) return asker;
  const own: AskUser = {
    ...defined({ answersOnce: asker.answersOnce }),
    ask: (question, signal, item) => ask(asker, question, { signal, ...defined({ item }) }),
    isThere: () => asker.isThere?.() ?? true,
  };
  rootOf.set(own, asker);
  return own;
}

interface Asking {
  readonly signal: AbortSignal;
  readonly item?: TurnItem;
}

async function ask(asker: AskUser, question: Question, { signal, item }: Asking) {
  // Clients answer in any order.
  if (asker === awaitAnswer) return asker.ask(question, signal, item);
  const before = asked.get(asker);
  const { promise, resolve } = Promise.withResolvers<void>();
  asked.set(asker, promise);
  try {
    await before;
    return await asker.ask(question, signal, item);
  } finally {
    resolve();
  }
}
