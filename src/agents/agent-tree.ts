import type { AgentLimits, BudgetProblem, ReadAgent } from '../ports/agents.ts';
import { AgentQuestions } from './agent-questions.ts';
import { rootPath } from '../protocol/agent.ts';
import type { ThreadId } from '../protocol/ids.ts';

/** A request of an agent that is under way. */
export interface Metered {
  /** `tokens`: what it cost. Absent: the provider did not say, and what was expected counts. */
  over(tokens?: number): void;
}

/** What the agents of one root share in this process: how many work, and what all have cost. */
export class AgentTree {
  readonly #rootId: ThreadId;
  readonly #read: (id: ThreadId) => Promise<ReadAgent | undefined>;
  /** Of each agent, without its own agents. */
  readonly #spent = new Map<ThreadId, number>();
  readonly #running = new Set<ThreadId>();
  readonly questions = new AgentQuestions();
  #reserved = 0;
  #known: Promise<void> | undefined;

  constructor(rootId: ThreadId, read: (id: ThreadId) => Promise<ReadAgent | undefined>) {
    this.#rootId = rootId;
    this.#read = read;
  }

  get running(): number {
    return this.#running.size;
  }

  began(id: ThreadId): void {
    this.#running.add(id);
  }

  /** Whether it works, or is about to. */
  has(id: ThreadId): boolean {
    return this.#running.has(id);
  }

  ended(id: ThreadId): void {
    this.#running.delete(id);
  }

  /** No agent works, and none waits for the user. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.questions.open.length === 0;
  }

  /** Tokens of all requests and answers of its agents, also of those of earlier processes. */
  async spent(): Promise<number> {
    await (this.#known ??= this.#count(this.#rootId));
    return [...this.#spent.values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Why no agent may send another request, if so. */
  async problem({ tokens: limit }: AgentLimits): Promise<BudgetProblem | undefined> {
    if (limit === undefined) return undefined;
    const spent = await this.spent();
    return spent + this.#reserved >= limit ? budgetSpent(limit, spent) : undefined;
  }

  /** A request of an agent begins that is expected to cost so much, unless the budget does not allow it. */
  async meter(id: ThreadId, expected: number, { tokens: limit }: AgentLimits): Promise<Metered | BudgetProblem> {
    const spent = await this.spent();
    if (limit !== undefined && spent + this.#reserved + expected > limit) return budgetSpent(limit, spent);
    this.#reserved += expected;
    let isOver = false;
    return {
      over: (tokens = expected) => {
        if (isOver) return;
        isOver = true;
        this.#reserved -= expected;
        this.#spent.set(id, (this.#spent.get(id) ?? 0) + tokens);
      },
    };
  }

  /** What files say of agents that this process has not heard of. */
  async #count(id: ThreadId): Promise<void> {
    const known = await this.#read(id);
    if (known === undefined) return;
    const reported = known.agents.reduce((sum, { used }) => sum + used.total, 0);
    if (id !== this.#rootId && !this.#spent.has(id)) this.#spent.set(id, Math.max(0, known.used.total - reported));
    for (const agent of known.agents) await this.#count(agent.id);
  }
}

function budgetSpent(limit: number, spent: number): BudgetProblem {
  return {
    code: 'agent-budget',
    message: `The agents of ${rootPath} may use ${limit} tokens together, and have used ${spent}: no request of an agent is sent any more.`,
    next: 'Do the rest without agents, or raise agents.max_tokens.',
  };
}
