import type { GatheredFacts, StepFacts } from '../../core/envelope/facts.ts';
import type { Envelope } from '../../core/envelope/envelope.ts';
import type { Settings, TurnSettings } from '../../core/envelope/settings.ts';
import type { Grant } from '../../core/policy/grants/grants.ts';
import type { PrefixRule } from '../../core/policy/rules/rule-set.ts';
import type { ManagedRequirements } from '../../core/policy/requirements.ts';
import type { AgentsOfThread } from '../../ports/agents.ts';
import type { AskUser, RuleBook } from '../../ports/ask-user.ts';
import type { BackgroundWork, Threads } from '../../ports/threads.ts';
import type { CommandReader } from '../../core/policy/commands/analyse-command.ts';
import type { TamperWatch } from '../../core/policy/environment/tamper-state.ts';
import type { Clock, IdSource, Processes } from '../../ports/system.ts';
import type { RequestDigester, ModelProvider } from '../../ports/model.ts';
import type { GitGuard, Snapshots } from '../../ports/workspace.ts';
import type { Hooks } from '../../ports/hooks.ts';
import type { RolloutStore, Seals } from '../../ports/thread-store.ts';
import type { ProcessEnd, CommandSessions } from '../../ports/commands.ts';
import type { Skills } from '../../ports/skills.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { CheckpointReport } from '../../protocol/thread-event.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../protocol/permissions.ts';
import type { ProviderName } from '../../protocol/provider-name.ts';
import type { Catalogue } from '../../core/envelope/model-record.ts';
import type { OpenTurn } from '../../core/state/thread-state.ts';
import type { ToolRouter } from '../../adapters/tools/router.ts';
import type { Inbox, SubmittedWords } from './inbox.ts';
import type { ThreadLog } from './log.ts';
import type { OpenQuestions } from './open-questions.ts';
import type { ThreadCommandSessions } from './running-commands.ts';
import type { FallbackModel } from './thread-fallback.ts';
import type { TurnEffects } from './turn-effects.ts';
import type { MutableTurnState } from './turn-memory.ts';
import type { UserShell } from './user-shell.ts';

/** The parts a thread works with: its own, and those shared with other threads of its engine. */
export interface ThreadParts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly store: RolloutStore;
  /** Proves lines of the thread about processes. The store seals by itself. */
  readonly seals: Seals;
  readonly provider: ModelProvider;
  /** Another configured provider, at the same address where that is known. Sends nothing yet. */
  providerOf?(name: ProviderName): Promise<ModelProvider | undefined>;
  /** Known models of another provider. Absent: only this provider's are known. */
  catalogueOf?(name: ProviderName): Catalogue;
  /** Settings and parts with which `model_fallback` takes over. Undefined: it does not. Absent: none is configured. */
  fallback?(settings: Settings): Promise<FallbackModel | Outcome | undefined>;
  readonly digester: RequestDigester;
  /** A number from 0 up to but not including 1: spreads retries. */
  random(): number;
  readonly streamMaxRetries: number;
  readonly answerMaxItems: number;
  readonly router: ToolRouter;
  readonly threads: Threads;
  /** Absent: the thread starts no agents. */
  readonly agents?: AgentsOfThread;
  /** Absent: no other thread started this one. */
  readonly agent?: AgentIdentity;
  /** `disabled`: no notes may be written about the thread. Absent: they may. */
  readonly memoryMode?: 'disabled';
  /** Absent: none. */
  readonly background?: BackgroundWork;
  /** Absent: the user cannot be asked, and a call that would need it is refused. */
  readonly askUser?: AskUser;
  /** For one question. Absent: 90 seconds. */
  readonly reviewTimeoutMs?: number;
  /** Absent: commands are not looked into. */
  readonly commands?: CommandReader;
  /** Absent: no rule lets a command out of the sandbox. */
  readonly ground?: TamperWatch;
  /** Absent: answers save no rules. */
  readonly ruleBook?: RuleBook;
  readonly processes: Processes;
  /** Absent: commands do not outlive their calls. */
  readonly sessions?: CommandSessions;
  /** Awaited before a turn is resolved, for work that must be done before its tools are known. Absent: none. */
  beforeTurn?(settings: Settings, watch: { readonly signal: AbortSignal; warn(outcome: Outcome): void }): Promise<void>;
  /** Problems in work that the thread does not wait for, for the user. Absent: none. */
  problemsNow?(): readonly Outcome[];
  /** Releases resources outside the thread's file. Never rejects. Absent: none. */
  release?(): Promise<void>;
  gatherFacts(settings: Settings): Promise<GatheredFacts>;
  folderProblem(path: string): Outcome | undefined;
  /** The reason why settings cannot have the tools that they name. Absent: no check. */
  toolsProblem?(settings: Settings): Outcome | undefined;
  /** Saves a picture from the provider. Never rejects. Absent: pictures are not saved. */
  saveImage?(image: {
    readonly threadId: ThreadId;
    readonly id: string;
    readonly base64: string;
  }): Promise<{ readonly path: string } | { readonly problem: string }>;
  /** Reads again what may have changed since the turn began. */
  gatherStep(envelope: Envelope): Promise<GatheredStep>;
  readonly requirements: ManagedRequirements;
  readonly tracer: Tracer;
  readonly compactionLimits: { readonly maxBytes: number; readonly timeoutMs: number };
  /** Absent: no hook looks at checkpoints before they are made. */
  readonly checkpointHooks?: CheckpointHooks;
  /** Nothing of the thread is kept on the disk. */
  readonly isEphemeral?: true;
  /** Starts a program when a turn has ended. Returns the reason if it could not. Absent: none is configured. */
  notify?(cwd: string, about: JsonObject): Outcome | undefined;
  /** Runs a command of the user's own, outside the sandbox. Absent: there is no shell. Never rejects. */
  userShell?(command: UserCommand): Promise<ProcessEnd>;
  /** Absent: no hook is configured that may run. */
  readonly hooks?: Hooks;
  /** Absent: there are no skills. */
  readonly skills?: Skills;
  /** Absent: file changes cannot be undone. */
  readonly snapshots?: Snapshots;
  /** Absent: git folders below the roots are not searched for. */
  readonly gitGuard?: GitGuard;
}

