import type { AgentIdentity, AgentNote, AgentReport, AgentStatus, RecordedAgent } from '../protocol/agent.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permissions.ts';
import type { Answer, Question } from '../protocol/question.ts';
import type { Allowance, RequestFit, Usage } from '../protocol/usage.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import type { ThreadRefused, TurnEnd } from './threads.ts';

/** Agents of one thread, as its tools use them. Nothing here rejects. */
export interface Agents {
  spawn(wanted: WantedAgent, caller: AgentCaller): Promise<SpawnedAgent | AgentRefused>;
  /** Words for an agent: its turn takes them in, or they begin one. */
  send(words: AgentMessage, caller: AgentCaller): Promise<AgentMessageSent | AgentRefused>;
  wait(wanted: AgentWait, call: WaitingCall): Promise<WaitedAgents | AgentRefused>;
  list(): Promise<readonly ListedAgent[]>;
  /** Interrupts it, with its own agents, and takes no more work for it. */
  close(target: string): Promise<ClosedAgent | AgentRefused>;
}

/** The same as their thread uses them. */
export interface AgentsOfThread extends Pick<Agents, 'wait'> {
  /** The thread is open. */
  attach(parent: AgentParent): void;
  /** Whether one of them works. */
  readonly isRunning: boolean;
  /** Interrupts those that work, and resolves when they have ended. `reason`: why their signals say that they end. */
  stop(reason: unknown): Promise<void>;
  /** A turn of the thread begins: no agent does more than it may from here on. One that works goes on within it. */
  narrow(bounds: AgentBounds): Promise<void>;
  /**
   * Counts a request of the thread among those of all threads of its root, if `decide` says that it is sent. Waits for
   * other requests where only what these may cost is in its way.
   */
  meter(decide: (shared: SharedSpending) => RequestFit, signal: AbortSignal): Promise<MeteredRequest>;
  /** What they and their agents ask the user. Only of a thread that no other one started. */
  readonly questions: readonly Question[];
  /** False: none of them waits with that question. */
  answer(id: string, answer: Answer): boolean;
}

/** What threads of the same root have to do with what a request may cost. */
export interface SharedSpending {
  /** What they have spent that the thread's own lines do not say yet, and what their requests under way may cost. */
  readonly beside: Usage;
  /** What is left for an agent of limits that are not its own. */
  readonly left: readonly Allowance[];
}

export interface MeteredRequest {
  readonly fitting: RequestFit;
  /** It is over, and cost so much. Absent: nothing. */
  over(spent: Usage | undefined): void;
}

/** A thread that has agents, as they see it. */
export interface AgentParent {
  readonly id: ThreadId;
  /** The turn that runs, if one does. */
  readonly turnId: TurnId | undefined;
  /** Those of this thread, oldest first. */
  readonly agents: readonly RecordedAgent[];
  /** Those of which a report waits for the next request. */
  readonly unread: readonly ThreadId[];
  /** What is left of its limits, with what its agents have spent that no line of it says. */
  left(beside: Usage): readonly Allowance[];
  /** Resolves when it is durable. */
  note(note: AgentNote): Promise<void>;
  /** The same; the model reads it before the next request. */
  report(report: AgentReport): Promise<void>;
  /** For those who look at the thread now. */
  tell(event: ThreadEvent): void;
}

export interface WantedAgent {
  readonly message: string;
  /** Absent: one is made up. */
  readonly name?: string;
  /** Absent: the default one. */
  readonly role?: string;
  readonly model?: string;
  readonly effort?: string;
  /** It begins with what its parent knows. */
  readonly fork?: boolean;
}

/** The call that wants something of an agent, and what its turn may do. */
export interface AgentCaller extends AgentBounds {
  readonly turnId: string;
  readonly callId: string;
}

/** An agent may do what the turn may that gives it work, or less. */
export interface AgentBounds {
  readonly cwd: string;
  readonly provider: string;
  readonly model: string;
  readonly effort?: string;
  readonly approval: ApprovalPolicy;
  /** Without what the mode of the turn sets aside. */
  readonly profile: PermissionProfile;
  /** In plan mode agents change nothing either. */
  readonly mode: 'default' | 'plan';
  /** The thread was started to change nothing: so are its agents. */
  readonly changesNothing?: true;
  /** The tools that the thread was started with alone, and those that it was started without. */
  readonly onlyTools?: readonly string[];
  readonly withoutTools?: readonly string[];
}

