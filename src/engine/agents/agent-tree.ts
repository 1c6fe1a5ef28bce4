import { defined } from '../../base/objects.ts';
import type {
  AgentLimits,
  AgentParent,
  BudgetProblem,
  MeteredRequest,
  StoredAgent,
  SharedSpending,
} from '../../ports/agents.ts';
import { rootAgentPath } from '../../protocol/agent.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { groupDigits } from '../../protocol/outcome.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import type { PendingUsage, RequestFit, Usage } from '../../protocol/usage.ts';
import { addUsage, noUsage, PendingRequests, usageSince } from '../../protocol/usage.ts';

/** State that the threads of one root share in this process: how many agents work, and what all of them cost. */
export class AgentTreeState {
  readonly #rootId: ThreadId;
  readonly #read: (id: ThreadId) => Promise<StoredAgent | undefined>;
  /** Spending per agent, without its own agents. */
  readonly #spent = new Map<ThreadId, Usage>();
  readonly running = new Set<ThreadId>();
  readonly #underWay = new PendingRequests<ThreadId>();
  readonly questions = new AgentQuestions();
  #root: AgentParent | undefined;
  #known: Promise<void> | undefined;

  constructor(rootId: ThreadId, read: (id: ThreadId) => Promise<StoredAgent | undefined>) {
    this.#rootId = rootId;
    this.#read = read;
  }

  /** Called when the root is open: its surfaces are asked, and its limits hold for all. */
  attach(root: AgentParent): void {
    this.#root = root;
    this.questions.attach(root);
  }

  get isIdle(): boolean {
    return this.running.size === 0 && this.questions.open.length === 0;
  }

  async problem({ tokens: limit }: AgentLimits): Promise<BudgetProblem | undefined> {
    if (limit === undefined) return undefined;
    await this.#count();
    const used = tokensOf(sum(this.#spent.values()));
    return used >= limit ? budgetSpent(limit, used) : undefined;
  }

  async meter(
    id: ThreadId,
    decide: (shared: SharedSpending) => RequestFit,
    { limits, signal }: { readonly limits: AgentLimits; readonly signal: AbortSignal },
  ): Promise<MeteredRequest> {
    await this.#count();
    const decideNow = (under: PendingUsage<ThreadId>): RequestFit => decide(this.#shared(id, limits, under));
    const { fitting, over } = await this.#underWay.admit(id, decideNow, signal);
    return {
      fitting,
      over: (spent = noUsage) => {
        if (!over() || id === this.#rootId) return;
        this.#spent.set(id, addUsage(this.#spent.get(id) ?? noUsage, spent));
      },
    };
  }

  #shared(id: ThreadId, { tokens: limit }: AgentLimits, under: PendingUsage<ThreadId>): SharedSpending {
    if (id === this.#rootId) return { beside: addUsage(this.#unreported(), under.of(everyone)), left: [] };
    const together = { limit: 'agents.max_tokens', unit: 'tokens' } as const;
    const underWay = under.of((by) => by !== this.#rootId);
    const used = tokensOf(addUsage(sum(this.#spent.values()), underWay));
    const own = limit === undefined ? [] : [{ ...together, most: limit, used }];
    const ofRoot = this.#root?.left(addUsage(this.#unreported(), under.of(everyone))) ?? [];
    return { beside: under.of((by) => by === id), left: [...own, ...ofRoot] };
  }

  /** Agents' spending that no line of the root reports. */
  #unreported(): Usage {
    return usageSince(sum((this.#root?.agents ?? []).map(({ used }) => used)), sum(this.#spent.values()));
  }

  /** Counts, from their files, agents that this process does not know yet. */
  #count(): Promise<void> {
    return (this.#known ??= this.#countBelow(this.#rootId));
  }

  async #countBelow(id: ThreadId): Promise<void> {
    const known = await this.#read(id);
    if (known === undefined) return;
    const reported = sum(known.agents.map(({ used }) => used));
    if (id !== this.#rootId && !this.#spent.has(id)) this.#spent.set(id, usageSince(reported, known.used));
    for (const agent of known.agents) await this.#countBelow(agent.id);
  }
}

const everyone = (): boolean => true;
const sum = (usages: Iterable<Usage>): Usage => Iterator.from(usages).reduce(addUsage, noUsage);
const tokensOf = ({ total, estimated = 0 }: Usage): number => total + estimated;

const budgetSpent = (limit: number, spent: number): BudgetProblem => ({
  code: 'agent-budget',
  message: `The agents of ${rootAgentPath} may use ${groupDigits(limit)} tokens together, and have used ${groupDigits(spent)}: no request of an agent is sent any more.`,
  next: 'Do the rest without agents, or raise agents.max_tokens.',
});

type OpenAgentQuestion = { readonly question: Question; give(answer: Answer): void };

interface AgentAsking {
  readonly signal: AbortSignal;
  readonly item?: TurnItem;
  put(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** Questions of one root's agents: each names its agent and appears in the root's turn. The first answer counts. */
export class AgentQuestions {
  readonly #open = new Map<string, OpenAgentQuestion>();
  #root: AgentParent | undefined;

  attach(root: AgentParent): void {
    this.#root = root;
  }

  get open(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Returns false if no agent waits with that question. */
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
