import type { AgentParent } from '../ports/agents.ts';
import { defined } from '../protocol/defined.ts';
import type { Answer, Question } from '../protocol/question.ts';
import type { TurnItem } from '../protocol/turn-item.ts';

interface OpenAgentQuestion {
  readonly question: Question;
  give(answer: Answer): void;
}

interface AgentAsking {
  readonly signal: AbortSignal;
  /** The call as screens show it. */
  readonly item?: TurnItem;
  /** Puts the question to the port of the root. */
  put(question: Question, signal: AbortSignal): Promise<Answer>;
}

/**
 * Questions of the agents of one root, as the surfaces of the root see them: each names its agent and stands in the turn
 * of the root. The first answer counts, whether it comes by the port of the root or by a client of it.
 */
export class AgentQuestions {
  readonly #open = new Map<string, OpenAgentQuestion>();
  #root: AgentParent | undefined;

  /** The thread whose surfaces are asked is open. */
  attach(root: AgentParent): void {
    this.#root = root;
  }

  get open(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** False: no agent waits with that question. */
  answer(id: string, answer: Answer): boolean {
    const open = this.#open.get(id);
    open?.give(answer);
    return open !== undefined;
  }

  async ask(asked: Question, { signal, item, put }: AgentAsking): Promise<Answer> {
    const { id, callId } = asked;
    const turnId = this.#root?.turnId ?? asked.turnId;
    const question = { ...asked, turnId };
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const over = new AbortController();
    this.#open.set(id, { question, give: resolve });
    this.#root?.tell({ kind: 'question-asked', turnId, question, ...defined({ item }) });
    let answer: Answer = { kind: 'lapsed' };
    try {
      answer = await Promise.race([promise, put(question, AbortSignal.any([signal, over.signal]))]);
      return answer;
    } finally {
      over.abort('answered');
      this.#open.delete(id);
      this.#root?.tell({ kind: 'question-answered', turnId, id, callId, answer });
    }
  }
}