export interface AgentMessage {
  readonly target: string;
  /** Absent: it is only interrupted. */
  readonly message?: string;
  /** What it does now ends first. */
  readonly interrupt: boolean;
}

export interface AgentWait {
  /** Empty: all that work. */
  readonly targets: readonly string[];
  /** Until one of them has ended its work, or all have. */
  readonly until: 'any' | 'all';
  readonly timeoutMs: number;
}

/** The call that waits. */
export interface WaitingCall {
  readonly signal: AbortSignal;
  /** Whether words of the user wait, which end it. */
  hasWords(): boolean;
}

export interface SpawnedAgent extends Pick<AgentIdentity, 'id' | 'path'> {
  readonly kind: 'spawned';
  /** What is odd about what was asked for. */
  readonly note?: string;
}

export interface AgentMessageSent {
  readonly kind: 'sent';
  readonly path: string;
  /** `steered`: the turn that runs takes the words in. */
  readonly as: 'turn' | 'steered' | 'interrupted' | 'restarted';
}

export interface WaitedAgents {
  readonly kind: 'waited';
  readonly agents: readonly ListedAgent[];
  readonly timedOut: boolean;
  /** Words of the user ended the wait. */
  readonly hasWords: boolean;
}

export interface ClosedAgent {
  readonly kind: 'closed';
  readonly before: ListedAgent;
}

export interface ListedAgent extends Pick<RecordedAgent, 'id' | 'path' | 'role'> {
  /** `running` while it works; otherwise how its last work ended. */
  readonly status: AgentStatus['kind'] | 'waiting_for_user';
  readonly tokens: number;
  /** What came of its last work, unless a report of it waits for the next request. */
  readonly answer?: string;
}

export interface AgentRefused {
  readonly kind: 'refused';
  /** For the model: why, and what to do. */
  readonly why: string;
}

/** Opens agents as threads of the engine, which clients can follow, interrupt and answer like any other. */
export interface AgentThreads {
  start(wanted: AgentToStart): Promise<AgentThread | ThreadRefused>;
  /** Loads it if it is not. */
  load(agent: AgentIdentity, bounds: AgentBounds): Promise<AgentThread | ThreadRefused>;
  /** What its file says. Undefined: there is none, or it is no agent's. */
  read(id: ThreadId): Promise<ReadAgent | undefined>;
}

export interface AgentToStart {
  readonly identity: AgentIdentity;
  readonly bounds: AgentBounds;
  readonly fork: boolean;
}

export interface AgentThread {
  readonly kind: 'agent-thread';
  /** What is odd about what it was started with, for its parent. */
  readonly note?: string;
  /** A turn under bounds that are never wider than these. */
  run(message: string, bounds: AgentBounds): Promise<TurnEnd>;
  /** False: no turn takes the words. */
  steer(message: string): Promise<boolean>;
  interrupt(reason: unknown): Promise<void>;
  /** Whether it may do no more than this. */
  fits(bounds: AgentBounds): boolean;
  /** Gives it up for now: other programs may write it. Its next work loads it again. */
  leave(): Promise<void>;
  /** Of the whole thread. */
  readonly used: Usage;
  /** Whether it waits for the user. */
  readonly asks: boolean;
}

export interface ReadAgent {
  readonly identity: AgentIdentity | undefined;
  readonly used: Usage;
  readonly agents: readonly RecordedAgent[];
  /** Whether its last turn has no end. */
  readonly isOpen: boolean;
  /** `waits`: its turn waits for the user's answer. */
  readonly last: AgentStatus | 'waits';
}

/** What the agents of one root may do together. */
export interface AgentLimits {
  /** How many may work at the same time. */
  readonly running: number;
  /** How deep agents may start agents. */
  readonly depth: number;
  /** Tokens of all requests and answers of all agents. Absent: no limit. */
  readonly tokens?: number;
}

/** Why a request of an agent is not sent. */
export type BudgetProblem = Outcome<'agent-budget'>;
