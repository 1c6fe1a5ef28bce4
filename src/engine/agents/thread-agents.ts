import { continueWithFewerPermissionsText } from '../../core/fragments/answers/agents-and-goals.ts';
import type {
  AgentBounds,
  AgentCaller,
  AgentLimits,
  AgentMessage,
  AgentMessageSent,
  AgentParent,
  AgentRefused,
  Agents,
  AgentsOfThread,
  AgentThreads,
  AgentWait,
  ClosedAgent,
  ListedAgent,
  MeteredRequest,
  SharedSpending,
  SpawnedAgent,
  WaitedAgents,
  WaitingCall,
  WantedAgent,
} from '../../ports/agents.ts';
import type { Clock, IdSource } from '../../ports/system.ts';
import { parentNarrowedReason, parentStoppedReason, threadClosesReason } from '../../protocol/abort.ts';
import { type AgentIdentity, type RecordedAgent, rootAgentPath } from '../../protocol/agent.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { outcomeText } from '../../protocol/outcome.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { RequestFit } from '../../protocol/usage.ts';
import type { AgentTreeState } from './agent-tree.ts';
import { lastAnswerText, neverStartedStatus, WorkingAgents } from './working-agents.ts';

/**
 * The agents of one thread. Each action on an agent is recorded in the thread before it is done, and its result becomes
 * a message for the thread's next request: if a process dies, the next one can complete the tree.
 */
