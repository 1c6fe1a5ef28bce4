import type { AgentIdentity, AgentNote, AgentReport, AgentStatus, RecordedAgent } from '../protocol/agent.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permissions.ts';
import type { Answer, Question } from '../protocol/question.ts';
import type { UsageAllowance, RequestFit, Usage } from '../protocol/usage.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import type { ThreadRefused, TurnEnd } from './threads.ts';

/** Agents of one thread, as its tools use them. No method rejects. */
export interface Agents {
  spawn(wanted: WantedAgent, caller: AgentCaller): Promise<SpawnedAgent | AgentRefused>;
  /** Sends a message to an agent: its running turn takes it in, or it starts one. */
  send(words: AgentMessage, caller: AgentCaller): Promise<AgentMessageSent | AgentRefused>;
  wait(wanted: AgentWait, call: WaitingCall): Promise<WaitedAgents | AgentRefused>;
  list(): Promise<readonly ListedAgent[]>;
  /** Interrupts the agent and its own agents, and accepts no more work for it. */
  close(target: string): Promise<ClosedAgent | AgentRefused>;
}

/** Agents of one thread, as the thread itself uses them. */
export interface AgentsOfThread extends Pick<Agents, 'wait'> {
  /** Called when the thread is open. */
  attach(parent: AgentParent): void;
  readonly isRunning: boolean;
  /** Interrupts running agents; resolves when they have ended. `reason` is passed to their signals. */
  stop(reason: unknown): Promise<void>;
  /** Called when a turn of the thread begins: from then on its agents, even running ones, may do no more than it. */
  narrow(bounds: AgentBounds): Promise<void>;
  /** Counts a request among those of all threads of the root, if `decide` accepts it. May wait for other requests. */
  meter(decide: (shared: SharedSpending) => RequestFit, signal: AbortSignal): Promise<MeteredRequest>;
  /** Open questions of these agents and their own agents. Only for a root thread. */
  readonly questions: readonly Question[];
  answer(id: string, answer: Answer): boolean;
}

/** Costs and limits shared by the threads of one root. */
export interface SharedSpending {
  /** Their spending that the thread's lines do not include yet, plus the possible cost of running requests. */
  readonly beside: Usage;
  /** An agent's remaining share of limits that are not its own. */
  readonly left: readonly UsageAllowance[];
}

export interface MeteredRequest {
  readonly fitting: RequestFit;
  /** Call when the request is over, with its cost. Absent: it cost nothing. */
  over(spent: Usage | undefined): void;
}

export interface AgentParent {
  readonly id: ThreadId;
  readonly turnId: TurnId | undefined;
  readonly agents: readonly RecordedAgent[];
  /** Agents with a report that waits for the next request. */
  readonly unread: readonly ThreadId[];
  /** The rest of its limits after its own spending and `beside`, the agents' spending that its lines do not include. */
  left(beside: Usage): readonly UsageAllowance[];
  /** Resolves when the note is durable. */
  note(note: AgentNote): Promise<void>;
  /** Resolves when durable; the model reads the report before the next request. */
  report(report: AgentReport): Promise<void>;
  /** For live followers of the thread only. */
  tell(event: ThreadEvent): void;
}

export interface WantedAgent {
  readonly message: string;
  /** Absent: Capstan makes one up. */
  readonly name?: string;
  /** Absent: the default one. */
  readonly role?: string;
  readonly model?: string;
  readonly effort?: string;
  /** The agent starts with its parent's context. */
  readonly fork?: boolean;
}

export type AgentCaller = AgentBounds & { readonly turnId: string; readonly callId: string };

/** An agent may do at most what the turn that gives it work may. */
export interface AgentBounds {
  readonly cwd: string;
  readonly provider: string;
  readonly model: string;
  readonly effort?: string;
  readonly approval: ApprovalPolicy;
  /** Before the mode's overrides. */
  readonly profile: PermissionProfile;
  /** In plan mode agents change nothing either. */
  readonly mode: 'default' | 'plan';
  /** The thread was started read-only, and so are its agents. */
  readonly changesNothing?: true;
  /** The thread's own choice of tools at its start. */
  readonly onlyTools?: readonly string[];
  readonly withoutTools?: readonly string[];
}

export interface AgentMessage {
  readonly target: string;
  /** Absent: it is only interrupted. */
  readonly message?: string;
  /** Ends the current work first. */
  readonly interrupt: boolean;
}

export interface AgentWait {
  /** Empty: all running ones. */
  readonly targets: readonly string[];
  readonly until: 'any' | 'all';
  readonly timeoutMs: number;
}

export interface WaitingCall {
  readonly signal: AbortSignal;
  /** True if words of the user are pending, which end the wait. */
  hasWords(): boolean;
}

export interface SpawnedAgent extends Pick<AgentIdentity, 'id' | 'path'> {
  readonly kind: 'spawned';
  readonly note?: string;
}

export interface AgentMessageSent {
  readonly kind: 'sent';
  readonly path: string;
  /** `steered`: the running turn takes the words in. */
  readonly as: 'turn' | 'steered' | 'interrupted' | 'restarted';
}

export interface WaitedAgents {
  readonly kind: 'waited';
  readonly agents: readonly ListedAgent[];
  readonly timedOut: boolean;
  /** Words of the user ended the wait. */
  readonly hasWords: boolean;
}

export type ClosedAgent = { readonly kind: 'closed'; readonly before: ListedAgent };

export interface ListedAgent extends Pick<RecordedAgent, 'id' | 'path' | 'role'> {
  /** `running` while it works; otherwise how its last work ended. */
  readonly status: AgentStatus['kind'] | 'waiting_for_user';
  readonly tokens: number;
  /** The result of its last work, unless its report waits for the next request. */
  readonly answer?: string;
}

export interface AgentRefused {
  readonly kind: 'refused';
  /** For the model: the reason and what to do. */
  readonly why: string;
}

/** Opens agents as threads of the engine, which clients can follow, interrupt and answer like any other. */
export interface AgentThreads {
  start(wanted: AgentToStart): Promise<AgentThread | ThreadRefused>;
  load(agent: AgentIdentity, bounds: AgentBounds): Promise<AgentThread | ThreadRefused>;
  /** The content of its file. Undefined: there is no file, or it is not an agent's. */
  read(id: ThreadId): Promise<StoredAgent | undefined>;
}

export type AgentToStart = { readonly identity: AgentIdentity; readonly bounds: AgentBounds; readonly fork: boolean };

export interface AgentThread {
  readonly kind: 'agent-thread';
  readonly note?: string;
  /** Runs a turn under bounds that are never wider than these. */
  run(message: string, bounds: AgentBounds): Promise<TurnEnd>;
  /** False if no turn runs that takes the words. */
  steer(message: string): Promise<boolean>;
  interrupt(reason: unknown): Promise<void>;
  fits(bounds: AgentBounds): boolean;
  /** Releases the thread for now, so other programs may write it. Its next work loads it again. */
  leave(): Promise<void>;
  readonly used: Usage;
  readonly asks: boolean;
}

export interface StoredAgent {
  readonly identity: AgentIdentity | undefined;
  readonly used: Usage;
  readonly agents: readonly RecordedAgent[];
  readonly isOpen: boolean;
  readonly last: AgentStatus | 'waits';
}

/** Limits for all agents of one root together. */
export interface AgentLimits {
  readonly running: number;
  /** Nesting depth of agents that start agents. */
  readonly depth: number;
  /** Tokens of all requests and answers of all agents. Absent: no limit. */
  readonly tokens?: number;
}

export type BudgetProblem = Outcome<'agent-budget'>;