export type UserCommand = Pick<UserShell, 'command' | 'signal' | 'output'> & { readonly cwd: string };
export type GatheredStep = StepFacts & { readonly problems?: readonly Outcome[] };

/** Hooks around a compaction. One that throws or takes a minute is skipped, with a warning. */
export interface CheckpointHooks {
  /** A returned reason stops the compaction. */
  before?(about: AboutCheckpoint): Promise<{ readonly reason: string } | undefined>;
  after?(report: CheckpointReport): Promise<void>;
}

export interface AboutCheckpoint {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly cwd: string;
  readonly trigger: 'manual' | 'auto';
  readonly reason: string;
  readonly phase: string;
  readonly focus?: string;
}

export interface TurnInput {
  readonly threadId: ThreadId;
  readonly settings: TurnSettings;
  /** True if the thread's own settings changed after the turn was submitted: a resume uses those. */
  isOutdated(): boolean;
  /** Makes the turn's change of settings together with its beginning, which `start` records. */
  begin?(start: () => void): Promise<void>;
  /** Absent for a turn that only compacts history. */
  readonly words?: SubmittedWords;
  readonly signal: AbortSignal;
  readonly inbox: Inbox;
  readonly questions: OpenQuestions;
  readonly warned: Set<string>;
  /** Rules saved by answers since the thread was opened: they count at once. */
  readonly savedRules: SavedRules;
  readonly sessions: ThreadCommandSessions;
  /** The suspended turn that this one continues, with its original policy. */
  readonly continues?: SuspendedTurn;
  /** Called when the turn fails: resolves with the model that continues in another turn. Undefined: none does. */
  passOn?(failure: Outcome): Promise<string | undefined>;
}

/** Permanent permissions from answers: they count under every policy that the thread changes to, as after a resume. */
export interface SavedRules {
  readonly prefixes: PrefixRule[];
  /** A rule about a host, or a tool of an MCP server, permits the same as a grant of it. */
  readonly hosts: Grant[];
  readonly tools: Grant[];
}

export interface SuspendedTurn {
  readonly openTurn: OpenTurn;
  /** Decides about the turn's calls: the suspended turn's policy, no wider than the current one. */
  readonly approval: ApprovalPolicy;
}

/** A running turn. Only its memory changes. */
export interface Turn extends Omit<TurnInput, 'settings'> {
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  readonly turnId: TurnId;
  /** Resolved when the turn began, and constant to the end. */
  readonly envelope: Envelope;
  /** The contract for the previous turn's model now, if this turn has another model or provider. */
  readonly before?: Envelope;
  readonly effects: TurnEffects;
  /** Ends the turn as interrupted by the user. */
  stop(): void;
  readonly memory: MutableTurnState;
}

export type RecordingTurn = Pick<Turn, 'parts' | 'log' | 'threadId' | 'turnId' | 'envelope'>;

export type TurnEnding =
  | { readonly kind: 'done' | 'aborted' | 'suspended' }
  | { readonly kind: 'failed'; readonly failure: Outcome };