export class ThreadAgents implements Agents, AgentsOfThread {
  readonly #options: ThreadAgentsOptions;
  readonly #working = new WorkingAgents({
    report: (report) => this.#open.report(report),
    ended: (id) => this.#tree.running.delete(id),
  });
  readonly #last = new Map<ThreadId, Promise<unknown>>();
  #parent: AgentParent | undefined;

  constructor(options: ThreadAgentsOptions) {
    this.#options = options;
  }

  attach(parent: AgentParent): void {
    this.#parent = parent;
    if (this.#options.self === undefined) this.#tree.attach(parent);
  }

  get questions(): readonly Question[] {
    return this.#options.self === undefined ? this.#tree.questions.open : [];
  }

  answer(id: string, answer: Answer): boolean {
    return this.#options.self === undefined && this.#tree.questions.answer(id, answer);
  }

  get isRunning(): boolean {
    return this.#working.all.length > 0;
  }

  get #path(): string {
    return this.#options.self?.path ?? rootAgentPath;
  }

  get #open(): AgentParent {
    if (this.#parent === undefined) throw new Error('the thread of these agents is not open');
    return this.#parent;
  }

  get #tree(): AgentTreeState {
    const { self, treeOf } = this.#options;
    return treeOf(self?.rootId ?? this.#open.id);
  }

  meter(decide: (shared: SharedSpending) => RequestFit, signal: AbortSignal): Promise<MeteredRequest> {
    const { self, limits } = this.#options;
    return this.#tree.meter(self?.id ?? this.#open.id, decide, { limits, signal });
  }

  async spawn(wanted: WantedAgent, caller: AgentCaller): Promise<SpawnedAgent | AgentRefused> {
    const { ids, self, threads, limits } = this.#options;
    const parent = this.#open;
    const { role = 'default', fork = false } = wanted;
    const depth = (self?.depth ?? 0) + 1;
    if (depth > limits.depth) return refused('Agent depth limit reached. Solve the task yourself.');
    const spent = await this.#tree.problem(limits);
    if (spent !== undefined) return refused(outcomeText(spent));
    // No `await` from here until the line is written: calls of one step run side by side.
    const name = wanted.name ?? freeAgentName(role, this.#path, parent.agents);
    const odd = agentNameProblem(name, this.#path, parent.agents) ?? this.#fullProblem();
    if (odd !== undefined) return refused(odd);
    const id = ids.uuid() as ThreadId;
    const path = `${this.#path}/${name}`;
    const identity = { id, parentId: parent.id, rootId: self?.rootId ?? parent.id, depth, path, role };
    const { turnId, callId } = caller;
    this.#tree.running.add(id);
    await parent.note({ kind: 'spawned', id, parentId: parent.id, path, role, turnId, callId });
    const bounds = boundsFor(caller, wanted, this.#options.defaults);
    const thread = await threads.start({ identity, bounds, fork });
    if (thread.kind === 'refused') {
      this.#tree.running.delete(id);
      await parent.note({ kind: 'closed', id });
      return refused(`The agent was not started. ${outcomeText(thread.outcome)}`);
    }
    this.#working.begin(identity, thread, thread.run(wanted.message, bounds));
    return { kind: 'spawned', id, path, note: thread.note };
  }

  async send(words: AgentMessage, caller: AgentCaller): Promise<AgentMessageSent | AgentRefused> {
    return this.#inOrder(words.target, () => this.#send(words, caller));
  }

  async #send(words: AgentMessage, caller: AgentCaller): Promise<AgentMessageSent | AgentRefused> {
    const { message, interrupt } = words;
    const agent = this.#find(words.target);
    if ('why' in agent) return agent;
    if (agent.state === 'closed') return refused(`Agent ${agent.path} is closed. Start another one, under any name.`);
    const { id, path } = agent;
    if (message === undefined) {
      await this.#working.interrupt([id], parentStoppedReason);
      return { kind: 'sent', path, as: 'interrupted' };
    }
    const { turnId, callId } = caller;
    const running = this.#working.find(id);
    if (running !== undefined) {
      await this.#open.note({ kind: 'sent', id, turnId, callId });
      if (interrupt && (await this.#working.restart(id, { message, bounds: caller }, parentStoppedReason)))
        return { kind: 'sent', path, as: 'restarted' };
      if (!interrupt && (await running.thread.steer(message))) return { kind: 'sent', path, as: 'steered' };
      await running.over;
    }
    const spent = await this.#tree.problem(this.#options.limits);
    if (spent !== undefined) return refused(outcomeText(spent));
    const full = this.#fullProblem();
    if (full !== undefined) return refused(full);
    const identity = identityOf(this.#options.self, agent);
    this.#tree.running.add(id);
    const thread = await this.#options.threads.load(identity, caller);
    if (thread.kind === 'refused') {
      this.#tree.running.delete(id);
      return refused(`The agent was not loaded. ${outcomeText(thread.outcome)}`);
    }
    await this.#open.note({ kind: 'sent', id, turnId, callId });
    this.#working.begin(identity, thread, thread.run(message, caller));
    return { kind: 'sent', path, as: 'turn' };
  }

  async wait({ targets, until, timeoutMs }: AgentWait, call: WaitingCall): Promise<WaitedAgents | AgentRefused> {
    const found = targets.map((target) => this.#find(target));
    const unknown = found.find((agent) => 'why' in agent);
    if (unknown !== undefined) return unknown as AgentRefused;
    const ids = this.#waitedFor(found as readonly RecordedAgent[]).map(({ id }) => id);
    const now = async (): Promise<readonly RecordedAgent[]> => {
      await this.settle();
      return this.#open.agents.filter(({ id }) => ids.includes(id));
    };
    const working = () => ids.flatMap((id) => this.#working.find(id)?.over ?? []);
    const { clock } = this.#options;
    const waited = await waitForAgents(now, working, { until, timeoutMs }, { clock, ...call });
    return { kind: 'waited', ...waited, agents: await this.#answered(waited.agents) };
  }

  async list(): Promise<readonly ListedAgent[]> {
    return this.#answered(this.#open.agents.filter(({ state }) => state !== 'closed'));
  }

  async close(target: string): Promise<ClosedAgent | AgentRefused> {
    return this.#inOrder(target, () => this.#close(target));
  }

  async #close(target: string): Promise<ClosedAgent | AgentRefused> {
    const agent = this.#find(target);
    if ('why' in agent) return agent;
    const before = this.#listed(agent);
    if (agent.state === 'closed') return { kind: 'closed', before };
    await this.#working.interrupt([agent.id], parentStoppedReason);
    await this.#open.note({ kind: 'closed', id: agent.id });
    await this.#working.leave([agent.id]);
    return { kind: 'closed', before };
  }

  async stop(reason: unknown): Promise<void> {
    await this.#working.interrupt(this.#working.all, reason);
  }

  async narrow(bounds: AgentBounds): Promise<void> {
    await this.#working.narrow({ message: continueWithFewerPermissionsText, bounds }, parentNarrowedReason);
  }

  /** Called when the thread is given up. An agent that waits for the user stays as it is: its turn can be continued. */
  async release(): Promise<void> {
    const left = this.#working.loaded.flatMap(([id, { asks }]) => (asks ? [] : id));
    await this.#working.interrupt(left, threadClosesReason);
    await this.#working.leave(left);
    const { self, dropTree } = this.#options;
    if (self === undefined && this.#parent !== undefined && this.#tree.isIdle) dropTree(this.#parent.id);
  }

  /** Reports, from their files, running agents that do not work in this process, unless they wait for the user. */
  async settle(): Promise<void> {
    const parent = this.#open;
    for (const agent of parent.agents) {
      if (agent.state !== 'running' || this.#working.find(agent.id) || this.#tree.running.has(agent.id)) continue;
      const known = await this.#options.threads.read(agent.id);
      const isOurs = known?.identity?.parentId === parent.id;
      const status = known !== undefined && isOurs ? known.last : neverStartedStatus;
      if (status === 'waits') continue;
      const used = known !== undefined && isOurs ? known.used : agent.used;
      await parent.report({ agentId: agent.id, path: agent.path, status, used });
    }
  }

  /** Runs the calls of one step on one agent one after the other. */
  #inOrder<Result>(target: string, work: () => Promise<Result>): Promise<Result> {
    const agent = this.#find(target);
    if ('why' in agent) return work();
    const done = (this.#last.get(agent.id) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => {});
    this.#last.set(agent.id, settled);
    return done;
  }

  /** Returns the named agents. If none is named: those that work; if none works: all that are open. */
  #waitedFor(named: readonly RecordedAgent[]): readonly RecordedAgent[] {
    if (named.length > 0) return named;
    const open = this.#open.agents.filter(({ state }) => state !== 'closed');
    const running = open.filter(({ state }) => state === 'running');
    return running.length > 0 ? running : open;
  }

  #fullProblem(): string | undefined {
    const { running } = this.#options.limits;
    if (this.#tree.running.size < running) return undefined;
    return `${running} agents work already, which is the limit. Wait for one of them first.`;
  }

  #find(target: string): RecordedAgent | AgentRefused {
    const { agents } = this.#open;
    const known = agents.filter(({ state }) => state !== 'closed').map(({ path }) => path);
    const list = known.length === 0 ? 'You have no agents.' : `Agents: ${known.join(', ')}.`;
    return findAgent(target, this.#path, agents) ?? refused(`There is no agent ${JSON.stringify(target)}. ${list}`);
  }

  #listed({ id, path, role, state, last, used }: RecordedAgent): ListedAgent {
    const working = this.#working.find(id);
    const asks = working?.thread.asks ?? !this.#tree.running.has(id);
    const status = state === 'running' ? (asks ? 'waiting_for_user' : 'running') : (last ?? 'shutdown');
    return { id, path, role, status, tokens: working?.thread.used.total ?? used.total };
  }

  /** Adds the results from the agents' files, since a rollback may have removed the turn that received them. */
  async #answered(agents: readonly RecordedAgent[]): Promise<readonly ListedAgent[]> {
    const { unread } = this.#open;
    return Promise.all(
      agents.map(async (agent) => {
        const isTold = agent.state === 'running' || unread.includes(agent.id);
        const known = isTold ? undefined : await this.#options.threads.read(agent.id);
        return { ...this.#listed(agent), answer: lastAnswerText(known?.last) };
      }),
    );
  }
}

const refused = (why: string): AgentRefused => ({ kind: 'refused', why });
type ChosenModel = Pick<WantedAgent, 'model' | 'effort'>;

/** Bounds that an agent gets from its caller, with the model from the call or else the configuration. */
function boundsFor(caller: AgentCaller, wanted: ChosenModel, defaults: ChosenModel = {}): AgentBounds {
  const model = wanted.model ?? defaults.model ?? caller.model;
  // Another model may not have the caller's effort.
  const effort = wanted.effort ?? defaults.effort ?? (model === caller.model ? caller.effort : undefined);
  return { ...caller, model, effort };
}

const longest = 40;

function agentNameProblem(name: string, parentPath: string, agents: readonly RecordedAgent[]): string | undefined {
  if (!/^[a-z0-9_]+$/.test(name) || name.length > longest)
    return `\`name\` must have 1 to ${longest} lower-case letters, digits and underscores.`;
  const taken = agents.some((agent) => agent.state !== 'closed' && agent.path === `${parentPath}/${name}`);
  const advice = 'Choose another name, send it input, or close it first.';
  return taken ? `An agent named ${name} exists already. ${advice}` : undefined;
}

function freeAgentName(role: string, parentPath: string, agents: readonly RecordedAgent[]): string {
  const plain = role.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
  for (let number = 1; ; number++) {
    const name = `${plain.slice(0, longest - 5) || 'agent'}_${number}`;
    if (!agents.some(({ path }) => path === `${parentPath}/${name}`)) return name;
  }
}

/** Finds an agent by name, path or id; the newest of several. */
function findAgent(target: string, parentPath: string, agents: readonly RecordedAgent[]): RecordedAgent | undefined {
  const path = target.startsWith('/') ? target : `${parentPath}/${target}`;
  return agents.findLast((agent) => agent.id === target.toLowerCase() || agent.path === path);
}

interface ThreadAgentsOptions {
  readonly threads: AgentThreads;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly limits: AgentLimits;
  /** The model and effort if neither the role nor the call names one. Absent: those of the parent. */
  readonly defaults?: ChosenModel;
  /** Identity of the parent. Absent: no other thread started it. */
  readonly self?: AgentIdentity;
  treeOf(rootId: ThreadId): AgentTreeState;
  /** Called when the root is given up and none of its agents is active; their files record the cost. */
  dropTree(rootId: ThreadId): void;
}

const identityOf = (self: AgentIdentity | undefined, { id, path, role, parentId }: RecordedAgent): AgentIdentity => ({
  id,
  path,
  role,
  parentId,
  rootId: self?.rootId ?? parentId,
  depth: (self?.depth ?? 0) + 1,
});

/** Interval for checking an agent that another program or client may continue. */
const lookAgainMs = 1000;
const lookForWordsMs = 200;

/** Resolves at a user message or when it is time to check the agents again. */
async function untilWords(hasWords: () => boolean, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < lookAgainMs && !signal.aborted && !hasWords(); waited += lookForWordsMs)
    await clock.sleep(lookForWordsMs, signal);
}

/** `working`: each settles when an agent's work in this process is over. */
async function waitForAgents(
  now: () => Promise<readonly RecordedAgent[]>,
  working: () => readonly Promise<void>[],
  { until, timeoutMs }: Pick<AgentWait, 'until' | 'timeoutMs'>,
  { clock, signal, hasWords }: WaitingCall & { readonly clock: Clock },
) {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  let isLate = false;
  void clock.sleep(timeoutMs, end).then(() => (isLate = !end.aborted));
  const isOver = ({ state }: RecordedAgent): boolean => state !== 'running';
  try {
    for (;;) {
      const agents = await now();
      const isDone = agents.length === 0 || (until === 'all' ? agents.every(isOver) : agents.some(isOver));
      const isCalled = !isDone && hasWords();
      if (isDone || isLate || isCalled || signal.aborted)
        return { agents, timedOut: !isDone && !isCalled && isLate, hasWords: isCalled };
      const pause = new AbortController();
      const enough = AbortSignal.any([end, pause.signal]);
      await Promise.race([...working(), untilWords(hasWords, clock, enough)]);
      pause.abort('over');
    }
  } finally {
    over.abort('over');
  }
}
